"""The engine of a cluster: the workers of a Dask scheduler solve pairs, and write their files themselves."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from threading import Lock
from typing import Any

from inarow.cluster import connect
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.engine import Engine, Solved
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.table.files import TableFiles
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, pairs_above
from inarow.quixo.table.store import StoredPair


class ClusterEngine(Engine):
    """Sends each pair to a worker. Keeps the records of files, which all workers must see.

    A worker that is lost costs the pair it was at: the scheduler hands it to another.
    """

    pairs_at_once = 1  # on this machine

    def __init__(
        self, address: str, rules: Quixo, files: TableFiles, scratch: Scratch, threads: int | None = None
    ) -> None:
        """Workers keep planes in the folder of `scratch`; it is tidied up here."""
        self._rules = rules
        self._files = files
        self._scratch = scratch
        self._threads = threads
        self._client = connect(address)
        self._futures: list[Any] = []

    def close(self) -> None:
        self._client.cancel(self._futures)  # those of the last layer, if it ends early
        self._client.close()

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, PairRecord], room: int = 0
    ) -> Generator[Solved]:
        self._scratch.tidy()
        self._futures = [
            self._client.submit(
                _solve,
                pair,
                [above[larger] for larger in pairs_above(self._rules, *pair)],
                self._files,
                self._threads,
                pure=False,
            )
            for pair in pairs
        ]
        for future in self._futures:
            record = future.result()
            yield Solved(record, record.classes)

    def load(self, stored: StoredPair) -> PairRecord:
        return stored.record

    def content(self, kept: PairRecord) -> PairRecord:
        return kept


_ONE_AT_A_TIME = Lock()  # a worker may have several threads; one pair uses all processors


def _solve(pair: PairId, above: list[PairRecord], files: TableFiles, threads: int | None) -> PairRecord:
    """Solve a pair from the files of those above it, and write its own, on a worker."""
    with _ONE_AT_A_TIME:
        scratch = Scratch(files.folder / SCRATCH_NAME, None, thread_count(threads))
        engine = CpuEngine(files.rules, files.plies, threads, scratch=scratch)
        loaded = {record.pair: engine.load(StoredPair(record, files)) for record in above}
        [solved] = engine.solve_layer([pair], loaded)
        solved.put_aside()  # another worker may need it
        return files.write(*pair, solved.classes, engine.content(solved.kept))
