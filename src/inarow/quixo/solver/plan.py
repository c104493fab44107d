"""How a game is solved, with which engine and in how much memory, and what that takes.

What only a GPU or a cluster needs is imported when one is asked for: it takes longer than a small board.
"""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from inarow._native.quixo import KeptPages
from inarow.errors import InarowError
from inarow.memory import PROGRAM, physical_memory, require_memory
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.engine import Engine
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.book import BookStore
from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.folder import BYTES_AHEAD, TableFolder, manifest_in
from inarow.quixo.table.location import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId, entry_count, pairs_of
from inarow.quixo.table.store import Store
from inarow.words import duration_range_text, size_text

if TYPE_CHECKING:
    from inarow.cuda import Gpu

QUICK_CELLS = 16  # a board of up to so many cells is solved in a second or two

_SHARE_OF_MEMORY = 0.75  # the rest of a machine's memory is for others, and for files in the system's cache
_NOT_IN_ARRAYS = 1 << 30  # bytes at most: the program, where masks are stored, what is read and packed

# How much longer than others entries take where the sides have about as many marks, by how many more the
# larger side has, and where few tiles are blank, by how many are: measured on 5×5, with plies and without.
_BY_LEAD = {
    True: (2.3, 1.8, 1.15, 1.0, 0.55, 0.45, 0.4, 0.2),
    False: (2.5, 1.7, 1.0, 1.0, 0.5, 0.7, 0.5, 0.7),
}
_BY_BLANKS = {True: (22, 3.6, 2.8, 2.1, 1), False: (84, 9, 7, 2.3, 1)}
_WITH_PLIES = 4  # what an entry takes with plies, divided by what it takes without, on average

# The CPU time of an entry of 5×5, on average, divided by that of an entry of 4×4, with plies and without:
# with AVX-512 (measured on all of 5×5), and with other instructions (on parts of it), which are slower on
# 4×4 above all. For boards in between it is interpolated.
_RATIO = {False: (1.6, 1.2), True: (6.2, 4.0)}
# The estimate is shown as a range between these factors of it.
_FASTER, _SLOWER = 0.75, 1.4

# Packed into pieces, outcomes take less than a seventh of two bits each on 5×5, and the plies of losses less
# than an eleventh of a byte for each entry, lost or not.
_OUTCOMES_PACK, _PLIES_PACK = 7, 11
_KEPT_PACK = 4  # a byte for so many entries of the planes that are kept for the layer below

# Measured on 5×5 with one H200: entries a second, and how much longer it takes where planes wait on the host.
# For other GPUs it is a guess: that the time goes with the number of processors and their clock.
_GPU_ENTRIES_A_SECOND = 4.1e9
_GPU_CELLS = 25  # of the largest board, as in native/quixo/gpu_work.hpp
_H200 = 132 * 1980  # its processors and their MHz
_STREAMED = 1.6
# Lines that are shorter than the board by so many cells end games sooner.
_BY_SHORTER_LINE = (1.0, 0.55, 0.2)
_GPU_BEGINNING = 2.0  # seconds until the first pair is solved
_GPU_BEFORE_PACKING = 5  # bytes that wait to be packed and written, for each that they take on disk
_GPU_COMPILING = 12.0  # seconds that the kernels take before that when they are new


@dataclass(frozen=True, slots=True)
class Needs:
    """Seconds, and bytes of memory and of disk. Time and disk are estimates."""

    seconds: float = 0.0
    memory: int = 0
    gpu_memory: int = 0
    disk: int = 0
    free: int = 0  # bytes of disk
    once: float = 0.0  # seconds that may come on top the first time

    def __str__(self) -> str:
        """If nothing else keeps this machine busy."""
        on_gpu = f"{size_text(self.gpu_memory)} GPU memory, " if self.gpu_memory else ""
        between = duration_range_text(*self.seconds_between)
        return f"{between}, {on_gpu}{size_text(self.memory)} memory, {size_text(self.disk)} disk"

    @property
    def seconds_between(self) -> tuple[float, float]:
        """The least and the most that it should take, if nothing else keeps this machine busy."""
        return self.seconds * _FASTER, self.seconds * _SLOWER + self.once


