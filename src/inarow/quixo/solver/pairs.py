"""Solves a table pair by pair, through its files: what is in memory is the pair in work and no more.

Each pair is a job of its own, from the files of the pairs that a new mark leads to, to its own file. Jobs
with the same number of marks do not look into each other: they can be done by the workers of a cluster.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from inarow.cluster import Cluster
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import CpuEngine, outcome_solver, thread_count
from inarow.quixo.solver.engine import PairId
from inarow.quixo.solver.folder import Folder, OutcomeFolder, PlainFolder, write_plain
from inarow.quixo.solver.needs import entries_of, needs_of
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.compact import open_values
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.outcomes import Packed
from inarow.quixo.table.pair_file import open_pair
from inarow.quixo.table.piece_file import write_values

Progress = Callable[[int, int], None]  # entries solved so far, entries in all


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
    needs = needs_of(rules, out, stop_at=sum(pairs[-1]), plies=plies, threads=threads, lanes=lanes)
    needs.require_memory(memory)
    folder = (PlainFolder if plies else OutcomeFolder)(rules, out, needs.disk)
    entries = entries_of(rules)
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


# --- One pair ---

_ONE_AT_A_TIME = Lock()  # a worker of a cluster may have several threads; one pair uses all processors


def solve_pair(job: Job) -> PairRecord:
    """Solve a pair, and write its file."""
    with _ONE_AT_A_TIME:
        return _solve_plies(job) if job.plies else _solve_outcomes(job)


def _solve_outcomes(job: Job) -> PairRecord:
    folder, a, b = Path(job.folder), job.a, job.b
    solver = outcome_solver(job.rules, job.threads, job.lanes)
    threads = thread_count(job.threads)

    def plane(record: PairRecord | None, plane: int) -> Packed | None:
        return None if record is None else open_values(folder, job.rules, record).plane(plane, threads)

    # A new mark of the larger side is seen by the smaller one, in plane 1.
    planes, counts = solver.solve(a, b, plane(job.larger, 1), plane(job.smaller, 0))
    entries = solver.plane_entries(a, b)
    file = write_values(folder, job.rules, a, b, entries, planes, threads)
    classes = tuple(
        ClassCounts.of_outcomes(x, o, *found) for (x, o), found in zip(((a, b), (b, a)), counts, strict=False)
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
def _engine(rules: Quixo, threads: int | None, lanes: str) -> CpuEngine:
    return CpuEngine(rules, threads, lanes)


# --- All of them ---


@contextmanager
def _workers(dask: str | None) -> Iterator[Callable[[list[Job]], Iterator[PairRecord]]]:
    """What does jobs in their order: this process, or a cluster."""
    if dask is None:
        yield lambda jobs: map(solve_pair, jobs)
        return
    cluster = Cluster(dask)
    try:
        yield lambda jobs: cluster.map(solve_pair, jobs)
    finally:
        cluster.close()
