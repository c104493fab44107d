"""Solves Quixo by retrograde analysis: chooses an engine and a store, and runs the schedule."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from inarow._native.quixo import KeptPages
from inarow.errors import InarowError
from inarow.files import write_atomically
from inarow.memory import PROGRAM, physical_memory, require_memory
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Engine
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.solver.needs import disk_needed, memory_needed, table_engine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import Solution, data_name
from inarow.quixo.solver.work import work
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.book import BookStore
from inarow.quixo.table.folder import TableFolder, form_in
from inarow.quixo.table.manifest import Form
from inarow.quixo.table.nearly_full import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.pairs import PairId, entry_count, pairs_of
from inarow.quixo.table.store import NoStore, Progress, Store

_SHARE_OF_MEMORY = 0.75  # the rest of a machine's memory is for others, and for files in the system's cache
_NOT_IN_ARRAYS = 1 << 30  # bytes at most: the program, where masks are stored, what is read and packed


def solve(
    rules: Quixo,
    out: str | Path | None = None,
    *,
    store: bool = True,
    outcomes_only: bool = False,
    stop_at: int = 0,
    device: Literal["cpu", "cuda"] = "cpu",
    threads: int | None = None,
    memory: int | None = None,
    gpu_memory: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Find the value and the plies of every position.

    With `out`, write a tablebase to that folder: on boards of up to 20 cells in the plain form, on larger
    ones in the compact form. An interrupted run is resumed there, in the form that the table has, and damaged
    files are solved again. If `store` is false, write only the counts of all classes and a book of the
    positions with few marks.

    With `outcomes_only`, find values and no plies: much faster, and the table, in the compact form, is much
    smaller. It still has the plies of nearly full boards, which show the way where wins are longest. With
    `stop_at`, solve no positions with fewer marks than that; a later run can continue.

    `memory` is the most bytes of memory to use, and `gpu_memory` of a GPU's, by default all that is free
    there: if that is too little to keep what will be needed again, it is kept in the machine's memory. `dask`
    is the address of a scheduler whose workers solve the pairs; all of them must see the folder `out` under
    the same name.

    >>> solve(Quixo(3), stop_at=8).statistics.states
    {'win': 1652, 'loss': 1164, 'draw': 0}
    """
    began = time.perf_counter()
    if not 0 <= stop_at <= rules.cells:
        raise InarowError(
            f"a board of {rules.size_text} has 0 to {rules.cells} marks; cannot stop at {stop_at}"
        )
    if not store and stop_at:
        raise InarowError("a book is of positions with few marks: solve all of them, or write a table")
    if not store and (outcomes_only or dask is not None):
        raise InarowError("a book has plies, and is not solved on a cluster: write a table")
    if device != "cpu" and (outcomes_only or dask is not None):
        raise InarowError("outcomes alone, and pairs on a cluster, are solved on CPUs")
    if device == "cpu" and gpu_memory is not None:
        raise InarowError("a limit of a GPU's memory (--gpu-memory) is for solving there (--device cuda)")
    if dask is not None and out is None:
        raise InarowError("the workers of a cluster write a table: say in which folder")
    if device not in ("cpu", "cuda"):
        raise InarowError(f"the device is 'cpu' or 'cuda', not {device!r}")
    thread_count(threads)  # refused at once if there are too many
    target = _store(rules, out, threads, plies=not outcomes_only, book=not store, absolute=dask is not None)
    table = target if isinstance(target, TableFolder) else None
    how = _How(rules, device, threads, memory, gpu_memory, dask)
    if outcomes_only and table:
        marks = max(stop_at, nearly_full_marks(rules))
        first, rest = how.work(stop_at, plies=False), how.work(marks, plies=True)
        statistics, name, timing = how.solve(target, stop_at, _part(progress, 0, first + rest), plies=False)
        nearly_full = TableFolder(table.path / NEARLY_FULL, rules, "compact", threads=threads)
        part, fewest = _part(progress, first, first + rest), nearly_full_marks(rules)
        how.solve(nearly_full, marks, part, plies=True, fewest_marks=fewest)
        table.damaged += [f"{NEARLY_FULL}/{file}" for file in nearly_full.damaged]
    else:
        statistics, name, timing = how.solve(target, stop_at, progress, plies=not outcomes_only)
    seconds = time.perf_counter() - began
    if timing:
        timing |= table.timing if table else {}
        timing["host"] = seconds - sum(timing.values()) + timing.get("packing", 0.0)
    solution = Solution(
        rules=rules,
        statistics=statistics,
        seconds=seconds,
        table=table.path if table else None,
        repaired=tuple(table.damaged) if table else (),
        device=name,
        timing=timing,
    )
    if isinstance(target, BookStore):
        target.write()
        write_atomically(target.folder / data_name(rules), [solution.to_data().encode()])
    return solution


def _store(
    rules: Quixo, out: str | Path | None, threads: int | None, *, plies: bool, book: bool, absolute: bool
) -> Store:
    if out is None:
        return NoStore()
    if book:
        return BookStore(rules, Path(out))
    path = Path(out).resolve() if absolute else Path(out)  # other processes may run in other folders
    return TableFolder(path, rules, form_in(path, rules, plies=plies), plies=plies, threads=threads)


