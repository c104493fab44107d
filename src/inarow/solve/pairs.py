"""Solves a table pair by pair, through its files: what is in memory is the pair in work and no more.

Each pair is a job of its own, from the files of the pairs that a new mark leads to, to its own file. Jobs with
the same number of marks do not look into each other: they can be done by the workers of a cluster.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path
from threading import Lock

from inarow._core import Locator, Outcomes
from inarow.errors import InarowError
from inarow.games.quixo import Quixo
from inarow.solve.cpu import CpuEngine, processors
from inarow.solve.engine import PairId
from inarow.solve.folder import Folder, OutcomeFolder, PlainFolder, write_plain
from inarow.tables.compact import open_values
from inarow.tables.manifest import PairRecord
from inarow.tables.outcomes import packed_size
from inarow.tables.pair_file import open_pair
from inarow.tables.piece_file import write_values
from inarow.tables.statistics import ClassCounts

Progress = Callable[[int, int], None]  # entries solved so far, entries in all

_PROGRAM = 200 << 20  # bytes that the program itself takes
_PACKS = 7  # outcomes take less than a seventh of two bits each, on 5×5


@dataclass(frozen=True, slots=True)
class Job:
    """A pair to solve, and what is known of the pairs that a new mark leads to."""

    rules: Quixo
    folder: str
    a: int
    b: int
    larger: PairRecord | None  # {a+1, b}
    smaller: PairRecord | None  # {a, b+1}, not needed if a = b
    plies: bool
    threads: int | None
    lanes: str


@dataclass(frozen=True, slots=True)
class Needs:
    """What solving takes: bytes of memory and of disk."""

    memory: int
    disk: int

    def require_memory(self, budget: int | None) -> None:
        if budget is not None and self.memory > budget:
            raise InarowError(
                f"this takes {self.memory / 1e9:.1f} GB of memory, more than the {budget / 1e9:.1f} GB given"
            )


def solve_by_pairs(
    rules: Quixo,
    out: Path,
    pairs: list[PairId],
    *,
    plies: bool,
    memory: int | None = None,
    threads: int | None = None,
    lanes: str = "auto",
    dask: str | None = None,
    progress: Progress | None = None,
) -> Folder:
    """Solve these pairs, which begin with full boards, into the folder."""
    needed = needs(rules, pairs, plies=plies, threads=threads, lanes=lanes)
    needed.require_memory(memory)
    folder = (PlainFolder if plies else OutcomeFolder)(rules, out, needed.disk)
    entries = _entries_of(rules)
    total = sum(entries(a, b) for a, b in pairs)
    done = 0
    above: dict[PairId, PairRecord] = {}

    def job(a: int, b: int) -> Job:
        smaller = above.get((a, b + 1)) if a > b else None
        return Job(rules, str(out.resolve()), a, b, above.get((a + 1, b)), smaller, plies, threads, lanes)

    with _workers(dask) as work:
        for _, group in itertools.groupby(pairs, key=sum):
            known = {pair: folder.good(*pair) for pair in group}
            missing = work([job(a, b) for (a, b), record in known.items() if record is None])
            layer = {}
            for pair, good in known.items():
                record = good
                if record is None:
                    record = next(missing)
                    folder.add(record)
                layer[pair] = record
                done += entries(*pair)
                if progress:
                    progress(done, total)
            above = layer
    return folder


def needs(rules: Quixo, pairs: list[PairId], *, plies: bool, threads: int | None, lanes: str) -> Needs:
    """What solving these pairs takes at its peak. The size of outcomes on disk is an estimate."""
    entries = _entries_of(rules)
    if plies:
        engine = _engine(rules, threads, lanes)
        memory = max(engine.memory(a, b).own for a, b in pairs)
        return Needs(_PROGRAM + memory, sum(entries(a, b) for a, b in pairs))
    solver = _outcomes(rules, threads, lanes)

    def planes(a: int, b: int) -> int:
        """The pair's own, and those it looks into."""
        count = entries(a, b)
        if a + b < rules.cells:
            count += entries(a + 1, b) // 2 + (entries(a, b + 1) if a > b else 0)
        return packed_size(count)

    memory = max(solver.memory(a, b) + planes(a, b) for a, b in pairs)
    layout = 4 << rules.cells
    disk = sum(packed_size(entries(a, b)) for a, b in pairs) // _PACKS
    return Needs(_PROGRAM + layout + memory, disk)


def _entries_of(rules: Quixo) -> Callable[[int, int], int]:
    locator = Locator(rules.size)
    return lambda a, b: locator.block_count(a) * comb(rules.cells - a, b) * (1 if a == b else 2)


# --- One pair ---

_ONE_AT_A_TIME = Lock()  # a worker of a cluster may have several threads; one pair uses all processors


def solve_pair(job: Job) -> PairRecord:
    """Solve a pair, and write its file."""
    with _ONE_AT_A_TIME:
        return _solve_plies(job) if job.plies else _solve_outcomes(job)


def _solve_outcomes(job: Job) -> PairRecord:
    folder, a, b = Path(job.folder), job.a, job.b
    solver = _outcomes(job.rules, job.threads, job.lanes)
    threads = job.threads or processors()

    def plane(record: PairRecord | None, plane: int) -> object:
        return None if record is None else open_values(folder, job.rules, record).plane(plane, threads)

    # A new mark of the larger side is seen by the smaller one, in plane 1.
    planes, counts = solver.solve(a, b, plane(job.larger, 1), plane(job.smaller, 0))
    entries = solver.plane_entries(a, b)
    file = write_values(folder, job.rules, a, b, entries, planes, threads)
    classes = tuple(
        ClassCounts.of_outcomes(x, o, *found)
        for (x, o), found in zip(((a, b), (b, a)), counts, strict=False)
    )
    return PairRecord(a, b, 0, entries * len(planes), file.sha256, classes, file.size)


def _solve_plies(job: Job) -> PairRecord:
    folder, a, b = Path(job.folder), job.a, job.b
    above = {
        (record.a, record.b): open_pair(folder, job.rules, record.a, record.b, record.sha256)
        for record in (job.larger, job.smaller)
        if record is not None
    }
    [solved] = _engine(job.rules, job.threads, job.lanes).solve_layer([(a, b)], above)
    return write_plain(folder, job.rules, a, b, solved.kept, solved.classes)


@lru_cache(maxsize=1)
def _outcomes(rules: Quixo, threads: int | None, lanes: str) -> Outcomes:
    wins = rules.double_line == "wins"
    return Outcomes(rules.size, rules.line, wins, threads or processors(), lanes)


@lru_cache(maxsize=1)
def _engine(rules: Quixo, threads: int | None, lanes: str) -> CpuEngine:
    return CpuEngine(rules, threads, lanes)


# --- All of them ---


class _workers:
    """Does jobs in this process, or on a cluster, in their order."""

    def __init__(self, dask: str | None) -> None:
        self._address = dask

    def __enter__(self) -> Callable[[list[Job]], Iterator[PairRecord]]:
        if self._address is None:
            return lambda jobs: map(solve_pair, jobs)
        from inarow.cluster import Cluster

        self._cluster = Cluster(self._address)
        return lambda jobs: self._cluster.map(solve_pair, jobs)

    def __exit__(self, *_: object) -> None:
        if self._address is not None:
            self._cluster.close()
