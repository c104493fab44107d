"""The planes of a table in memory: those of the pair being checked, and those that other pairs will need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.memory import PROGRAM
from inarow.verify.quixo.pair_files import Plane
from inarow.verify.quixo.report import Wrong
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import TableFiles

_AT_ONCE = 1 << 22  # entries: between two calls of the checker a run can be interrupted
_PACKED = 0.35  # bytes that a byte of a code takes while it waits; less on 5×5
_FRAME = 1 << 17  # bytes that are packed together
_FRAMES_AT_ONCE = 1 << 11


class LoadedPair:
    """A pair ready to be checked: wins have their plies, and what its moves lead to is there."""

    def __init__(
        self, native_pair: native.Pair, a: int, planes: list[Plane], table: TableFiles, threads: int
    ) -> None:
        self.native, self.planes = native_pair, planes
        self._blocks = table.rules.game.orbits(a).size
        self._ranks = planes[0].codes.size // self._blocks
        self._wins_filled, self._threads = table.leaves_win_plies_out, threads

    def check(self, plane: int) -> Iterator[tuple[int, Wrong | None]]:
        """Check a plane, some blocks at a time: how many entries were checked, and the first wrong one."""
        for blocks in self.runs():
            yield self.native.check(plane, *blocks, self._wins_filled, self._threads)

    def counts(self, plane: int) -> NDArray[np.uint64]:
        """How many of the positions that were checked have each value, as an entry of two bytes."""
        return self.native.counts(plane)

    def runs(self) -> Iterator[tuple[int, int]]:
        """The blocks of a plane, some at a time: the first, and the one after the last."""
        step = max(1, _AT_ONCE // self._ranks)
        for first in range(0, self._blocks, step):
            yield first, min(first + step, self._blocks)


class Planes:
    """Loads pairs. Each is read once if they are taken in order.

    A solved pair is needed again by the two pairs from which a new mark leads to it: plane 1 by {a - 1, b},
    plane 0 by {a, b - 1}. In the compact form it waits for them packed: the plies of its wins are not in the
    files, and all planes with the same number of marks would not fit into memory as they are.
    """

    def __init__(self, table: TableFiles, threads: int) -> None:
        self._table, self._threads = table, threads
        self._waiting: dict[tuple[Pair, int], _PackedPlane] = {}

    def load(self, a: int, b: int) -> LoadedPair:
        try:
            return self._load(a, b, self._width(a, b))
        except native.NoCodeLeft:
            return self._load(a, b, 2)

    def keep(self, a: int, b: int, pair: LoadedPair) -> None:
        """Keep what the pairs below will need of a pair."""
        for below, number in (((a, b - 1), 0), ((a - 1, b), 1)):
            if self._table.manifest.compact and below in self._table.manifest.pairs:
                self._waiting[(a, b), number] = _PackedPlane(pair.planes[number], self._threads)

    def close(self) -> None:
        """Let go of what is kept."""
        self._waiting.clear()

    def _width(self, a: int, b: int) -> int:
        """The bytes of a code: those of all planes that belong together."""
        files = [pair for pair in ((a, b), *self._table.rules.pairs_above(a, b)) if pair]
        if self._table.manifest.compact:
            widths = [plane.width for (pair, _), plane in self._waiting.items() if pair in files]
            widths.append(_width_of_codes(self._table, (a, b)))
        else:
            widths = [self._table.listed(*pair).file.width for pair in files]
        return max(widths)

    def _load(self, a: int, b: int, width: int) -> LoadedPair:
        pairs_above = self._table.rules.pairs_above(a, b)
        above = [self._above(pair, 1 - side, width) for side, pair in enumerate(pairs_above)]
        loaded = self._put_together(a, b, width, above)
        self._fill_wins(a, b, loaded)
        for side, pair in enumerate(pairs_above):
            if pair:  # no other pair needs this plane
                self._waiting.pop((pair, 1 - side), None)
        return loaded

    def _above(self, pair: Pair | None, number: int, width: int) -> Plane | None:
        """A plane of a pair that was checked before."""
        if pair is None:
            return None
        waiting = self._waiting.get((pair, number))
        if waiting is not None:
            return waiting.unpacked(width, self._threads)
        if not self._table.leaves_win_plies_out:
            return self._read(pair, number, width)
        # It was checked by a run that was interrupted. For the plies of its wins, only losses above matter.
        above = [
            self._read(more, 1 - side, width) if more else None
            for side, more in enumerate(self._table.rules.pairs_above(*pair))
        ]
        loaded = self._put_together(*pair, width, above)
        self._fill_wins(*pair, loaded)
        return loaded.planes[number]

    def _put_together(self, a: int, b: int, width: int, above: list[Plane | None]) -> LoadedPair:
        planes = [self._read((a, b), number, width) for number in range(1 if a == b else 2)]
        if a == b:
            codes = np.empty_like(planes[0].codes)
            planes.append(Plane(codes, native.Plane(codes, planes[0].native)))
        game = self._table.rules.game
        both = cast(Any, [plane.native for plane in planes])
        more = cast(Any, [plane and plane.native for plane in above])
        pair = native.Pair(game, a, b, both, more, self._table.has_plies)
        loaded = LoadedPair(pair, a, planes, self._table, self._threads)
        if a == b:
            self.mirror(loaded)
        return loaded

    def mirror(self, pair: LoadedPair) -> None:
        """Copy changes of the plane of a = b to the one in which B is to move."""
        for first, last in pair.runs():
            pair.native.mirror(first, last, self._threads)

    def _fill_wins(self, a: int, b: int, pair: LoadedPair) -> None:
        if not self._table.leaves_win_plies_out:
            return
        for number in range(1 if a == b else 2):
            for first, last in pair.runs():
                pair.native.fill_wins(number, first, last, self._threads)
        if a == b:
            self.mirror(pair)

    def _read(self, pair: Pair, number: int, width: int) -> Plane:
        return self._table.files(*pair).plane(number, width, self._threads)


def memory_needed(table: TableFiles) -> int:
    """Bytes of memory that it takes to check a table on a CPU: an estimate."""
    rules, waiting, most = table.rules, 0.0, 0.0
    for a, b in table.pairs:
        of_plane = _entries_of_plane(table, (a, b))
        above = sum(_entries_of_plane(table, pair) for pair in rules.pairs_above(a, b) if pair)
        if not table.manifest.compact:
            most = max(most, (2 * of_plane + above) * table.listed(a, b).file.width)
            continue
        most = max(most, (2 * of_plane + above) * _width_of_codes(table, (a, b)) + waiting)
        kept = sum(of_plane for below in ((a, b - 1), (a - 1, b)) if below in table.manifest.pairs)
        waiting += (kept - above) * _PACKED * _width_of_codes(table, (a, b))
    return PROGRAM + (8 << rules.cells) + int(most)


def _entries_of_plane(table: TableFiles, pair: Pair) -> int:
    a, b = pair
    return table.entry_count(a, b) // (1 if a == b else 2)


def _width_of_codes(table: TableFiles, pair: Pair) -> int:
    """A guess by what the manifest says: the files decide."""
    values = (
        sum((wins > 0) + (losses > 0) for _, wins, losses in c.by_plies) for c in table.listed(*pair).classes
    )
    return 2 if max(values, default=0) > 250 else 1


class _PackedPlane:
    """A plane packed in memory."""

    def __init__(self, plane: Plane, threads: int) -> None:
        self._plane, self.width = plane.native, plane.codes.dtype.itemsize
        data = plane.codes.view(np.uint8)
        self._size, self._packed = data.size, []
        compressor = zstandard.ZstdCompressor(level=1)
        for first in range(0, data.size, _FRAME * _FRAMES_AT_ONCE):
            some = data[first : first + _FRAME * _FRAMES_AT_ONCE]
            begins = np.arange(0, some.size, _FRAME, dtype=np.uint64)
            segments = np.stack([begins, np.minimum(np.uint64(_FRAME), np.uint64(some.size) - begins)], 1)
            source = zstandard.BufferWithSegments(some.data, segments.tobytes())
            self._packed.append(compressor.multi_compress_to_buffer(source, threads=threads))

    def unpacked(self, width: int, threads: int) -> Plane:
        data = np.empty(self._size, np.uint8)
        decompressor = zstandard.ZstdDecompressor()
        for number, packed in enumerate(self._packed):
            parts = cast(Any, decompressor.multi_decompress_to_buffer(packed, threads=threads))
            first = number * _FRAME * _FRAMES_AT_ONCE
            for nth, part in enumerate(parts):
                begin = first + nth * _FRAME
                data[begin : begin + len(part)] = np.frombuffer(part, np.uint8)
        codes = data.view(f"u{self.width}")
        if width > self.width:
            codes = self._plane.values()[codes]
        return Plane(codes, native.Plane(codes, self._plane))
