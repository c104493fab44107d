"""The engine of a cluster: the workers of a Dask scheduler solve pairs, and write their files themselves."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Self

from inarow.cluster import Cluster
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import cpu_engine
from inarow.quixo.solver.engines.cpu_planes import PlanesEngine
from inarow.quixo.solver.engines.engine import Engine, Solved
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.table.compact import CompactFiles
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, pairs_above
from inarow.quixo.table.store import PairFiles, StoredPair


@dataclass(frozen=True, slots=True)
class _Job:
    """A pair to solve, from the files of the pairs above it to its own."""

    rules: Quixo
    files: PairFiles
    pair: PairId
    above: tuple[PairRecord, ...]
    plies: bool
    threads: int | None


class ClusterEngine:
    """Sends each pair to a worker. Keeps the records of files, which all workers must see."""

    name = ""
    pairs_at_once = 1  # on this machine

    def __init__(
        self,
        address: str,
        rules: Quixo,
        files: PairFiles,
        scratch: Scratch | None = None,
        *,
        plies: bool,
        threads: int | None = None,
    ) -> None:
        """`scratch` is for a compact table with plies: workers keep planes there; it is tidied up here."""
        self._rules = rules
        self._files = files
        self._scratch = scratch
        self._plies = plies
        self._threads = threads
        self._cluster = Cluster(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._cluster.close()

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, PairRecord], room: int = 0
    ) -> Generator[Solved]:
        if self._scratch:
            self._scratch.tidy()
        jobs = [
            _Job(
                rules=self._rules,
                files=self._files,
                pair=pair,
                above=tuple(above[larger] for larger in pairs_above(self._rules, *pair)),
                plies=self._plies,
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
        engine = _engine(job.rules, job.files, job.plies, job.threads)
        above = {record.pair: engine.load(StoredPair(record, job.files)) for record in job.above}
        [solved] = engine.solve_layer([job.pair], above)
        solved.put_aside()  # another worker may need it
        content = engine.content(solved.kept)
        assert not isinstance(content, PairRecord)
        return job.files.write(*job.pair, solved.classes, content)


def _engine(rules: Quixo, files: PairFiles, plies: bool, threads: int | None) -> Engine:
    if not plies or not isinstance(files, CompactFiles):
        return cpu_engine(rules, plies, threads)
    return _planes_engine(rules, threads, files.folder / SCRATCH_NAME)


@lru_cache(maxsize=1)
def _planes_engine(rules: Quixo, threads: int | None, folder: Path) -> PlanesEngine:
    """The last one is kept: its layout takes a second on 5×5."""
    return PlanesEngine(rules, threads, scratch=Scratch(folder, {}, thread_count(threads)))
