"""Quixo on a GPU, through CuPy, which compiles the kernels from their sources in the package."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.cuda import compiled_module, cupy_with_gpu
from inarow.errors import DamagedFile, InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_needed
from inarow.quixo.solver.engines.gpu_pairs import ENTRY, GpuPairSolver, Source
from inarow.quixo.solver.engines.gpu_pieces import cut, restore
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content, plane_runs
from inarow.quixo.table.pairs import PairId, pairs_above
from inarow.quixo.table.store import StoredPair
from inarow.words import size_text

SOURCES = Path(__file__).parents[3] / "kernels"
_THREADS = 256
_STAGE = 1 << 28  # bytes copied to the host at a time, through pinned memory

# The part of the work that the time of a kernel is added to.
_PARTS = {
    "seed": "seeding",
    "mirror": "seeding",
    "visit": "check",
    "find_active": "check",
    "publish": "check",
    "note": "scatter",
    "find_sources": "scatter",
    "follow": "scatter",
    "finish": "counting",
    "pack_outcomes": "transfer",
    "gather_plies": "transfer",
    "restore_entries": "transfer",
    "restore_wins": "transfer",
    "narrow": "transfer",
    "widen": "transfer",
}

_BY_SIZE = ("seed", "mirror", "visit", "restore_wins")  # there is a kernel for small blocks and one for large


class CudaDevice:
    """The GPU that CuPy selects."""

    def __init__(self) -> None:
        cupy = self.xp = cupy_with_gpu()
        module = compiled_module(cupy, SOURCES / "quixo.cu")
        self._kernel = {
            name: module.get_function(name)
            for name in (
                *("find_canonical", "find_lines", "find_steps"),
                *(what + by for what in _BY_SIZE for by in ("_by_warps", "_by_blocks")),
                *("find_active", "publish", "note", "find_sources", "follow", "finish"),
                *("pack_outcomes", "gather_plies", "restore_entries", "narrow", "widen"),
            )
        }
        self.seconds = dict.fromkeys((*_PARTS.values(), "layout", "transfer"), 0.0)
        self._events: list[tuple[str, Any, Any]] = []
        self._stage: Any = None
        processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
        self._grid = (processors * 8,)
        self._zeros: Any = cupy.zeros(0, np.uint32)
        self._active: Any = cupy.empty((2, 0), np.uint32)

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
    def name(self) -> str:
        properties = self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)
        return str(properties["name"].decode())

    @property
    def free_bytes(self) -> int:
        self.trim()
        return int(self.xp.cuda.runtime.memGetInfo()[0])

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def host(self, array: Any) -> NDArray[Any]:
        if array.nbytes < 1 << 20:
            small: NDArray[Any] = self.xp.asnumpy(array)
            return small
        # Large ones are copied through pinned memory, which is several times as fast.
        self.collect_times()
        began = time.perf_counter()
        found = np.empty(array.shape, array.dtype)
        if self._stage is None:
            self._stage = np.frombuffer(self.xp.cuda.alloc_pinned_memory(_STAGE), np.uint8, _STAGE)
        into, source, runtime = found.reshape(-1).view(np.uint8), self.address(array), self.xp.cuda.runtime
        for first in range(0, into.size, _STAGE):
            count = min(_STAGE, into.size - first)
            runtime.memcpy(self._stage.ctypes.data, source + first, count, runtime.memcpyDeviceToHost)
            into[first : first + count] = self._stage[:count]
        self.seconds["transfer"] += time.perf_counter() - began
        return found

    def fetch(self, array: Any) -> NDArray[Any]:
        if array.nbytes == 0:
            return np.empty(array.shape, array.dtype)
        self.collect_times()
        began = time.perf_counter()
        runtime = self.xp.cuda.runtime
        try:
            # CuPy keeps what is freed, for arrays of exactly this size.
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

    def find_canonical(self, game: Any, found: Any) -> None:
        self._run("find_canonical", game, np.uint32(found.size), found)

    def find_lines(self, game: Any, masks: Any, lined: Any, fixing: Any) -> None:
        self._run("find_lines", game, masks, np.uint32(masks.size), lined, fixing)

    def find_steps(self, game: Any, masks: Any, where: Any, same: Any, larger: Any) -> None:
        self._run("find_steps", game, masks, np.uint32(masks.size), where, same, larger)

    def seed(self, game: Any, pair: Any, side: int, entries: int) -> None:
        self._run(f"seed{_by(entries)}", game, pair, np.int32(side), self._zero())

    def mirror(self, game: Any, pair: Any, entries: int) -> None:
        self._run(f"mirror{_by(entries)}", game, pair, self._zero())

    def visit(self, game: Any, pair: Any, round: int, blocks: int, entries: int) -> None:
        active = self._lists(blocks)[0]
        for side in range(2):
            count, at = self._zero(), (np.int32(side), np.int32(round))
            self._run("find_active", game, pair, *at, active, count)
            self._run(f"visit{_by(entries)}", game, pair, *at, active, count, self._zero())

    def publish(self, pair: Any, round: int) -> None:
        for side in range(2):
            self._run("publish", pair, np.int32(side), np.int32(round))

    def note(self, game: Any, pair: Any, round: int) -> None:
        for side in range(2):
            self._run("note", game, pair, np.int32(side), np.int32(round), self._zero())

    def follow(self, game: Any, pair: Any, round: int, how: Sequence[int], grains: int) -> None:
        sources, counts = self._lists(grains), (self._zero(), self._zero())
        at = [(np.int32(side), np.int32(round), np.uint32(how[side])) for side in range(2)]
        for side in range(2):
            self._run("find_sources", pair, *at[side], sources[side], counts[side])
        for side in range(2):
            self._run("follow", game, pair, *at[side], sources[side], counts[side], self._zero())

    def _lists(self, size: int) -> Any:
        """Buffers for a list of blocks or grains of each side."""
        if self._active.shape[1] < size:
            self._active = None  # it is free before the larger one is made
            self._active = self.xp.empty((2, size), np.uint32)
        return self._active

    def finish(self, pair: Any, side: int, orbits: Any, histogram: Any) -> None:
        self._run("finish", pair, np.int32(side), orbits, histogram)

    def restore_wins(self, game: Any, pair: Any, side: int, entries: int) -> None:
        self._run(f"restore_wins{_by(entries)}", game, pair, np.int32(side), self._zero())

    def pack_outcomes(self, entries: Any, packed: Any, lost: Any) -> None:
        self._run("pack_outcomes", entries, np.uint32(entries.size), packed, lost)

    def gather_plies(self, entries: Any, begins: Any, plies: Any, width: int) -> None:
        self._run("gather_plies", entries, np.uint32(entries.size), begins, plies, np.uint32(width))

    def restore_entries(self, packed: Any, begins: Any, plies: Any, width: int, entries: Any) -> None:
        size = np.uint32(entries.size)
        self._run("restore_entries", packed, size, begins, plies, np.uint32(width), entries)

    def narrow(self, entries: Any, numbers: Any, narrow: Any) -> None:
        self._run("narrow", entries, np.uint64(entries.size), numbers, narrow)

    def widen(self, narrow: Any, values: Any, entries: Any) -> None:
        self._run("widen", narrow, np.uint64(narrow.size), values, entries)

    def _run(self, name: str, *arguments: Any) -> None:
        began, ended = self.xp.cuda.Event(), self.xp.cuda.Event()
        began.record()
        self._kernel[name](self._grid, (_THREADS,), arguments)
        ended.record()
        self._events.append((_PARTS.get(name.partition("_by_")[0], "layout"), began, ended))
        if len(self._events) > 1 << 14:
            self.collect_times()

    def _zero(self) -> Any:
        """A counter at zero, from a supply: clearing one at a time would take as long as a kernel."""
        if self._zeros.size == 0:
            self._zeros = self.xp.zeros(4096, np.uint32)
        counter, self._zeros = self._zeros[:1], self._zeros[1:]
        return counter


def _by(entries: int) -> str:
    """The suffix of the kernels for blocks of so many entries."""
    return "_by_blocks" if entries > 1024 else "_by_warps"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A solved pair on the GPU."""

    a: int
    b: int
    entries: Any
    width: int = 0  # bytes that the plies of a loss take in a table


