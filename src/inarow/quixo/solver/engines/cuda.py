"""Quixo on a GPU, through CuPy, which compiles the kernels from their sources in the package."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.cuda import compiled_module, cupy_with_gpu, gpu_here
from inarow.errors import DamagedFile, InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.gpu_board import Device, plane_entries
from inarow.quixo.solver.engines.gpu_copies import (
    HostPlane,
    cut,
    from_device,
    restore,
    to_device,
    width_of,
    width_of_losses,
)
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_within
from inarow.quixo.solver.engines.gpu_pairs import ENTRY, GpuPairSolver, Source
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content, plane_runs
from inarow.quixo.table.pairs import PairId, entry_count, plane_above
from inarow.quixo.table.store import StoredPair
from inarow.words import size_text

SOURCES = Path(__file__).parents[3] / "kernels"
_THREADS = 256

# The part of the work that the time of a kernel is added to; the others lay out the board.
_PARTS = {
    "seeding": ("seed", "mirror"),
    "check": ("visit", "find_active", "publish"),
    "scatter": ("note", "find_sources", "follow"),
    "counting": ("finish",),
    "transfer": ("pack_outcomes", "gather_plies", "restore_entries", "restore_wins", "narrow", "widen"),
}
_PART_OF = {kernel: part for part, kernels in _PARTS.items() for kernel in kernels}


class CudaDevice:
    """The GPU that CuPy selects."""

    def __init__(self) -> None:
        cupy = self.xp = cupy_with_gpu()
        self._module = compiled_module(cupy, SOURCES / "quixo.cu")
        self._kernels: dict[str, Any] = {}
        self.seconds = dict.fromkeys((*_PARTS, "layout"), 0.0)
        self._events: list[tuple[str, Any, Any]] = []
        gpu = gpu_here()
        self.name = gpu.name
        self._grid = (gpu.processors * 8,)

    @contextmanager
    def limited_to(self, size: int) -> Iterator[None]:
        """Meanwhile, let no more than so many bytes be in use: what would take more fails."""
        pool = self.xp.get_default_memory_pool()
        before = pool.get_limit()
        pool.set_limit(size=size)
        try:
            yield
        finally:
            pool.set_limit(size=before)

    def trim(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()

    @property
    def free_bytes(self) -> int:
        self.trim()
        return gpu_here().free

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def host(self, array: Any) -> NDArray[Any]:
        copy: NDArray[Any] = self.xp.asnumpy(array)
        return copy

    def fetch(self, array: Any) -> NDArray[Any]:
        if array.nbytes == 0:
            return self.host(array)
        self.collect_times()
        began = time.perf_counter()
        runtime = self.xp.cuda.runtime
        try:
            # Several times as fast. CuPy keeps what is freed, for arrays of exactly this size.
            memory = self.xp.cuda.alloc_pinned_memory(1 << (array.nbytes - 1).bit_length())
            found = np.frombuffer(memory, array.dtype, array.size)
        except runtime.CUDARuntimeError:  # some systems pin only a part of their memory
            found = np.empty(array.size, array.dtype)
        runtime.memcpy(found.ctypes.data, self.address(array), array.nbytes, runtime.memcpyDeviceToHost)
        self.seconds["transfer"] += time.perf_counter() - began
        return found

    def send(self, array: NDArray[Any], into: Any) -> None:
        self.collect_times()
        began, runtime = time.perf_counter(), self.xp.cuda.runtime
        runtime.memcpy(self.address(into), array.ctypes.data, array.nbytes, runtime.memcpyHostToDevice)
        self.seconds["transfer"] += time.perf_counter() - began

    def collect_times(self) -> None:
        """Wait until the GPU is done, and add up the times of its kernels."""
        self.xp.cuda.Device().synchronize()
        for part, began, ended in self._events:
            self.seconds[part] += self.xp.cuda.get_elapsed_time(began, ended) / 1000
        self._events.clear()

    def run(self, kernel: str, *arguments: Any) -> None:
        if kernel not in self._kernels:
            self._kernels[kernel] = self._module.get_function(kernel)
        began, ended = self.xp.cuda.Event(), self.xp.cuda.Event()
        began.record()
        self._kernels[kernel](self._grid, (_THREADS,), arguments)
        ended.record()
        self._events.append((_PART_OF.get(kernel.partition("_by_")[0], "layout"), began, ended))
        if len(self._events) > 1 << 14:
            self.collect_times()


@dataclass(slots=True)
class _Kept:
    """The planes of a solved pair that are still to be read, by their numbers; or where they can be found."""

    pair: PairId
    classes: tuple[ClassCounts, ...]
    planes: dict[int, Any] = field(default_factory=dict)  # on the GPU, or a `HostPlane`
    stored: StoredPair | None = None

    @property
    def needed(self) -> range:
        """The numbers of all planes that are read: with no marks of the smaller side, plane 0 is not."""
        return range(0 if self.pair[1] else 1, len(self.classes))


class CudaEngine:
    """Solves pairs one after the other on a GPU.

    Every plane is read exactly once, by the pair that one mark fewer leads to. Until then it waits on the
    GPU. Where that has no room for two layers, it waits on the host: a pair is alone on the GPU, its planes
    are copied before the next one is solved, and one is copied back when it is read.
    """

    pairs_at_once = 1

    def __init__(self, rules: Quixo, device: Device, budget: int | None = None) -> None:
        """Use so many bytes of the GPU's memory, by default all that is free.

        :raises InarowError: if it is too little.
        """
        room, says = device.free_bytes, f"{device.name} has {{}} free"
        if budget is not None and budget <= room:
            room, says = budget, "--gpu-memory allows {}"
        needed, self.streams = gpu_memory_within(rules, room)
        if needed > room:
            raise InarowError(
                f"{rules.size_text} needs {size_text(needed)} of GPU memory; {says.format(size_text(room))}"
            )
        self.name = device.name
        self._device = device
        self._solver = GpuPairSolver(rules, device, frugal=self.streams)
        self._last: _Kept | None = None  # the pair that was solved last, unless it is not needed any more
        self._entries: Any = None  # of that pair

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, _Kept], room: int = 0
    ) -> Generator[Solved]:
        for a, b in pairs:
            self._make_room()
            larger = self._source(above.get((a + 1, b)), 1)
            smaller = self._source(above.get((a, b + 1)), 0) if a > b else None
            self._entries, histograms = self._solver.solve_from(a, b, larger, smaller)
            kept = self._last = _Kept((a, b), class_counts(a, b, histograms))
            if not self.streams:
                kept.planes = dict(enumerate(self._solver.planes(a, b, self._entries)))
            yield Solved(kept, kept.classes, self._memory(kept), partial(self._give_up, kept))

    def load(self, stored: StoredPair) -> _Kept:
        """A pair of a table: on the GPU at once, or when one of its planes is needed."""
        kept = _Kept(stored.record.pair, stored.classes, stored=stored)
        if not self.streams:
            kept.planes = dict(enumerate(self._solver.planes(*kept.pair, self._restored(stored))))
        return kept

    def content(self, kept: _Kept) -> Content:
        """Of the pair that was solved last."""
        planes = self._solver.planes(*kept.pair, self._entries)
        return cut(self._device, planes, width_of_losses(kept.classes))

    def timing(self) -> Mapping[str, float]:
        """Seconds of the kernels by what they do, and of copies."""
        self._device.collect_times()
        return self._device.seconds

    def _memory(self, kept: _Kept) -> int:
        """Bytes of the host's memory that the planes of a pair will take."""
        if not self.streams:
            return 0
        entries = plane_entries(self._solver.rules, *kept.pair)
        return sum(entries * width_of(kept.classes[number]) for number in kept.needed)

    def _make_room(self) -> None:
        """Leave the GPU to the next pair, if there is room for one alone."""
        if self.streams and self._last is not None:
            self._copy(self._last, self._entries, self._last.needed)
        self._last = self._entries = None
        if self.streams:
            self._device.trim()

    def _give_up(self, kept: _Kept) -> None:
        """A pair is in its files: it can be read from there."""
        kept.planes.clear()
        if self._last is kept:
            self._last = None

    def _source(self, kept: _Kept | None, number: int) -> Source:
        """A plane of a pair, which it gives up; None if there is no such pair."""
        if kept is None:
            return None
        if number not in kept.planes:
            assert kept.stored is not None, "a plane is read once"
            self._copy(kept, self._restored(kept.stored), range(number, len(kept.classes)))
            self._device.trim()
        plane = kept.planes.pop(number)
        return lambda: to_device(self._device, plane) if isinstance(plane, HostPlane) else plane

    def _copy(self, kept: _Kept, entries: Any, numbers: range) -> None:
        """Copy planes of a pair to the host."""
        planes = self._solver.planes(*kept.pair, entries)
        for number in numbers:
            kept.planes[number] = from_device(self._device, planes[number], kept.classes[number])

    def _restored(self, stored: StoredPair) -> Any:
        """The entries of a pair of a table. The plies of wins, which it lacks, are found on the GPU.

        :raises DamagedFile: if a win cannot be one.
        """
        a, b = stored.record.pair
        xp, solver = self._device.xp, self._solver
        entries = xp.empty(entry_count(solver.rules, a, b), ENTRY)

        def read(pair: PairId, plane: int, into: Any) -> Any:
            """A plane without the plies of wins."""
            record = stored.other(pair)
            restore(self._device, plane_runs(stored.files, record, plane), record.width, into)
            return into

        def above(side: int) -> Source:
            if (side == 1 and a == b) or (found := plane_above(solver.rules, a, b, side)) is None:
                return None
            return lambda: read(*found, xp.empty(plane_entries(solver.rules, *found[0]), ENTRY))

        for plane, its in enumerate(solver.planes(a, b, entries)):
            read((a, b), plane, its)
        if not solver.restore_wins(a, b, entries, above(0), above(1)):
            raise DamagedFile(
                f"{stored.files.folder}: pair {{{a}, {b}}} has a win that no lost position follows"
            )
        return entries
