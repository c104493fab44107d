"""Pairs of a table in memory: those being checked, and planes that other pairs will need."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.memory import PROGRAM
from inarow.verify.quixo.report import Wrong
from inarow.verify.quixo.rules import Pair, planes_of
from inarow.verify.quixo.table_files import Reader, Run, TableFiles

_AT_ONCE = 1 << 22  # entries: between two calls of the checker a run can be interrupted
_PACKED = 0.35  # bytes that a byte of a code takes while it waits; less on 5×5
_PART = 1 << 18  # bytes that are packed together


class _Plane(NamedTuple):
    """The codes of a plane, and the same for the checker, which knows what they stand for."""

    codes: NDArray[Any]
    native: native.Plane


class _Packed(NamedTuple):
    parts: list[bytes]
    width: int  # bytes of a code
    like: native.Plane  # which keeps what codes stand for, and an array of none


class CpuPair:
    """A pair ready to be checked: wins have their plies, and what its moves lead to is there."""

    def __init__(
        self, table: TableFiles, pair: Pair, planes: list[_Plane], above: list[_Plane | None], threads: int
    ) -> None:
        game, self.planes, self._threads = table.rules.game, planes, threads
        blocks = game.orbits(pair[0]).size
        step = max(1, _AT_ONCE // (game.of_plane(*pair) // blocks))
        self._runs = [(first, min(first + step, blocks)) for first in range(0, blocks, step)]  # of blocks
        both = [plane.native for plane in planes]
        if len(both) == 1:
            both.append(native.Plane(np.empty_like(planes[0].codes), both[0]))
        more = [plane and plane.native for plane in above]
        self._native = native.Pair(game, *pair, both, more, table.has_plies)
        self._mirror()
        if table.has_plies:
            for number, run in product(planes_of(pair), self._runs):
                self._native.fill_wins(number, *run, threads)
            self._mirror()

    def check(self, plane: int) -> Iterator[tuple[int, Wrong | None]]:
        """Check a plane, some entries at a time: how many were checked, and the first wrong one."""
        return (self._native.check(plane, *run, self._threads) for run in self._runs)

    def counts(self, plane: int) -> NDArray[np.uint64]:
        """How many positions have each value, as an entry of two bytes."""
        return self._native.counts(plane, self._threads)

    def derive(self) -> Iterator[None]:
        """Mark what follows from the end of the game, some entries at a time."""
        new = 1
        while new:
            new = 0
            for plane, run in product(range(len(self.planes)), self._runs):
                new += self._native.derive(plane, *run, self._threads)
                yield
            self._mirror()

    def find_underived(self) -> Wrong | None:
        return self._native.find_underived()

    def _mirror(self) -> None:
        """With as many marks on both sides: make the plane that is not stored."""
        for run in self._runs if len(self.planes) == 1 else ():
            self._native.mirror(*run, self._threads)


class Planes:
    """Loads pairs. Each is read once if they are taken in the order of `pairs`.

    A pair waits for those from which a new mark leads to it: plane 1 for {a - 1, b}, plane 0 for {a, b - 1}.
    The plies of its wins are not in the files. It waits packed, or a layer would not fit into memory.
    """

    def __init__(self, table: TableFiles, threads: int, pairs: list[Pair]) -> None:
        self.table, self.threads = table, threads
        self.reader = Reader(table, threads, pairs)
        self.waiting: dict[tuple[Pair, int], Any] = {}

    def load(self, pair: Pair) -> Any:
        try:
            loaded = self._load(pair, self.width_of(pair))
        except native.NoCodeLeft:
            loaded = self._load(pair, 2)
        for above, plane in self._above(pair):  # no other pair needs them
            self.waiting.pop((above, plane), None)
        return loaded

    def keep(self, pair: Pair, loaded: Any) -> None:
        """Keep what the pairs below will need of a pair."""
        a, b = pair
        for below, plane in (((a, b - 1), 0), ((a - 1, b), 1)):
            if below in self.table.manifest.pairs:
                self.waiting[pair, plane] = self.packed(loaded.planes[plane])

    def close(self) -> None:
        """Let go of what is kept."""
        self.reader.close()
        self.waiting.clear()

    def _above(self, pair: Pair) -> list[tuple[Pair, int]]:
        """The planes that a new mark leads to."""
        pairs = self.table.rules.pairs_above(pair)
        return [(above, 1 - side) for side, above in enumerate(pairs) if above]

    def _load(self, pair: Pair, width: int, *, losses_above: bool = False) -> Any:
        above: list[Any] = [None, None]
        for more, plane in self._above(pair):
            if losses_above:  # for the plies of wins only losses above matter: as the files have them
                above[1 - plane] = self.read(more, plane, width)
            elif (more, plane) in self.waiting:
                above[1 - plane] = self.unpacked(self.waiting[more, plane], width)
            elif self.table.has_plies:  # a run that was interrupted checked it
                above[1 - plane] = self._load(more, width, losses_above=True).planes[plane]
            else:
                above[1 - plane] = self.read(more, plane, width)
        return self.put_together(pair, [self.read(pair, plane, width) for plane in planes_of(pair)], above)

    # What a GPU does in its own way.

    def width_of(self, pair: Pair) -> int:
        """The bytes of a code; `native.NoCodeLeft` is raised where one turns out to be too few."""
        waiting: list[int] = [
            self.waiting[above].width for above in self._above(pair) if above in self.waiting
        ]
        return max([_width_of_codes(self.table, pair), *waiting])

    def read(self, pair: Pair, plane: int, width: int) -> Any:
        """A plane as it is in the files."""
        codes: NDArray[Any] = np.empty(self.table.rules.game.of_plane(*pair), f"u{width}")
        found = _Plane(codes, native.Plane(codes))

        def decode(run: Run) -> None:
            found.native.decode(run.outcomes, run.plies, run.width, run.first, run.entries)

        for _ in self.reader.pool.map(decode, self.reader.runs(pair, plane)):
            pass
        return found

    def put_together(self, pair: Pair, planes: list[Any], above: list[Any]) -> Any:
        return CpuPair(self.table, pair, planes, above, self.threads)

    def packed(self, plane: Any) -> Any:
        """A plane as it waits."""
        data = plane.codes.view(np.uint8)
        parts = self.reader.pool.map(
            lambda at: zstandard.ZstdCompressor(level=1).compress(data[at : at + _PART].data),
            range(0, data.size, _PART),
        )
        none: NDArray[Any] = np.empty(0, plane.codes.dtype)
        return _Packed(list(parts), plane.codes.itemsize, native.Plane(none, plane.native))

    def unpacked(self, waiting: Any, width: int) -> Any:
        sizes = [zstandard.frame_content_size(part) for part in waiting.parts]
        data = np.empty(sum(sizes), np.uint8)

        def unpack(nth: int) -> None:
            part = zstandard.ZstdDecompressor().decompress(waiting.parts[nth])
            data[nth * _PART : nth * _PART + len(part)] = np.frombuffer(part, np.uint8)

        for _ in self.reader.pool.map(unpack, range(len(sizes))):
            pass
        codes: NDArray[Any] = data.view(f"u{waiting.width}")
        if width > waiting.width:
            codes = waiting.like.values()[codes]
        return _Plane(codes, native.Plane(codes, waiting.like))


def memory_needed(table: TableFiles) -> int:
    """Bytes of memory that it takes to check a table on a CPU: an estimate."""
    rules, waiting, most = table.rules, 0.0, 0.0
    for a, b in table.pairs:
        of_plane = rules.game.of_plane(a, b)
        above = sum(rules.game.of_plane(*pair) for pair in rules.pairs_above((a, b)) if pair)
        width = _width_of_codes(table, (a, b))
        most = max(most, (2 * of_plane + above) * width + waiting)
        kept = sum(of_plane for below in ((a, b - 1), (a - 1, b)) if below in table.manifest.pairs)
        waiting += (kept - above) * _PACKED * width
    return PROGRAM + (8 << rules.cells) + int(most)


def _width_of_codes(table: TableFiles, pair: Pair) -> int:
    """A guess by what the manifest says: the files decide."""
    classes = table.manifest.pairs[pair].classes
    values = (sum((wins > 0) + (losses > 0) for _, wins, losses in found.by_plies) for found in classes)
    return 2 if max(values, default=0) > 250 else 1
