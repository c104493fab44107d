"""Quixo on a GPU, through CuPy, which compiles the kernels from their sources in the package."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.gpu_pairs import ENTRY, GpuPairSolver
from inarow.quixo.table.entries import Entries, widened
from inarow.quixo.table.pairs import PairId, pairs_of
from inarow.quixo.table.store import StoredPair

SOURCES = Path(__file__).parents[3] / "kernels"
_THREADS = 256
_STAGE = 1 << 28  # bytes copied to the host at a time, through pinned memory

# The part of the work that the time of a kernel is added to.
_PARTS = {
    "seed": "seeding",
    "mirror": "seeding",
    "visit": "check",
    "find_active": "check",
    "note": "scatter",
    "find_sources": "scatter",
    "follow": "scatter",
    "finish": "counting",
}


class CudaDevice:
    """The GPU that CuPy selects."""

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise InarowError(
                "solving on a GPU needs CuPy, which is not installed.\n"
                "Install it with: pip install 'inarow[cuda]'"
            ) from None
        try:
            cupy.cuda.runtime.getDevice()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise InarowError(f"there is no GPU to be found: {error}") from None
        self.xp: Any = cupy
        options = ("--std=c++17", f"-I{SOURCES}")
        module = cupy.RawModule(code=(SOURCES / "quixo.cu").read_text(), options=options, backend="nvrtc")
        self._kernel = {
            name: module.get_function(name)
            for name in (
                *("find_canonical", "find_lines", "find_steps"),
                *(what + by for what in ("seed", "mirror", "visit") for by in ("_by_warps", "_by_blocks")),
                *("find_active", "note", "find_sources", "follow", "finish"),
            )
        }
        self.seconds = dict.fromkeys((*_PARTS.values(), "layout", "transfer"), 0.0)
        self._events: list[tuple[str, Any, Any]] = []
        self._stage: Any = None
        processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
        self._grid = (processors * 8,)
        self._zeros: Any = cupy.zeros(0, np.uint32)
        self._active: Any = cupy.empty((2, 0), np.uint32)

    @property
    def name(self) -> str:
        properties = self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)
        return str(properties["name"].decode())

    @property
    def free_bytes(self) -> int:
        self.xp.get_default_memory_pool().free_all_blocks()
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

    def note(self, game: Any, pair: Any, round: int) -> None:
        for side in range(2):
            self._run("note", game, pair, np.int32(side), np.int32(round), self._zero())

    def follow(self, game: Any, pair: Any, round: int, grains: int) -> None:
        sources, counts = self._lists(grains), (self._zero(), self._zero())
        for side in range(2):
            self._run("find_sources", pair, np.int32(side), np.int32(round), sources[side], counts[side])
        for side in range(2):
            at = np.int32(side), np.int32(round)
            self._run("follow", game, pair, *at, sources[side], counts[side], self._zero())

    def _lists(self, size: int) -> Any:
        """Buffers for a list of blocks or grains of each side."""
        if self._active.shape[1] < size:
            self._active = self.xp.empty((2, size), np.uint32)
        return self._active

    def finish(self, pair: Any, side: int, orbits: Any, histogram: Any) -> None:
        self._run("finish", pair, np.int32(side), orbits, histogram)

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


class CudaEngine:
    """Solves pairs one after the other on a GPU, and keeps their entries there."""

    def __init__(self, rules: Quixo, device: CudaDevice | None = None) -> None:
        self._began = time.perf_counter()
        self._device = CudaDevice() if device is None else device
        self.name = self._device.name
        self._solver = GpuPairSolver(rules, self._device)
        self._require_memory(rules)

    def load(self, stored: StoredPair) -> Any:
        return self._device.xp.asarray(widened(cast("Entries", stored.open())))

    def content(self, kept: Any) -> Entries:
        return self._device.host(kept)

    def timing(self) -> Mapping[str, float]:
        """Seconds of the kernels by what they do, of copies to the host, and the rest: the host's own."""
        self._device.collect_times()
        seconds = self._device.seconds
        return {**seconds, "host": time.perf_counter() - self._began - sum(seconds.values())}

    def solve_layer(self, pairs: Sequence[PairId], above: Mapping[PairId, Any]) -> Iterator[Solved]:
        for a, b in pairs:
            smaller = above.get((a, b + 1)) if a > b else None
            entries, histograms = self._solver.solve(a, b, above.get((a + 1, b)), smaller)
            yield Solved(entries, class_counts(a, b, histograms))

    def _require_memory(self, rules: Quixo) -> None:
        """Two layers are kept at a time, and one plane more where both sides have as many marks."""
        layers: Counter[int] = Counter()
        for a, b in pairs_of(rules):
            layers[a + b] += self._solver.entries(a, b) + (self._solver.plane_entries(a, b) if a == b else 0)
        needed = max(layers[n] + layers[n + 1] for n in range(rules.cells + 1)) * ENTRY.itemsize
        free = self._device.free_bytes
        if needed > free:
            raise InarowError(
                f"{rules.size_text} needs {needed / 1e9:.1f} GB of GPU memory; "
                f"{self._device.name} has {free / 1e9:.1f} GB free"
            )
