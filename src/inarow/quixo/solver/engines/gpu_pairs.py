"""Solves pairs of Quixo with the kernels of kernels/quixo.cu, or with the same code on the CPU.

The device does the work and keeps the tables; this module decides which kernel runs when.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_board import Blocks, Device, GpuBoard, local_words, words_without

ENTRY = np.dtype(np.uint16)

# Puts a plane on the device when it is called; None if there is no such plane.
Source: TypeAlias = Callable[[], Any] | None

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
        ("without", "<u8"),
        ("ranks", _RANKS),
        ("more_ranks", _RANKS, (2,)),
        ("more", "<u8", (2,)),
        ("entries", "<u8", (2,)),
        ("news", "<u8", (2,)),
        ("open", "<u8", (2,)),
        ("due", "<u8", (2,)),
        ("grain_news", "<u8", (2,)),
        ("grain_due", "<u8", (2,)),
        ("lost", "<u8", (2,)),
        ("won", "<u8", (2,)),
        ("unwon", "<u8", (2,)),
        ("totals", "<u8"),
        ("decided", "<u8"),
        ("followed", "<u8"),
    ]
)


@dataclass(slots=True)
class _Pair:
    """A pair on the device."""

    a: int
    b: int
    fields: Any  # of the structure
    structure: Any  # what the kernels take: a copy of the fields
    blocks: int
    totals: Any
    decided: Any
    followed: Any
    kept: list[Any]  # arrays that only the structure points to
    above: list[Any] = field(default_factory=lambda: [None, None])  # the planes that it looks into


class _Progress:
    """What following rounds does: how many entries of each side are won, and how many may be lost."""

    def __init__(self, plane: int, followed: list[int]) -> None:
        """From the entries of a plane, and the counts on the device."""
        self._plane = plane
        self._followed = followed
        self._won, self._may_lose = followed[:2], followed[2:]
        self.recently = sum(self._won)  # won in the last two rounds: every other one decides losses

    def update(self, how: list[int], followed: list[int]) -> None:
        """After a round, or several that were followed in the same way."""
        before, self._followed = self._followed, followed
        won_before = sum(self._won)
        self._won = [followed[side] - before[side] for side in range(2)]
        self.recently = won_before + sum(self._won)
        for side in range(2):
            if how[side] & kernels.CHECK_ALL:
                self._may_lose[side] = followed[2 + side] - before[2 + side]

    def how(self, price: int) -> list[int]:
        """How to follow the next round on each side, if following a win takes as long as `price` checks."""
        # Looking for the entries to check takes time too.
        checked = [
            self._won[1 - side] * price > self._may_lose[side] + self._plane // 32 for side in range(2)
        ]
        return [
            kernels.CHECK_ALL * checked[side] + kernels.FOLLOW_WINS * (not checked[1 - side])
            for side in range(2)
        ]


class GpuPairSolver:
    """Solves one pair after the other; keeps on the device what pairs share."""

    # Once a round decides less than 1/scarce of a plane, following it is less work than visiting all blocks.
    scarce = 30
    # Following a win to the entries before it takes as long as checking whether so many entries are lost.
    price_of_a_win = 16
    few_wins = 1 << 16  # so many are followed in less time than it takes to ask how many there are

    def __init__(self, rules: Quixo, device: Device, *, frugal: bool = False) -> None:
        """If `frugal`, memory of the device is given back as soon as possible, which takes time."""
        self.rules = rules
        self.device = device
        self.board = GpuBoard(rules, device, frugal=frugal)

    def plane_entries(self, a: int, b: int) -> int:
        return self.board.plane_entries(a, b)

    def entries(self, a: int, b: int) -> int:
        """Entries stored for a pair: two planes, or one if a = b."""
        return self.plane_entries(a, b) * (1 if a == b else 2)

    def planes(self, a: int, b: int, entries: Any) -> list[Any]:
        """The one or two planes of a pair's entries."""
        size = self.plane_entries(a, b)
        return [entries[first : first + size] for first in range(0, entries.size, size)]

    def solve(self, a: int, b: int, larger: Any, smaller: Any) -> tuple[Any, list[NDArray[np.uint64]]]:
        """The entries of a pair, on the device, and the histogram of each of its planes.

        `larger` and `smaller` are the entries of {a+1, b} and {a, b+1} on the device, None where there is no
        such pair; for a = b, `smaller` is None.
        """
        # After a new mark of the larger side the smaller side is to move: plane 1.
        larger = None if larger is None else larger[self.plane_entries(a + 1, b) :]
        return self.solve_from(a, b, *(None if of is None else _already(of) for of in (larger, smaller)))

    def solve_from(
        self, a: int, b: int, larger: Source, smaller: Source
    ) -> tuple[Any, list[NDArray[np.uint64]]]:
        """As `solve`, from plane 1 of {a+1, b} and plane 0 of {a, b+1}, which need not be there together."""
        device, xp = self.device, self.device.xp
        entries = xp.empty(self.entries(a, b), ENTRY)
        pair, of_block = self._lay_out(a, b, entries), self.board.block_entries(a, b)
        for side, source in enumerate((larger, smaller)[: 1 if a == b else 2]):
            self._point_to(pair, side, source)
            device.seed(self.board.game, pair.structure, side, of_block)
            self._let_go(pair, side)
        if a == b:
            self._mirror(pair)
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

    def restore_wins(self, a: int, b: int, entries: Any, larger: Source, smaller: Source) -> bool:
        """Give wins their plies, in the entries of a pair that are complete but for them.

        `larger` and `smaller` are as for `solve_from`; they need no plies of wins either. Returns false if a
        win has no lost position after it, so that it cannot be one.
        """
        pair, of_block = self._lay_out(a, b, entries), self.board.block_entries(a, b)
        if a == b:
            self._mirror(pair)
        for side, source in enumerate((larger, smaller)[: 1 if a == b else 2]):
            self._point_to(pair, side, source)
            self.device.restore_wins(self.board.game, pair.structure, side, of_block)
            self._let_go(pair, side)
        return int(self.device.host(pair.totals)[0]) == 0

    def _lay_out(self, a: int, b: int, entries: Any) -> _Pair:
        """A pair as the kernels read it, so far without planes that it looks into."""
        device, xp, plane = self.device, self.device.xp, self.plane_entries(a, b)
        blocks, count = self.board.with_steps(a), int(self.board.blocks[a].masks.size)
        totals = xp.zeros(2, np.uint32)
        news, still_open = xp.zeros((2, count), np.uint32), xp.zeros((2, count), np.uint32)
        due = xp.zeros((2, count * kernels.DUE_WORDS), np.uint32)
        grains = count * -(-self.board.block_entries(a, b) // kernels.GRAIN)
        grain_news, grain_due = (
            xp.empty((2, grains), np.uint32),
            xp.empty((2, grains * kernels.DUE_WORDS), np.uint32),
        )
        decided, followed = xp.zeros(1, np.uint64), xp.zeros(4, np.uint64)
        words, without = (xp.asarray(made(self.rules.cells - a, b)) for made in (local_words, words_without))
        kept: list[Any] = [news, still_open, due, grain_news, grain_due, words, without]

        fields = np.zeros((), _PAIR)
        fields["blocks"] = fields["grown"] = self._structure_of(blocks)
        for name, array in (
            ("where", self.board.where),
            ("same", blocks.same),
            ("larger", blocks.larger),
            ("words", words),
            ("without", without),
            ("totals", totals),
            ("decided", decided),
            ("followed", followed),
        ):
            fields[name] = device.address(array)
        fields["ranks"] = self.board.ranks(self.rules.cells - a, b, kept)
        fields["entries"][0] = device.address(entries)
        if a > b:
            fields["entries"][1] = device.address(entries[plane:])
        for side in range(2):
            fields["news"][side] = device.address(news[side])
            fields["open"][side] = device.address(still_open[side])
            fields["due"][side] = device.address(due[side])
            fields["grain_news"][side] = device.address(grain_news[side])
            fields["grain_due"][side] = device.address(grain_due[side])
        return _Pair(a, b, fields, self._copied(fields), count, totals, decided, followed, kept)

    def _point_to(self, pair: _Pair, side: int, source: Source) -> None:
        """Have the new marks of a side looked up in a plane, which stays until it is let go."""
        if source is None:
            return
        pair.above[side] = source()
        m = self.rules.cells - pair.a
        if side == 0:
            pair.fields["grown"] = self._structure_of(self.board.blocks[pair.a + 1])
        ranks = (m - 1, pair.b) if side == 0 else (m, pair.b + 1)
        pair.fields["more_ranks"][side] = self.board.ranks(*ranks, pair.kept)
        pair.fields["more"][side] = self.device.address(pair.above[side])
        pair.structure = self._copied(pair.fields)

    def _let_go(self, pair: _Pair, side: int) -> None:
        """A plane is not looked into any more: its memory is free, if nothing else refers to it."""
        pair.above[side], pair.fields["more"][side] = None, 0
        if self.board.frugal:
            self.device.trim()

    def _mirror(self, pair: _Pair) -> None:
        """Give a pair with as many marks on both sides its plane 1, which is plane 0 seen from there."""
        mirrored = self.device.xp.empty(self.plane_entries(pair.a, pair.b), ENTRY)
        pair.kept.append(mirrored)
        pair.fields["entries"][1] = self.device.address(mirrored)
        pair.structure = self._copied(pair.fields)
        self.device.mirror(self.board.game, pair.structure, self.board.block_entries(pair.a, pair.b))

    def _structure_of(self, blocks: Blocks) -> tuple[int, ...]:
        return *map(self.device.address, (blocks.masks, blocks.lined, blocks.fixing)), blocks.masks.size

    def _copied(self, fields: Any) -> Any:
        return self.device.xp.asarray(np.frombuffer(fields.tobytes(), np.uint8).copy())

    def _make_published(self, pair: _Pair, entries: int) -> list[Any]:
        """The arrays in which blocks publish what is won and lost, for visits."""
        xp, address = self.device.xp, self.device.address
        bits = xp.empty((2, 2, pair.blocks * -(-entries // 32)), np.uint32)
        unwon = xp.empty((2, pair.blocks), np.uint32)
        for side in range(2):
            pair.fields["lost"][side], pair.fields["won"][side] = map(address, bits[side])
            pair.fields["unwon"][side] = address(unwon[side])
        pair.structure = self._copied(pair.fields)
        return [bits, unwon]

    def _decide(self, pair: _Pair, entries: int) -> None:
        """Run rounds until everything is decided that can be."""
        device, blocks, round, before, few = self.device, pair.blocks, 0, 0, 0
        published = self._make_published(pair, entries)
        device.publish(pair.structure, round)
        while few < 2 and round < kernels.MAX_PLIES:
            round += 1
            device.visit(self.board.game, pair.structure, round, blocks, entries)
            device.publish(pair.structure, round)
            so_far = int(device.host(pair.decided)[0])
            few = few + 1 if (so_far - before) * self.scarce < blocks * entries else 0
            before = so_far
            if self._is_over(pair, round):
                return
        published.clear()
        device.note(self.board.game, pair.structure, round)
        grains = blocks * -(-entries // kernels.GRAIN)
        progress = _Progress(blocks * entries, device.host(pair.followed).tolist())
        while round < kernels.MAX_PLIES:
            lively = progress.recently > max(self.few_wins, blocks * entries >> 10)
            how = progress.how(self.price_of_a_win if lively else 0)
            # Reading the progress takes longer than a late round, and rounds past the end do nothing.
            for _ in range(1 if lively else _ROUNDS_AT_ONCE):
                round += 1
                device.follow(self.board.game, pair.structure, round, how, grains)
            if self._is_over(pair, round):
                return
            progress.update(how, device.host(pair.followed).tolist())
        raise OverflowError(f"more than {kernels.MAX_PLIES} plies")

    def _is_over(self, pair: _Pair, round: int) -> bool:
        """Whether no later round can decide anything."""
        changed, last_due = self.device.host(pair.totals).tolist()
        return bool(changed < round and round >= last_due)


def _already(plane: Any) -> Source:
    """A plane that is on the device."""
    return lambda: plane