class CudaEngine:
    """Solves pairs one after the other on a GPU, and keeps their entries there."""

    pairs_at_once = 1

    def __init__(
        self,
        rules: Quixo,
        device: CudaDevice | None = None,
    ) -> None:
        self._device = CudaDevice() if device is None else device
        self.name = self._device.name
        require_gpu_memory(self._device, rules, gpu_memory_needed(rules))
        self._solver = GpuPairSolver(rules, self._device)

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, _Kept], room: int = 0
    ) -> Generator[Solved]:
        for a, b in pairs:
            larger = above[a + 1, b].entries if (a + 1, b) in above else None
            smaller = above[a, b + 1].entries if a > b and (a, b + 1) in above else None
            entries, histograms = self._solver.solve(a, b, larger, smaller)
            classes = class_counts(a, b, histograms)
            yield Solved(_Kept(a, b, entries, width_of_losses(classes)), classes)

    def load(self, stored: StoredPair) -> _Kept:
        """Copy a pair to the GPU. Its file lacks the plies of wins, which are found there."""
        return _Kept(*stored.record.pair, restored(self._device, self._solver, stored))

    def content(self, kept: _Kept) -> Content:
        return cut(self._device, self._solver.planes(kept.a, kept.b, kept.entries), kept.width)

    def timing(self) -> Mapping[str, float]:
        """Seconds of the kernels by what they do, and of copies."""
        self._device.collect_times()
        return self._device.seconds


