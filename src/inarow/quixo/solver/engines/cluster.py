"""The engine of a cluster: the workers of a Dask scheduler solve pairs, and write their files themselves."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Self

from inarow.cluster import Cluster
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.engine import Solved
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.table.files import TableFiles
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, pairs_above
from inarow.quixo.table.store import StoredPair


@dataclass(frozen=True, slots=True)
class _Job:
    """A pair to solve, from the files of the pairs above it to its own."""

    rules: Quixo
    files: TableFiles
    pair: PairId
    above: tuple[PairRecord, ...]
    threads: int | None


class ClusterEngine:
    """Sends each pair to a worker. Keeps the records of files, which all workers must see."""

    name = ""
    pairs_at_once = 1  # on this machine

    def __init__(
        self,
        address: str,
        rules: Quixo,
        files: TableFiles,
        scratch: Scratch,
        threads: int | None = None,
    ) -> None:
        """Workers keep planes in the folder of `scratch`; it is tidied up here."""
        self._rules = rules
        self._files = files
        self._scratch = scratch
        self._threads = threads
        self._cluster = Cluster(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._cluster.close()

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, PairRecord], room: int = 0
    ) -> Generator[Solved]:
        self._scratch.tidy()
        jobs = [
            _Job(
                rules=self._rules,
                files=self._files,
                pair=pair,
                above=tuple(above[larger] for larger in pairs_above(self._rules, *pair)),
                threads=self._threads,
            )
            for pair in pairs
        ]
        return (Solved(record, record.classes) for record in self._cluster.map(_solve, jobs))

    def load(self, stored: StoredPair) -> PairRecord:
        return stored.record

    def content(self, kept: PairRecord) -> PairRecord:
        return kept

    def timing(self) -> Mapping[str, float]:
        return {}


_ONE_AT_A_TIME = Lock()  # a worker may have several threads; one pair uses all processors


def _solve(job: _Job) -> PairRecord:
    """Solve a pair and write its files, on a worker."""
    with _ONE_AT_A_TIME:
        scratch = Scratch(job.files.folder / SCRATCH_NAME, None, thread_count(job.threads))
        engine = CpuEngine(job.rules, job.files.plies, job.threads, scratch=scratch)
        above = {record.pair: engine.load(StoredPair(record, job.files)) for record in job.above}
        [solved] = engine.solve_layer([job.pair], above)
        solved.put_aside()  # another worker may need it
        return job.files.write(*job.pair, solved.classes, engine.content(solved.kept))