def _form(target: Store) -> Form:
    """The form in which a store takes pairs."""
    return target.manifest.form if isinstance(target, TableFolder) else "plain"


def _part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """The progress of a part of the work, which begins after so many entries."""
    return progress and (lambda done, _: progress(before + done, total))


@dataclass(frozen=True, slots=True)
class _How:
    """What pairs are solved with."""

    rules: Quixo
    device: Literal["cpu", "cuda"]
    threads: int | None
    memory: int | None
    gpu_memory: int | None
    dask: str | None

    def work(self, stop_at: int, *, plies: bool) -> int:
        return sum(self._work(pair, plies=plies) for pair in pairs_of(self.rules, stop_at))

    def _work(self, pair: PairId, *, plies: bool) -> int:
        """How much work a pair is; a GPU takes about as long for any entry."""
        if self.device == "cuda":
            return entry_count(self.rules, *pair)
        return work(self.rules, pair, plies=plies)

    def solve(
        self, target: Store, stop_at: int, progress: Progress | None, *, plies: bool, fewest_marks: int = 0
    ) -> tuple[Statistics, str, dict[str, float]]:
        """Solve what a store lacks: the counts, the name of the device, and its times.

        No later run will solve positions with fewer than `fewest_marks` marks there.
        """
        left = [pair for pair in pairs_of(self.rules, stop_at) if pair not in target.finished]
        with self._engine(left, target, plies, fewest_marks) as (engine, room):
            disk = disk_needed(self.rules, left, _form(target), plies=plies, scratch=self.device == "cpu")
            with target.prepare(disk):
                statistics = solve_pairs(
                    self.rules,
                    engine,
                    target,
                    stop_at=stop_at,
                    room=room,
                    progress=progress,
                    work=partial(self._work, plies=plies),
                )
            return statistics, engine.name, dict(engine.timing())

    @contextmanager
    def _engine(
        self, left: Sequence[PairId], target: Store, plies: bool, fewest_marks: int
    ) -> Iterator[tuple[Engine, int]]:
        """What solves the pairs that are left, and the bytes of memory that it leaves for solved ones.

        Refused if it would take too much memory.
        """
        if self.device == "cuda":
            with self._on_gpu(left, target) as engine_and_room:
                yield engine_and_room
            return
        in_files = isinstance(target, TableFolder)
        scratch = None
        if isinstance(target, TableFolder):
            folder, threads = target.path / SCRATCH_NAME, thread_count(self.threads)
            scratch = Scratch(folder, target.finished, threads, fewest_marks)
        engine = table_engine(self.rules, _form(target), plies=plies, threads=self.threads, scratch=scratch)
        needed = memory_needed(engine, left, in_files=in_files)
        advice = "" if in_files else "; written to a table (--out), it takes less"
        advice += ". A GPU can do it too (--device cuda)"
        require_memory(needed, self.memory, here=self.dask is None, advice=advice)
        if self.dask is None or not isinstance(target, TableFolder):
            room = self._room(needed)
            with KeptPages(max(0, needed + room - _NOT_IN_ARRAYS)):
                yield engine, room
        else:
            # Few have a cluster or a GPU, and a small board is solved sooner than all engines are imported.
            from inarow.quixo.solver.engines.cluster import ClusterEngine

            cluster = ClusterEngine(
                self.dask, self.rules, target.files, scratch, plies=plies, threads=self.threads
            )
            with cluster:
                yield cluster, 0
        if scratch:
            scratch.tidy()

    @contextmanager
    def _on_gpu(self, left: Sequence[PairId], target: Store) -> Iterator[tuple[Engine, int]]:
        """The same on a GPU. Only an engine that keeps solved pairs elsewhere needs much memory here."""
        from inarow.quixo.solver.engines.cuda import CudaDevice, CudaEngine
        from inarow.quixo.solver.engines.cuda_streamed import cuda_engine
        from inarow.quixo.solver.engines.gpu_memory import CUDA_ON_HOST, host_memory_needed

        device, files = CudaDevice(), _form(target) if isinstance(target, TableFolder) else None
        with nullcontext() if self.gpu_memory is None else device.limited_to(self.gpu_memory):
            engine = cuda_engine(
                self.rules, device, compact=_form(target) == "compact", budget=self.gpu_memory
            )
            if isinstance(engine, CudaEngine):
                yield engine, 0
                return
            needed = PROGRAM + CUDA_ON_HOST + host_memory_needed(self.rules, left, files)
            advice = "" if files else "; written to a table (--out), it takes less"
            require_memory(needed, self.memory, advice=advice)
            room = self._room(needed)
            if isinstance(target, TableFolder):
                target.bytes_ahead = max(1, min(target.bytes_ahead, room // 4))
                room -= room // 4
            yield engine, room

    def _room(self, needed: int) -> int:
        """Bytes of memory that are left for solved pairs."""
        memory = self.memory or int((physical_memory() or 0) * _SHARE_OF_MEMORY)
        return max(0, memory - needed)
