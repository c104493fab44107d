"""Checks pairs on a GPU, through CuPy, with kernels that share no code with the solver's.

Threads read and unpack files ahead of the GPU, which turns what they find into entries of two bytes. The
planes that the pairs below will need stay on the GPU.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.cuda import compiled_module, cupy_with_gpu
from inarow.errors import InarowError
from inarow.verify.quixo.pair_files import PIECE, CompactPair, Run
from inarow.verify.quixo.report import Wrong
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import TableFiles

_SOURCES = Path(__file__).parents[2] / "kernels"
_THREADS = 256
_AHEAD = 3  # runs that are read ahead, for each thread
# The struct `Pair` of native/verify/quixo/gpu_check.hpp.
_PAIR = np.dtype(
    [
        *((name, np.int32) for name in ("a", "b")),
        *((name, np.uint32) for name in ("ranks", "ranks_larger", "ranks_smaller", "has_plies")),
        *((name, np.uint64) for name in ("blocks", "masks", "forms")),
        ("entries", np.uint64, 2),
        *((name, np.uint64) for name in ("larger", "smaller")),
    ]
)


class Device(Protocol):
    """Where the kernels run. Arrays are those of the device."""

    @property
    def free_bytes(self) -> int: ...

    def upload(self, array: NDArray[Any]) -> Any:
        """A copy on the device."""

    def empty(self, entries: int) -> Any:
        """An array of entries of two bytes."""

    def address(self, array: Any) -> int: ...

    def decode(self, run: Run, offsets: NDArray[np.uint64], entries: Any) -> None:
        """Entries of a run of pieces; `offsets` say where the plies of each begin."""

    def derive_wins(self, game: Any, pair: Any, plane: int) -> None:
        """Give the wins of a plane their plies."""

    def find_wrong(self, game: Any, pair: Any, plane: int, wins_derived: bool, entries: int) -> int:
        """The first of so many entries that is wrong, or their number."""

    def explain(self, game: Any, pair: Any, plane: int, index: int) -> int:
        """What is expected of an entry."""

    def count_values(self, pair: Any, plane: int, orbits: Any) -> NDArray[np.uint64]:
        """How many entries of blocks that stand for 1, 2, 4 and 8 positions have each value."""

    def value(self, entries: Any, index: int) -> int: ...


class CudaDevice:
    """The GPU that CuPy selects."""

    def __init__(self) -> None:
        cupy = self._xp = cupy_with_gpu()
        module = compiled_module(cupy, _SOURCES / "verify_quixo.cu")
        names = ("decode", "derive_wins", "check", "explain", "count_values")
        self._kernels = {name: module.get_function(name) for name in names}
        self._grid = (cupy.cuda.Device().attributes["MultiProcessorCount"] * 8,)

    @property
    def free_bytes(self) -> int:
        return int(self._xp.cuda.runtime.memGetInfo()[0])

    def upload(self, array: NDArray[Any]) -> Any:
        return self._xp.asarray(array)

    def empty(self, entries: int) -> Any:
        return self._xp.empty(entries, np.uint16)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def decode(self, run: Run, offsets: NDArray[np.uint64], entries: Any) -> None:
        arrays = self.upload(run.outcomes), self.upload(run.plies), self.upload(offsets)
        sizes = np.uint32(run.width), np.uint32(PIECE), np.uint64(run.entries)
        self._run("decode", *arrays, *sizes, entries)

    def derive_wins(self, game: Any, pair: Any, plane: int) -> None:
        self._run("derive_wins", game, pair, np.int32(plane), self._zeros(1), shared=game.nbytes)

    def find_wrong(self, game: Any, pair: Any, plane: int, wins_derived: bool, entries: int) -> int:
        wrong = self._xp.full(1, entries, np.uint64)
        flags = np.int32(plane), np.int32(wins_derived)
        self._run("check", game, pair, *flags, self._zeros(1), wrong, shared=game.nbytes)
        return int(wrong[0])

    def explain(self, game: Any, pair: Any, plane: int, index: int) -> int:
        expected = self._xp.empty(1, np.uint32)
        arguments = (game, pair, np.int32(plane), np.uint64(index), expected)
        self._kernels["explain"]((1,), (1,), arguments)
        return int(expected[0])

    def count_values(self, pair: Any, plane: int, orbits: Any) -> NDArray[np.uint64]:
        histogram = self._zeros(4 * 65536)
        self._run("count_values", pair, np.int32(plane), orbits, self._zeros(1), histogram)
        return cast("NDArray[np.uint64]", self._xp.asnumpy(histogram))

    def value(self, entries: Any, index: int) -> int:
        return int(entries[index])

    def _zeros(self, count: int) -> Any:
        return self._xp.zeros(count, np.uint64)

    def _run(self, name: str, *arguments: Any, shared: int = 0) -> None:
        self._kernels[name](self._grid, (_THREADS,), arguments, shared_mem=shared)


class GpuPair:
    """A pair on the device, ready to be checked."""

    def __init__(self, planes: GpuPlanes, a: int, b: int, entries: list[Any], above: list[Any]) -> None:
        self._owner, self.a, self.b, self.entries, self._above = planes, a, b, entries, above
        game, device = planes.table.rules.game, planes.device
        self._blocks = game.orbits(a).size
        self._ranks = planes.of_plane((a, b)) // self._blocks
        self._orbits = device.upload(game.orbits(a))
        self._masks = device.upload(game.masks(a))
        struct = np.zeros(1, _PAIR)
        struct["a"], struct["b"], struct["ranks"], struct["blocks"] = a, b, self._ranks, self._blocks
        struct["has_plies"] = planes.table.has_plies
        struct["masks"], struct["forms"] = device.address(self._masks), device.address(planes.forms)
        for number, plane in enumerate(entries):
            struct["entries"][0, number] = device.address(plane)
        for name, pair, plane in zip(
            ("larger", "smaller"), planes.table.rules.pairs_above(a, b), above, strict=True
        ):
            if pair:
                struct[name] = device.address(plane)
                struct[f"ranks_{name}"] = planes.of_plane(pair) // game.orbits(pair[0]).size
        self._struct = device.upload(struct.view(np.uint8))

    def derive_wins(self) -> None:
        for plane in range(len(self.entries)):
            self._owner.device.derive_wins(self._owner.game, self._struct, plane)

    def check(self, plane: int) -> Iterator[tuple[int, Wrong | None]]:
        owner, count = self._owner, self._blocks * self._ranks
        found = owner.device.find_wrong(
            owner.game, self._struct, plane, owner.table.leaves_win_plies_out, count
        )
        yield (count, None) if found == count else (found + 1, self._wrong(plane, found))

    def counts(self, plane: int) -> NDArray[np.uint64]:
        by_orbit = self._owner.device.count_values(self._struct, plane, self._orbits).reshape(4, -1)
        return np.array([1, 2, 4, 8], np.uint64) @ by_orbit

    def _wrong(self, plane: int, index: int) -> Wrong:
        owner = self._owner
        place = np.array([index], np.uint64)
        word = int(owner.table.rules.game.positions(self.a, self.b, bool(plane), place)[0])
        mover, other = word >> 32, word & 0xFFFFFFFF
        larger, smaller = (other, mover) if plane else (mover, other)
        stored = owner.device.value(self.entries[plane], index)
        expected = owner.device.explain(owner.game, self._struct, plane, index)
        return plane, index // self._ranks, index % self._ranks, larger, smaller, stored, expected


class GpuPlanes:
    """Loads pairs of a compact table onto a device; the same as `Planes` does for a CPU.

    `pairs` are those that will be loaded, in this order.
    """

    def __init__(self, table: TableFiles, device: Device, threads: int, pairs: list[Pair]) -> None:
        self.table, self.device = table, device
        if not table.manifest.compact:
            raise InarowError(
                "a GPU checks tables in the compact form only; `inarow quixo convert` makes one"
            )
        self._require_memory()
        self.game, self.forms = (
            device.upload(table.rules.game.for_gpu()),
            device.upload(table.rules.game.forms()),
        )
        self._reader = _Reader(
            table, threads, [(pair, plane) for pair in pairs for plane in self._planes(pair)]
        )
        self._waiting: dict[tuple[Pair, int], Any] = {}

    def _require_memory(self) -> None:
        """Two layers of entries have to fit."""
        layers: Counter[int] = Counter()
        for a, b in self.table.pairs:
            layers[a + b] += 2 * self.table.entry_count(a, b)
        needed = max(layers[marks] + layers[marks + 1] for marks in layers) + (4 << self.table.rules.cells)
        if needed > self.device.free_bytes:
            free = self.device.free_bytes / 1e9
            raise InarowError(f"this takes {needed / 1e9:.1f} GB of GPU memory; {free:.1f} GB are free")

    def close(self) -> None:
        self._reader.close()
        self._waiting.clear()

    def of_plane(self, pair: Pair) -> int:
        """The entries of a plane."""
        return self.table.entry_count(*pair) // len(self._planes(pair))

    def load(self, a: int, b: int) -> GpuPair:
        pairs_above = self.table.rules.pairs_above(a, b)
        above = [pair and self._above(pair, 1 - side) for side, pair in enumerate(pairs_above)]
        entries = [self._decoded((a, b), self._reader.runs((a, b), plane)) for plane in self._planes((a, b))]
        return self._derived(a, b, entries, above)

    def keep(self, a: int, b: int, pair: GpuPair) -> None:
        for below, plane in (((a, b - 1), 0), ((a - 1, b), 1)):
            if below in self.table.manifest.pairs:
                self._waiting[(a, b), plane] = pair.entries[plane]

    def _planes(self, pair: Pair) -> range:
        return range(1 if pair[0] == pair[1] else 2)

    def _above(self, pair: Pair, plane: int) -> Any:
        """A plane of a pair that was checked before; no other pair needs it again."""
        if (pair, plane) in self._waiting:
            return self._waiting.pop((pair, plane))
        # It was checked by a run that was interrupted. For the plies of its wins, only losses above matter.
        above = [
            more and self._read(more, 1 - side)
            for side, more in enumerate(self.table.rules.pairs_above(*pair))
        ]
        return self._derived(
            *pair, [self._read(pair, number) for number in self._planes(pair)], above
        ).entries[plane]

    def _derived(self, a: int, b: int, entries: list[Any], above: list[Any]) -> GpuPair:
        pair = GpuPair(self, a, b, entries, above)
        if self.table.leaves_win_plies_out:
            pair.derive_wins()
        return pair

    def _read(self, pair: Pair, plane: int) -> Any:
        files = cast(CompactPair, self.table.files(*pair))
        return self._decoded(pair, files.runs(plane, 1))

    def _decoded(self, pair: Pair, runs: Iterator[Run]) -> Any:
        entries = self.device.empty(self.of_plane(pair))
        for run in runs:
            offsets = np.zeros(-(-run.entries // PIECE), np.uint64)
            if run.width:
                losses = native.count_losses(run.outcomes, run.entries, 1)[:-1]
                np.cumsum(losses, out=offsets[1:], dtype=np.uint64)
                offsets *= np.uint64(run.width)
            self.device.decode(run, offsets, entries[run.first : run.first + run.entries])
        return entries


class _Reader:
    """Reads planes in a given order, some runs ahead of who asks for them."""

    def __init__(self, table: TableFiles, threads: int, planes: list[tuple[Pair, int]]) -> None:
        self._pool = ThreadPoolExecutor(threads)
        self._tasks = (
            (pair, plane, first)
            for pair, plane in planes
            for first in cast(CompactPair, table.files(*pair)).run_begins(plane)
        )
        self._table, self._ahead = table, _AHEAD * threads
        self._running: deque[tuple[tuple[Pair, int], Future[Run]]] = deque()

    def runs(self, pair: Pair, plane: int) -> Iterator[Run]:
        while True:
            while len(self._running) < self._ahead and (task := next(self._tasks, None)) is not None:
                of_pair, of_plane, first = task
                files = cast(CompactPair, self._table.files(*of_pair))
                self._running.append(((of_pair, of_plane), self._pool.submit(files.run, of_plane, first, 1)))
            if not self._running or self._running[0][0] != (pair, plane):
                return
            yield self._running.popleft()[1].result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
