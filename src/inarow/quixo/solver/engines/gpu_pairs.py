"""Solves pairs of Quixo with the kernels of kernels/quixo.cu, or with the same code on the CPU.

The device does the work and keeps the tables; this module decides which kernel runs when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_board import Device, GpuBoard, local_words

ENTRY = np.dtype(np.uint16)

_ROUNDS_AT_ONCE = 8

# As in native/quixo/gpu_work.hpp.
_BLOCKS = np.dtype([("masks", "<u8"), ("lined", "<u8"), ("fixing", "<u8"), ("count", "<u8")])
_RANKS = np.dtype([("low", "<u8"), ("high", "<u8"), ("low_bits", "<u4"), ("entries", "<u4")])
_PAIR = np.dtype(
    [
        ("blocks", _BLOCKS),
        ("grown", _BLOCKS),
        ("where", "<u8"),
        ("same", "<u8"),
        ("larger", "<u8"),
        ("words", "<u8"),
        ("ranks", _RANKS),
        ("more_ranks", _RANKS, (2,)),
        ("more", "<u8", (2,)),
        ("entries", "<u8", (2,)),
        ("news", "<u8", (2,)),
        ("open", "<u8", (2,)),
        ("due", "<u8", (2,)),
        ("grain_news", "<u8", (2,)),
        ("grain_due", "<u8", (2,)),
        ("totals", "<u8"),
        ("decided", "<u8"),
    ]
)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair on the device."""

    structure: Any  # what the kernels take
    blocks: int
    totals: Any
    decided: Any
    kept: list[Any]  # arrays that only the structure points to


_FORCED = np.dtype(
    [
        ("plies", "<u8", (2,)),
        ("more", "<u8", (2,)),
        ("changed", "<u8"),
        ("balanced", "<u4"),
        ("padding", "<u4"),
    ]
)


class SurveyedPlane(NamedTuple):
    """The counts of native/quixo/gpu_survey.hpp; how many positions its lists have, and the first of them."""

    counts: list[int]
    listed: list[int]
    positions: list[NDArray[np.uint64]]


