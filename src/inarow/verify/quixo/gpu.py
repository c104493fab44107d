"""Checks pairs on a GPU, through CuPy, with kernels that share no code with the solver's.

Threads read and unpack files ahead of the GPU, which turns what they find into entries of two bytes. The
planes that the pairs below will need stay on the GPU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from inarow.cuda import compiled_module, cupy_with_gpu
from inarow.errors import InarowError
from inarow.verify.quixo.planes import Planes
from inarow.verify.quixo.report import Wrong
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import PIECE, TableFiles

_SOURCES = Path(__file__).parents[2] / "kernels"
_THREADS = 256
_NOTHING_WRONG = 2**64 - 1  # otherwise the first wrong entry << 17 | what is expected there
# The struct `Pair` of kernels/verify_quixo.cu.
_PAIR = np.dtype(
    [
        *((name, np.int32) for name in ("a", "b")),
        *((name, np.uint32) for name in ("ranks", "ranks_larger", "ranks_smaller", "has_plies")),
        *((name, np.uint64) for name in ("blocks", "masks", "forms")),
        ("entries", np.uint64, 2),
        *((name, np.uint64) for name in ("larger", "smaller")),
    ]
)


class CudaDevice:
    """The GPU that CuPy selects, and the kernels on it."""

    def __init__(self) -> None:
        self.xp = cupy_with_gpu()
        module = compiled_module(self.xp, _SOURCES / "verify_quixo.cu")
        names = ("decode", "derive_wins", "check", "count_values")
        self._kernels = {name: module.get_function(name) for name in names}
        self._grid = (self.xp.cuda.Device().attributes["MultiProcessorCount"] * 8,)

    @property
    def free_bytes(self) -> int:
        return int(self.xp.cuda.runtime.memGetInfo()[0])

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def to_host(self, array: Any) -> NDArray[np.uint64]:
        return cast("NDArray[np.uint64]", self.xp.asnumpy(array))

    def run(self, kernel: str, *arguments: Any) -> None:
        self._kernels[kernel](self._grid, (_THREADS,), arguments)


class GpuPair:
    """A pair on the device. Its wins have their plies."""

    def __init__(self, owner: GpuPlanes, pair: Pair, planes: list[Any], above: list[Any]) -> None:
        self.planes, self._above, self._device, self._game = planes, above, owner.device, owner.game
        rules = owner.table.rules
        game, xp, address = rules.game, owner.device.xp, owner.device.address
        self._orbits, self._masks = xp.asarray(game.orbits(pair[0])), xp.asarray(game.masks(pair[0]))
        blocks = self._orbits.size
        struct = np.zeros(1, _PAIR)
        struct["a"], struct["b"] = pair
        struct["ranks"], struct["blocks"] = game.of_plane(*pair) // blocks, blocks
        struct["has_plies"] = owner.table.has_plies
        struct["masks"], struct["forms"] = address(self._masks), address(owner.forms)
        struct["entries"][0, : len(planes)] = [address(plane) for plane in planes]
        pairs_above = rules.pairs_above(pair)
        for name, more, plane in zip(("larger", "smaller"), pairs_above, above, strict=True):
            if more:
                struct[name] = address(plane)
                struct[f"ranks_{name}"] = game.of_plane(*more) // game.orbits(more[0]).size
        self._struct = xp.asarray(struct.view(np.uint8))
        for number in range(len(planes) if owner.table.has_plies else 0):
            self._device.run("derive_wins", self._game, self._struct, np.int32(number), self._zeros(1))

    def check(self, plane: int) -> Iterator[tuple[int, Wrong | None]]:
        wrong = self._device.xp.full(1, _NOTHING_WRONG, np.uint64)
        self._device.run("check", self._game, self._struct, np.int32(plane), self._zeros(1), wrong)
        if int(wrong[0]) == _NOTHING_WRONG:
            yield self.planes[plane].size, None
            return
        index, expected = divmod(int(wrong[0]), 1 << 17)
        yield index + 1, (plane, index, int(self.planes[plane][index]), expected)

    def counts(self, plane: int) -> NDArray[np.uint64]:
        by_orbit = self._zeros(4 * 65536)
        self._device.run(
            "count_values", self._struct, np.int32(plane), self._orbits, self._zeros(1), by_orbit
        )
        return self._device.to_host(by_orbit).reshape(4, -1).T @ np.array([1, 2, 4, 8], np.uint64)

    def _zeros(self, count: int) -> Any:
        return self._device.xp.zeros(count, np.uint64)


class GpuPlanes(Planes):
    """Planes of entries of two bytes on a device, where they also wait."""

    def __init__(self, table: TableFiles, threads: int, pairs: list[Pair]) -> None:
        device = self.device = CudaDevice()
        self._require_memory(table)
        self.game = device.xp.asarray(table.rules.game.for_gpu())
        self.forms = device.xp.asarray(table.rules.game.forms())
        super().__init__(table, threads, pairs)

    def _require_memory(self, table: TableFiles) -> None:
        """Two layers of entries have to fit."""
        layers: Counter[int] = Counter()
        for a, b in table.pairs:
            layers[a + b] += 2 * table.rules.entry_count((a, b))
        needed = max(layers[marks] + layers[marks + 1] for marks in layers) + (4 << table.rules.cells)
        free = self.device.free_bytes
        if needed > free:
            raise InarowError(f"this takes {needed / 1e9:.1f} GB of GPU memory; {free / 1e9:.1f} GB are free")

    def width_of(self, pair: Pair) -> int:
        return 2

    def read(self, pair: Pair, plane: int, width: int) -> Any:
        entries = self.device.xp.empty(self.table.rules.game.of_plane(*pair), np.uint16)
        for run in self.reader.runs(pair, plane):
            offsets = (np.cumsum(run.losses) - run.losses) * run.width
            arrays = [self.device.xp.asarray(array) for array in (run.outcomes, run.plies, offsets)]
            sizes = np.uint32(run.width), np.uint32(PIECE), np.uint64(run.entries)
            self.device.run("decode", *arrays, *sizes, entries[run.first : run.first + run.entries])
        return entries

    def put_together(self, pair: Pair, planes: list[Any], above: list[Any]) -> Any:
        return GpuPair(self, pair, planes, above)

    def packed(self, plane: Any) -> Any:
        return plane

    def unpacked(self, waiting: Any, width: int) -> Any:
        return waiting