@dataclass(frozen=True, slots=True)
class Plan:
    """What is solved, and with what; `InarowError` if that makes no sense."""

    rules: Quixo
    out: Path | None = None
    plies: bool = True
    book: bool = False  # in place of a table
    stop_at: int = 0
    device: Literal["cpu", "cuda"] = "cpu"
    threads: int | None = None
    memory: int | None = None
    gpu_memory: int | None = None
    dask: str | None = None
    fewest_marks: int = 0  # no later run will solve positions with fewer

    def __post_init__(self) -> None:
        self.rules.require_solvable()
        cells = self.rules.cells
        if not 0 <= self.stop_at <= cells:
            board = f"a board of {self.rules.size_text} has 0 to {cells} marks"
            raise InarowError(f"{board}; cannot stop at {self.stop_at}")
        if self.device not in ("cpu", "cuda"):
            raise InarowError(f"the device is 'cpu' or 'cuda', not {self.device!r}")
        if self.book and (self.stop_at or not self.plies or self.dask):
            raise InarowError(
                "a book (--no-store) has plies, of positions with few marks, and is solved on one machine: "
                "leave out --stop-at, --outcomes-only and --dask, or write a table"
            )
        if self.out is None and self.book:
            raise InarowError("--no-store writes a book and counts to a folder: name it with --out DIR")
        if self.out is None and self.dask:
            raise InarowError("--dask writes a table: name its folder with --out DIR")
        if self.device == "cuda" and (not self.plies or self.dask):
            raise InarowError("outcomes alone, and pairs on a cluster, are solved on CPUs")
        if self.device == "cuda" and cells > _GPU_CELLS:
            raise InarowError(f"a GPU solves boards of up to {_GPU_CELLS} cells: use the CPU (--device cpu)")
        if self.device == "cpu" and self.gpu_memory is not None:
            raise InarowError("a limit of a GPU's memory (--gpu-memory) is for solving there (--device cuda)")
        thread_count(self.threads)  # refused at once if there are too many

    @property
    def parts(self) -> Sequence[Plan]:
        """What is solved: beside a table without plies there is one of nearly full boards with them."""
        if self.plies or self.out is None:
            return [self]
        fewest = nearly_full_marks(self.rules)
        beside = replace(self, out=self.out / NEARLY_FULL, plies=True, fewest_marks=fewest)
        return [self, replace(beside, stop_at=max(self.stop_at, fewest))]

    def store(self) -> Store:
        """Where solved pairs go."""
        if self.out is None:
            return Store()
        if self.book:
            return BookStore(self.rules, self.out)
        # The workers of a cluster may run in other folders.
        out = self.out if self.dask is None else self.out.resolve()
        return TableFolder(out, self.rules, plies=self.plies, threads=self.threads)

    def left(self, finished: Container[PairId]) -> list[PairId]:
        """The pairs to solve, in their order."""
        return [pair for pair in pairs_of(self.rules, self.stop_at) if pair not in finished]

    # --- The engine ---

    @contextmanager
    def engine(self, target: Store) -> Iterator[tuple[Engine, int]]:
        """What solves the pairs that a store lacks, and the bytes of memory that it leaves for solved ones.

        Refused if it would take too much memory.
        """
        left, table = self.left(target.finished), target if isinstance(target, TableFolder) else None
        advice = "" if table else "; written to a table (--out), it takes less"
        scratch = None
        with ExitStack() as opened:
            engine: Engine
            if self.device == "cuda":
                engine, needed = self._cuda_engine(opened, left, in_files=table is not None)
            else:
                if table:
                    folder, threads = table.path / SCRATCH_NAME, thread_count(self.threads)
                    scratch = Scratch(folder, table.finished, threads, self.fewest_marks)
                engine = CpuEngine(self.rules, self.plies, self.threads, scratch=scratch)
                needed = self._memory(engine, left, in_files=table is not None)
                advice += ". A GPU can do it too (--device cuda)"
            require_memory(needed, self.memory, here=not self.dask, advice=advice)
            room = max(0, (self.memory or int((physical_memory() or 0) * _SHARE_OF_MEMORY)) - needed)
            if self.dask:
                from inarow.quixo.solver.engines.cluster import ClusterEngine

                assert table
                assert scratch
                engine = ClusterEngine(self.dask, self.rules, table.files, scratch, self.threads)
                opened.callback(engine.close)
            elif self.device == "cpu":
                opened.enter_context(KeptPages(max(0, needed + room - _NOT_IN_ARRAYS)))
            elif table and needed:
                table.bytes_ahead = max(1, min(table.bytes_ahead, room // 4))
                room -= room // 4
            yield engine, 0 if self.dask else room
        if scratch:
            scratch.tidy()

    def _cuda_engine(
        self, opened: ExitStack, left: Sequence[PairId], *, in_files: bool
    ) -> tuple[Engine, int]:
        """Also the bytes of this machine's memory that it needs, if it keeps solved pairs there."""
        from inarow.quixo.solver.engines.cuda import CudaDevice, CudaEngine
        from inarow.quixo.solver.engines.gpu_memory import CUDA_ON_HOST, host_memory_needed

        device = CudaDevice()
        if self.gpu_memory is not None:
            opened.enter_context(device.limited_to(self.gpu_memory))
        engine = CudaEngine(self.rules, device, self.gpu_memory)
        waiting = host_memory_needed(self.rules, left, in_files=in_files)
        return engine, PROGRAM + CUDA_ON_HOST + waiting if engine.streams else 0

    # --- What it takes ---

    def needs(self, gpu: Gpu | None = None) -> Needs:
        """What it takes to finish the table in its folder; `WrongTable` if that is of other rules.

        On a GPU it is for this one, by default that of this machine.
        """
        assert self.out is not None
        found = [part._part_needs(gpu) for part in self.parts]
        return Needs(
            seconds=sum(its.seconds for its in found),
            memory=max(its.memory for its in found),
            gpu_memory=max(its.gpu_memory for its in found),
            disk=sum(its.disk for its in found),
            free=shutil.disk_usage(self.out if self.out.exists() else self.out.parent).free,
            once=max(its.once for its in found),
        )

    def _part_needs(self, gpu: Gpu | None) -> Needs:
        assert self.out is not None
        manifest = manifest_in(self.out, Manifest(self.rules, plies=self.plies))
        pairs = self.left({record.pair for record in manifest.pairs})
        if not pairs:
            return Needs()
        if self.device == "cuda":
            return self._gpu_needs(pairs, gpu)
        engine = CpuEngine(self.rules, self.plies, self.threads)
        memory = self._memory(engine, pairs, in_files=True)
        return Needs(self._seconds(pairs), memory, disk=self.disk(pairs))

    def _gpu_needs(self, pairs: Sequence[PairId], gpu: Gpu | None) -> Needs:
        from inarow.cuda import gpu_here
        from inarow.quixo.solver.engines.gpu_memory import (
            CUDA_ON_HOST,
            gpu_memory_within,
            host_memory_needed,
        )

        gpu, rules, disk = gpu or gpu_here(), self.rules, self.disk(pairs)
        on_gpu, streamed = gpu_memory_within(rules, min(gpu.free, self.gpu_memory or gpu.free))
        speed = _GPU_ENTRIES_A_SECOND * gpu.processors * gpu.megahertz / _H200
        shorter = min(max(rules.rows, rules.columns) - rules.line, len(_BY_SHORTER_LINE) - 1)
        solving = sum(entry_count(rules, *pair) for pair in pairs) / speed * _BY_SHORTER_LINE[max(0, shorter)]
        written = min(BYTES_AHEAD, _GPU_BEFORE_PACKING * disk)
        waiting = host_memory_needed(rules, pairs, in_files=True) if streamed else written
        return Needs(
            seconds=_GPU_BEGINNING + solving * (_STREAMED if streamed else 1),
            memory=PROGRAM + CUDA_ON_HOST + waiting,
            gpu_memory=on_gpu,
            disk=disk,
            once=_GPU_COMPILING,
        )

    def work(self, pair: PairId) -> int:
        """How much work a pair is: in entries, on CPUs of a usual pair without plies."""
        entries = entry_count(self.rules, *pair)
        if self.device == "cuda":  # any entry takes about as long
            return entries
        return max(1, round(entries * self._weight(pair) * (_WITH_PLIES if self.plies else 1)))

    @property
    def all_work(self) -> int:
        return sum(map(self.work, pairs_of(self.rules, self.stop_at)))

    def _weight(self, pair: PairId) -> float:
        """What solving an entry of a pair takes, compared with other pairs of the same board."""
        (a, b), by_lead, by_blanks = pair, _BY_LEAD[self.plies], _BY_BLANKS[self.plies]
        blanks = self.rules.cells - a - b
        return by_lead[min(a - b, len(by_lead) - 1)] * by_blanks[min(blanks, len(by_blanks) - 1)]

    def disk(self, pairs: Sequence[PairId]) -> int:
        """Bytes of a table of these pairs, estimated.

        With plies, the CPU keeps some of the largest layer beside it for the layer below.
        """
        entries = sum(entry_count(self.rules, *pair) for pair in pairs)
        outcomes = packed_size(entries) // _OUTCOMES_PACK
        if not self.plies:
            return outcomes
        layers: Counter[int] = Counter()
        for pair in pairs:
            layers[sum(pair)] += entry_count(self.rules, *pair)
        kept = max(layers.values(), default=0) // _KEPT_PACK if self.device == "cpu" else 0
        return outcomes + entries // _PLIES_PACK + kept

    def _memory(self, engine: CpuEngine, pairs: Sequence[PairId], *, in_files: bool) -> int:
        """Bytes of memory to solve these pairs. Unless they are in files, two layers are kept."""
        layers: Counter[int] = Counter()
        if not in_files:
            for a, b in pairs:
                layers[a + b] += engine.kept_size(a, b)
        kept = {marks: layers[marks] + layers[marks + 1] for marks in layers}
        return PROGRAM + max((engine.peak(a, b) + kept.get(a + b, 0) for a, b in pairs), default=0)

    def _seconds(self, pairs: Sequence[PairId]) -> float:
        """How long it takes to solve these pairs; 0 if an estimate would take longer than that."""
        if self.rules.cells <= QUICK_CELLS:
            return 0.0
        seconds, lanes = _seconds_per_entry(self.plies)
        ratio = _RATIO[self.plies][0 if lanes == "avx512" else 1]
        ratio = math.pow(ratio, (self.rules.cells - 16) / (25 - 16))
        every = list(pairs_of(self.rules))
        usual = self._weighted(every) / sum(entry_count(self.rules, *pair) for pair in every)
        # On a large board all threads are busy; 4×4 is too small for many.
        return self._weighted(pairs) / usual * ratio * seconds / thread_count(self.threads)

    def _weighted(self, pairs: Sequence[PairId]) -> float:
        """The entries of pairs, each weighted by what it takes."""
        return sum(entry_count(self.rules, *pair) * self._weight(pair) for pair in pairs)


@lru_cache
def _seconds_per_entry(plies: bool) -> tuple[float, str]:
    """The CPU time of an entry of 4×4 on one thread of this machine, which is solved to find out; with what.

    The best of some runs: the first one also waits for memory, and others may disturb any.
    """
    rules = Quixo(4)
    engine = CpuEngine(rules, plies, threads=1)

    def run() -> float:
        began = time.process_time()
        solve_pairs(rules, engine, Store())
        return time.process_time() - began

    return min(run() for _ in range(3)) / sum(
        entry_count(rules, *pair) for pair in pairs_of(rules)
    ), engine.lanes