class GpuPairSolver:
    """Solves one pair after the other; keeps on the device what pairs share."""

    # Once a round decides less than 1/scarce of a plane, following it is less work than visiting all blocks.
    scarce = 30

    def __init__(self, rules: Quixo, device: Device) -> None:
        self.rules = rules
        self.device = device
        self.board = GpuBoard(rules, device)

    def plane_entries(self, a: int, b: int) -> int:
        return self.board.plane_entries(a, b)

    def entries(self, a: int, b: int) -> int:
        """Entries stored for a pair: two planes, or one if a = b."""
        return self.plane_entries(a, b) * (1 if a == b else 2)

    def solve(self, a: int, b: int, larger: Any, smaller: Any) -> tuple[Any, list[NDArray[np.uint64]]]:
        """The entries of a pair, on the device, and the histogram of each of its planes.

        `larger` and `smaller` are the entries of {a+1, b} and {a, b+1} on the device, None where there is no
        such pair; for a = b, `smaller` is None.
        """
        device, xp = self.device, self.device.xp
        entries = xp.empty(self.entries(a, b), ENTRY)
        # After a new mark of the larger side the smaller side is to move: plane 1.
        larger = None if larger is None else larger[self.plane_entries(a + 1, b) :]
        pair = self._lay_out(a, b, entries, larger, smaller)
        of_block = self.board.block_entries(a, b)
        device.seed(self.board.game, pair.structure, 0, of_block)
        if a == b:
            device.mirror(self.board.game, pair.structure, of_block)
        else:
            device.seed(self.board.game, pair.structure, 1, of_block)
        try:
            self._decide(pair, of_block)
        except OverflowError as error:
            raise OverflowError(f"pair {{{a}, {b}}}: {error}") from None
        histograms = []
        for side in range(1 if a == b else 2):
            histogram = xp.zeros(1 << 16, np.uint64)
            device.finish(pair.structure, side, self.board.blocks[a].orbits, histogram)
            histograms.append(device.host(histogram))
        return entries, histograms

    def restore_wins(self, a: int, b: int, entries: Any, larger: Any, smaller: Any) -> bool:
        """Give wins their plies, in the entries of a pair that are complete but for them.

        `larger` is plane 1 of {a+1, b}, `smaller` plane 0 of {a, b+1}, None as for `solve`; they need no
        plies of wins either. Returns false if a win has no lost position after it, so that it cannot be one.
        """
        pair, of_block = self._lay_out(a, b, entries, larger, smaller), self.board.block_entries(a, b)
        if a == b:
            self.device.mirror(self.board.game, pair.structure, of_block)
        for side in range(1 if a == b else 2):
            self.device.restore_wins(self.board.game, pair.structure, side, of_block)
        return int(self.device.host(pair.totals)[0]) == 0

    def survey(
        self, a: int, b: int, entries: Any, larger: Any, smaller: Any, room: int
    ) -> list[SurveyedPlane]:
        """Look at every move of every position of a solved pair; the other arguments are as for `solve`.

        Up to `room` positions of each list are kept.
        """
        device, xp = self.device, self.device.xp
        larger = None if larger is None else larger[self.plane_entries(a + 1, b) :]
        pair, of_block = self._lay_out(a, b, entries, larger, smaller), self.board.block_entries(a, b)
        if a == b:
            device.mirror(self.board.game, pair.structure, of_block)
        planes = []
        for side in range(1 if a == b else 2):
            counts, listed = (
                xp.zeros(kernels.SURVEY_COUNTS, np.uint64),
                xp.zeros(kernels.SURVEY_LISTS, np.uint32),
            )
            positions = xp.empty((kernels.SURVEY_LISTS, room), np.uint64)
            orbits = self.board.blocks[a].orbits
            device.survey(self.board.game, pair.structure, side, orbits, counts, positions, listed, of_block)
            numbers, every = device.host(listed).tolist(), device.host(positions)
            kept = [np.sort(of_list[:number]) for of_list, number in zip(every, numbers, strict=True)]
            planes.append(SurveyedPlane(device.host(counts).tolist(), numbers, kept))
        return planes

    def force(
        self, a: int, b: int, entries: Any, larger: Any, smaller: Any, above: Sequence[Any]
    ) -> tuple[Any, list[NDArray[np.uint64]]]:
        """How many plies of only moves begin in each entry of a solved pair, and a histogram of each plane.

        A byte each: 0 where no single move keeps a draw, `FORCED_FOR_EVER` where they never end. `above` are
        those of the pairs {a+1, b} and {a, b+1}; the other arguments are as for `solve`.
        """
        device, xp, plane = self.device, self.device.xp, self.plane_entries(a, b)
        first_plane_above = 0 if larger is None else self.plane_entries(a + 1, b)
        pair = self._lay_out(a, b, entries, None if larger is None else larger[first_plane_above:], smaller)
        plies, changed, orbits = (
            xp.empty(entries.size, np.uint8),
            xp.zeros(1, np.uint32),
            self.board.blocks[a].orbits,
        )
        sides = range(1 if a == b else 2)
        planes = [plies[side * plane : (side + 1) * plane] for side in sides]
        forced = np.zeros((), _FORCED)
        forced["plies"][: len(planes)] = [device.address(its) for its in planes]
        grown, added = above
        if grown is not None:
            forced["more"][0] = device.address(grown[first_plane_above:])
        if added is not None:
            forced["more"][1] = device.address(added)
        forced["changed"], forced["balanced"] = device.address(changed), a == b
        structure, first = xp.asarray(np.frombuffer(forced.tobytes(), np.uint8).copy()), True
        while True:
            changed[:] = 0
            for side in sides:
                device.force(self.board.game, pair.structure, structure, side, first, plane)
            if not int(device.host(changed)[0]):
                break
            first = False
        plies[plies == kernels.FORCED_OPEN] = kernels.FORCED_FOR_EVER
        histograms = []
        for its in planes:
            histogram = xp.zeros(256, np.uint64)
            orbits = self.board.blocks[a].orbits
            device.count_bytes(its, self.board.block_entries(a, b), orbits, histogram)
            histograms.append(device.host(histogram))
        return plies, histograms

    def _lay_out(self, a: int, b: int, entries: Any, larger: Any, smaller: Any) -> _Pair:
        """A pair as the kernels read it, with the planes it looks into, or None."""
        device, xp, plane = self.device, self.device.xp, self.plane_entries(a, b)
        blocks, count = self.board.with_steps(a), int(self.board.blocks[a].masks.size)
        scratch = xp.empty(plane if a == b else 0, ENTRY)
        totals = xp.zeros(2, np.uint32)
        news, still_open = xp.zeros((2, count), np.uint32), xp.zeros((2, count), np.uint32)
        due = xp.zeros((2, count * kernels.DUE_WORDS), np.uint32)
        grains = count * -(-self.board.block_entries(a, b) // kernels.GRAIN)
        grain_news, grain_due = (
            xp.empty((2, grains), np.uint32),
            xp.empty((2, grains * kernels.DUE_WORDS), np.uint32),
        )
        decided = xp.zeros(1, np.uint64)
        m = self.rules.cells - a
        words = xp.asarray(local_words(m, b))
        kept: list[Any] = [scratch, news, still_open, due, grain_news, grain_due, words]

        pair = np.zeros((), _PAIR)
        grown = self.board.blocks[a + 1] if larger is not None else blocks
        for field, of in (("blocks", blocks), ("grown", grown)):
            pair[field] = (*map(device.address, (of.masks, of.lined, of.fixing)), of.masks.size)
        for field, array in (
            ("where", self.board.where),
            ("same", blocks.same),
            ("larger", blocks.larger),
            ("words", words),
            ("totals", totals),
            ("decided", decided),
        ):
            pair[field] = device.address(array)
        pair["ranks"] = self.board.ranks(m, b, kept)
        if larger is not None:
            pair["more_ranks"][0] = self.board.ranks(m - 1, b, kept)
            pair["more"][0] = device.address(larger)
        if smaller is not None:
            pair["more_ranks"][1] = self.board.ranks(m, b + 1, kept)
            pair["more"][1] = device.address(smaller)
        pair["entries"][0] = device.address(entries)
        pair["entries"][1] = device.address(scratch if a == b else entries[plane:])
        for side in range(2):
            pair["news"][side] = device.address(news[side])
            pair["open"][side] = device.address(still_open[side])
            pair["due"][side] = device.address(due[side])
            pair["grain_news"][side] = device.address(grain_news[side])
            pair["grain_due"][side] = device.address(grain_due[side])
        on_device = xp.asarray(np.frombuffer(pair.tobytes(), np.uint8).copy())
        return _Pair(on_device, count, totals, decided, kept)

    def _decide(self, pair: _Pair, entries: int) -> None:
        """Run rounds until everything is decided that can be."""
        device, blocks, round, before, few = self.device, pair.blocks, 0, 0, 0
        while round < kernels.MAX_PLIES:
            if few < 2:
                round += 1
                device.visit(self.board.game, pair.structure, round, blocks, entries)
                so_far = int(device.host(pair.decided)[0])
                few = few + 1 if (so_far - before) * self.scarce < blocks * entries else 0
                before = so_far
                if few == 2:
                    device.note(self.board.game, pair.structure, round)
            else:
                # Reading the progress takes longer than a late round, and rounds past the end do nothing.
                grains = blocks * -(-entries // kernels.GRAIN)
                for _ in range(_ROUNDS_AT_ONCE):
                    round += 1
                    device.follow(self.board.game, pair.structure, round, grains)
            changed, last_due = device.host(pair.totals).tolist()
            if changed < round and round >= last_due:
                return
        raise OverflowError(f"more than {kernels.MAX_PLIES} plies")