def width_of_losses(classes: tuple[ClassCounts, ...]) -> int:
    """The bytes that the plies of a loss take in a table."""
    lost_in = (plies or 0 for counts in classes for plies, _, lost in counts.by_plies if lost)
    return 1 if max(lost_in, default=0) < 256 else 2


def restored(device: CudaDevice, solver: GpuPairSolver, stored: StoredPair) -> Any:
    """The entries of a pair of a table, on the device that the solver uses.

    The plies of wins, which the table lacks, are found there.

    :raises DamagedFile: if a win cannot be one.
    """
    a, b = stored.record.pair
    xp = device.xp
    entries = xp.empty(solver.entries(a, b), ENTRY)

    def read(pair: PairId, plane: int, into: Any) -> Any:
        """A plane without the plies of wins."""
        record = stored.other(pair)
        restore(device, plane_runs(stored.files, record, plane), record.width, into)
        return into

    def above(pair: PairId | None, plane: int) -> Source:
        if pair is None:
            return None
        return lambda: read(pair, plane, xp.empty(solver.plane_entries(*pair), ENTRY))

    for plane, its in enumerate(solver.planes(a, b, entries)):
        read((a, b), plane, its)
    larger, smaller = (*pairs_above(solver.rules, a, b), None, None)[:2]
    if not solver.restore_wins(a, b, entries, above(larger, 1), above(smaller, 0)):
        raise DamagedFile(f"{stored.files.folder}: pair {{{a}, {b}}} has a win that no lost position follows")
    return entries


def require_gpu_memory(device: CudaDevice, rules: Quixo, needed: int, budget: int | None = None) -> None:
    """Refuse what takes more bytes than the budget, or than the device has free."""
    room, says = device.free_bytes, f"{device.name} has {{}} free"
    if budget is not None and budget <= room:
        room, says = budget, "--gpu-memory allows {}"
    if needed > room:
        raise InarowError(
            f"{rules.size_text} needs {size_text(needed)} of GPU memory; {says.format(size_text(room))}"
        )
