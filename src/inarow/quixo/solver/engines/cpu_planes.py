"""The engine of the CPU for large boards with plies: it solves for the compact form, plane by plane.

Entries of two bytes would fit neither memory nor disk. A plane is kept as packed outcomes and plies of one
byte, and only the plane that is being looked into is in memory; what the table leaves out is in `Scratch`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from inarow._native.quixo import PliesSolver, Stop, WinPlies, lost_plies_of
from inarow.errors import DamagedFile
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.scratch import Plane, Scratch, planes_above
from inarow.quixo.solver.engines.side_by_side import pairs_at_once, side_by_side
from inarow.quixo.table.compact import CompactFiles, outcome_runs
from inarow.quixo.table.entries import LOSS, WIN, packed_size, unpack
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pairs import PairId, classes_of, entry_count
from inarow.quixo.table.pieces import PIECE
from inarow.quixo.table.store import PairInPieces, Run, StoredPair

_AT_ONCE = PIECE << 10  # entries whose losses are collected at a time


@dataclass(frozen=True, slots=True)
class _Kept:
    """A solved pair: its planes, or where to find them."""

    a: int
    b: int
    planes: tuple[Plane, ...] | None
    stored: StoredPair | None = None


class PlanesEngine:
    """Finds values and plies, and writes the compact form."""

    name = ""

    def __init__(
        self,
        rules: Quixo,
        threads: int | None = None,
        lanes: str = "auto",
        scratch: Scratch | None = None,
        *,
        small: int = 600,
    ) -> None:
        """Without `scratch`, solved pairs are kept in memory.

        Pairs whose blocks have fewer than `small` entries are solved entry by entry.
        """
        self._rules = rules
        self._threads = thread_count(threads)
        self.pairs_at_once = pairs_at_once(self._threads)
        self._solver = PliesSolver(rules.native, self._threads, lanes, small)
        self._scratch = scratch

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, _Kept], room: int = 0
    ) -> Generator[Solved]:
        def solve(pair: PairId, stop: Stop) -> Solved:
            a, b = pair

            def more(side: int) -> Plane:
                *of_pair, plane = planes_above(a, b, side)
                return self._plane(above[cast("PairId", tuple(of_pair))], plane)

            solved = self._solver.solve_narrow(a, b, more, stop) or self._solver.solve_wide(a, b, more, stop)
            if not solved:
                raise OverflowError(f"pair {{{a}, {b}}} takes more plies than can be held")
            planes = tuple(Plane(outcomes, plies) for outcomes, plies, _ in solved)
            classes = class_counts(a, b, [histogram for _, _, histogram in solved])
            memory = sum(part.nbytes for plane in planes for part in plane)
            kept = _Kept(a, b, planes)
            return Solved(kept, classes, memory, partial(self._put_aside, kept))

        return side_by_side(pairs, solve, self.peak, room, self.pairs_at_once)

    def _put_aside(self, kept: _Kept) -> None:
        if self._scratch and kept.planes is not None:
            self._scratch.save(kept.a, kept.b, kept.planes)
            self._scratch.tidy()

    def load(self, stored: StoredPair) -> _Kept:
        return _Kept(*stored.record.pair, None, stored)

    def content(self, kept: _Kept) -> PairInPieces:
        assert kept.planes is not None
        width = max(_width(plane) for plane in kept.planes)
        values = outcome_runs(plane.outcomes for plane in kept.planes)
        size = sum(part.nbytes for plane in kept.planes for part in plane)
        return PairInPieces(width, values, _losses(kept.planes, width), size)

    def timing(self) -> Mapping[str, float]:
        return {}

    def peak(self, a: int, b: int) -> int:
        """Bytes of memory that solving a pair takes at most, with the plane it looks into."""
        inputs = 0
        if a + b < self._rules.cells:
            sides = (0, 1) if a > b else (0,)
            inputs = max(self._plane_size(*planes_above(a, b, side)[:2]) for side in sides)
        layout = 4 << self._rules.cells
        return layout + self._solver.memory(a, b, 1) + self.kept_size(a, b) + inputs

    def kept_size(self, a: int, b: int) -> int:
        """Bytes that a solved pair takes, unless it has very many plies."""
        return len(classes_of(a, b)) * self._plane_size(a, b)

    def _plane_size(self, a: int, b: int) -> int:
        entries = entry_count(self._rules, a, b) // len(classes_of(a, b))
        return entries + packed_size(entries)

    def _plane(self, kept: _Kept, number: int) -> Plane:
        """A plane with the plies of wins."""
        if kept.planes is not None:
            return kept.planes[number]
        found = self._scratch.load(kept.a, kept.b, number) if self._scratch else None
        if found is not None:
            return found
        assert kept.stored is not None
        return self._restored(kept.stored, number)

    def _restored(self, stored: StoredPair, number: int) -> Plane:
        """A plane from the table itself, where it was not kept: the plies of its wins are found once more."""
        a, b = stored.record.pair
        files = cast("CompactFiles", stored.files)
        finished = stored.finished or {pair.pair: pair for pair in Manifest.load(files.folder).pairs}
        plane = _losses_of(files, stored.record, number)
        other = plane if a == b else _losses_of(files, stored.record, 1 - number)
        more = None
        if a + b < self._rules.cells:
            larger, smaller, of_pair = planes_above(a, b, number)
            more = _losses_of(files, finished[larger, smaller], of_pair)
        wins = WinPlies(self._rules.native)
        blocks = wins.blocks(a)
        step = max(1, _AT_ONCE * blocks // plane.plies.size)  # blocks between two chances for Ctrl-C
        for first in range(0, blocks, step):
            last = min(first + step, blocks)
            if not wins.fill_plane(a, b, number, *plane, other, more, first, last, self._threads):
                raise DamagedFile(
                    f"{files.folder}: pair {{{a}, {b}}} has a win that no lost position follows"
                )
        return plane


def _losses_of(files: CompactFiles, record: PairRecord, number: int) -> Plane:
    """A plane of a table, with the plies of its losses alone."""
    entries = record.entries // record.planes
    most = max((counts.max_plies or 0 for counts in record.classes), default=0)
    plane = Plane(np.empty(packed_size(entries), np.uint8), np.zeros(entries, "u1" if most < 256 else "<u2"))
    at = 0
    for outcomes, lost in files.plane_runs(record, number):
        plane.outcomes[at // 4 : at // 4 + outcomes.data.size] = outcomes.data
        some = plane.plies[at : at + 4 * outcomes.data.size]
        codes = unpack(outcomes.data, some.size)
        if np.any(codes > WIN):
            raise DamagedFile(f"{files.folder}: pair {record.pair} has entries that mean nothing")
        some[codes == LOSS] = lost.data.view("u1" if record.width == 1 else "<u2")
        at += some.size
    return plane


def _width(plane: Plane) -> int:
    """The bytes that the plies of a plane's losses take."""
    if plane.plies.itemsize == 1:
        return 1
    return 1 if all(run.data.view("<u2").max(initial=0) < 256 for run in _losses((plane,), 2)) else 2


def _losses(planes: Sequence[Plane], width: int) -> Iterator[Run]:
    """The plies of the losses of each piece."""
    for outcomes, plies in planes:
        for first in range(0, plies.size, _AT_ONCE):
            some = plies[first : first + _AT_ONCE]
            lost, counts = lost_plies_of(outcomes[first // 4 : packed_size(first + some.size)], some, PIECE)
            yield Run(lost.astype(f"<u{width}", copy=False).view(np.uint8), counts * np.uint32(width))
