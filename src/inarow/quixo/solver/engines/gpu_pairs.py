"""Solves pairs of Quixo with the kernels of kernels/quixo.cu, or with the same code on the CPU.

The device does the work and keeps the tables; this module decides which kernel runs when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_board import (
    Blocks,
    Device,
    GpuBoard,
    local_words,
    plane_entries,
    words_without,
)
from inarow.quixo.table.pairs import entry_count

ENTRY = np.dtype(np.uint16)

# Puts a plane on the device when it is called; None if there is no such plane.
Source: TypeAlias = Callable[[], Any] | None

_ROUNDS_AT_ONCE = 8

# As in native/quixo/gpu_work.hpp.
_BLOCKS = np.dtype([("masks", "<u8"), ("lined", "<u8"), ("fixing", "<u8"), ("count", "<u8")])
_RANKS = np.dtype([("low", "<u8"), ("high", "<u8"), ("low_bits", "<u4"), ("entries", "<u4")])
_OF_SIDES = ("more", "entries", "news", "open", "due", "grain_news", "grain_due", "lost", "won", "unwon")
_PAIR = np.dtype(
    [
        ("blocks", _BLOCKS),
        ("grown", _BLOCKS),
        *((name, "<u8") for name in ("where", "same", "larger", "words", "without")),
        ("ranks", _RANKS),
        ("more_ranks", _RANKS, (2,)),
        *((name, "<u8", (2,)) for name in _OF_SIDES),
        *((name, "<u8") for name in ("totals", "decided", "followed")),
    ]
)


@dataclass(slots=True)
class _Pair:
    """A pair on the device."""

    a: int
    b: int
    fields: Any  # of the structure
    blocks: int
    of_block: int  # entries
    counters: tuple[Any, Any, Any]  # totals, decided and followed
    kept: list[Any]  # arrays that only the structure points to
    structure: Any = None  # what the kernels take: a copy of the fields
    above: list[Any] = field(default_factory=lambda: [None, None])  # the planes that it looks into

    @property
    def sides(self) -> range:
        """The planes that are seeded: for a = b, plane 1 is plane 0 seen from there."""
        return range(1 if self.a == self.b else 2)


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
        self._zeros: Any = device.xp.zeros(0, np.uint32)
        self._lists: Any = device.xp.empty((2, 0), np.uint32)

    def planes(self, a: int, b: int, entries: Any) -> list[Any]:
        """The one or two planes of a pair's entries."""
        size = plane_entries(self.rules, a, b)
        return [entries[first : first + size] for first in range(0, entries.size, size)]

    def solve_from(self, a: int, b: int, *above: Source) -> tuple[Any, list[NDArray[np.uint64]]]:
        """The entries of a pair, on the device, and the histogram of each of its planes.

        `above` is plane 1 of {a+1, b} and plane 0 of {a, b+1}, which need not be there together. For a = b
        the second is not looked into.
        """
        device, xp = self.device, self.device.xp
        entries = xp.empty(entry_count(self.rules, a, b), ENTRY)
        pair = self._lay_out(a, b, entries)
        for side in pair.sides:
            with self._looking_into(pair, side, above[side]):
                self._run("seed", pair, np.int32(side))
        if a == b:
            self._mirror(pair)
        try:
            self._decide(pair)
        except OverflowError as error:
            raise OverflowError(f"pair {{{a}, {b}}}: {error}") from None
        histograms = []
        for side in pair.sides:
            histogram = xp.zeros(1 << 16, np.uint64)
            device.run("finish", pair.structure, np.int32(side), self.board.blocks[a].orbits, histogram)
            histograms.append(device.host(histogram))
        return entries, histograms

    def solve(self, a: int, b: int, larger: Any, smaller: Any) -> tuple[Any, list[NDArray[np.uint64]]]:
        """The same from all entries of {a+1, b} and {a, b+1} on the device; for a = b, `smaller` is None."""
        # After a new mark of the larger side the smaller side is to move: plane 1.
        larger = None if larger is None else larger[plane_entries(self.rules, a + 1, b) :]
        return self.solve_from(a, b, *(None if of is None else _already(of) for of in (larger, smaller)))

    def restore_wins(self, a: int, b: int, entries: Any, *above: Source) -> bool:
        """Give wins their plies, in the entries of a pair that are complete but for them.

        `above` is as for `solve_from`; it needs no plies of wins either. Returns false if a win has no lost
        position after it, so that it cannot be one.
        """
        pair = self._lay_out(a, b, entries)
        if a == b:
            self._mirror(pair)
        for side in pair.sides:
            with self._looking_into(pair, side, above[side]):
                self._run("restore_wins", pair, np.int32(side))
        return int(self.device.host(pair.counters[0])[0]) == 0

    def _lay_out(self, a: int, b: int, entries: Any) -> _Pair:
        """A pair as the kernels read it, so far without planes that it looks into."""
        address, xp, m = self.device.address, self.device.xp, self.rules.cells - a
        blocks, count = self.board.with_steps(a), int(self.board.blocks[a].masks.size)
        of_block = comb(m, b)
        grains = count * -(-of_block // kernels.GRAIN)
        alone = {
            "where": self.board.where,
            "same": blocks.same,
            "larger": blocks.larger,
            "words": xp.asarray(local_words(m, b)),
            "without": xp.asarray(words_without(m, b)),
            "totals": xp.zeros(2, np.uint32),
            "decided": xp.zeros(1, np.uint64),
            "followed": xp.zeros(4, np.uint64),
        }
        of_sides = {
            "news": xp.zeros((2, count), np.uint32),
            "open": xp.zeros((2, count), np.uint32),
            "due": xp.zeros((2, count * kernels.DUE_WORDS), np.uint32),
            "grain_news": xp.empty((2, grains), np.uint32),
            "grain_due": xp.empty((2, grains * kernels.DUE_WORDS), np.uint32),
        }
        kept: list[Any] = [alone["words"], alone["without"], *of_sides.values()]
        fields = np.zeros((), _PAIR)
        fields["blocks"] = fields["grown"] = self._structure_of(blocks)
        fields["ranks"] = self.board.ranks(m, b, kept)
        for name, array in alone.items():
            fields[name] = address(array)
        for name, arrays in of_sides.items():
            fields[name] = [address(of_side) for of_side in arrays]
        for side, plane in enumerate(self.planes(a, b, entries)):
            fields["entries"][side] = address(plane)
        counters = alone["totals"], alone["decided"], alone["followed"]
        pair = _Pair(a, b, fields, count, of_block, counters, kept)
        self._copy_fields(pair)
        return pair

    def _copy_fields(self, pair: _Pair) -> None:
        """Have the kernels read the fields as they are now."""
        pair.structure = self.device.xp.asarray(np.frombuffer(pair.fields.tobytes(), np.uint8).copy())

    def _structure_of(self, blocks: Blocks) -> tuple[int, ...]:
        return *map(self.device.address, (blocks.masks, blocks.lined, blocks.fixing)), blocks.masks.size

    @contextmanager
    def _looking_into(self, pair: _Pair, side: int, source: Source) -> Iterator[None]:
        """Meanwhile, have the new marks of a side looked up in a plane, which is let go then."""
        if source is not None:
            pair.above[side] = source()
            m = self.rules.cells - pair.a
            if side == 0:
                pair.fields["grown"] = self._structure_of(self.board.blocks[pair.a + 1])
            ranks = (m - 1, pair.b) if side == 0 else (m, pair.b + 1)
            pair.fields["more_ranks"][side] = self.board.ranks(*ranks, pair.kept)
            pair.fields["more"][side] = self.device.address(pair.above[side])
            self._copy_fields(pair)
        yield
        pair.above[side], pair.fields["more"][side] = None, 0
        if self.board.frugal:
            self.device.trim()

    def _mirror(self, pair: _Pair) -> None:
        """Give a pair with as many marks on both sides its plane 1, which is plane 0 seen from there."""
        mirrored = self.device.xp.empty(pair.blocks * pair.of_block, ENTRY)
        pair.kept.append(mirrored)
        pair.fields["entries"][1] = self.device.address(mirrored)
        self._copy_fields(pair)
        self._run("mirror", pair)

    def _make_published(self, pair: _Pair) -> list[Any]:
        """The arrays in which blocks publish what is won and lost, for visits."""
        xp, address = self.device.xp, self.device.address
        bits = xp.empty((2, 2, pair.blocks * -(-pair.of_block // 32)), np.uint32)
        unwon = xp.empty((2, pair.blocks), np.uint32)
        for side in range(2):
            pair.fields["lost"][side], pair.fields["won"][side] = map(address, bits[side])
            pair.fields["unwon"][side] = address(unwon[side])
        self._copy_fields(pair)
        return [bits, unwon]

    def _decide(self, pair: _Pair) -> None:
        """Run rounds until everything is decided that can be."""
        plane, round, before, few = pair.blocks * pair.of_block, 0, 0, 0
        totals, decided, followed = pair.counters
        published = self._make_published(pair)
        self._publish(pair, round)
        while few < 2 and round < kernels.MAX_PLIES:
            round += 1
            self._visit(pair, round)
            self._publish(pair, round)
            so_far = int(self.device.host(decided)[0])
            few = few + 1 if (so_far - before) * self.scarce < plane else 0
            before = so_far
            if self._is_over(totals, round):
                return
        published.clear()
        for side in range(2):
            at = np.int32(side), np.int32(round)
            self.device.run("note", self.board.game, pair.structure, *at, self._zero())
        progress = _Progress(plane, self.device.host(followed).tolist())
        while round < kernels.MAX_PLIES:
            lively = progress.recently > max(self.few_wins, plane >> 10)
            how = progress.how(self.price_of_a_win if lively else 0)
            # Reading the progress takes longer than a late round, and rounds past the end do nothing.
            for _ in range(1 if lively else _ROUNDS_AT_ONCE):
                round += 1
                self._follow(pair, round, how)
            if self._is_over(totals, round):
                return
            progress.update(how, self.device.host(followed).tolist())
        raise OverflowError(f"more than {kernels.MAX_PLIES} plies")

    def _visit(self, pair: _Pair, round: int) -> None:
        active = self._lists_of(pair.blocks)[0]
        for side in range(2):
            count, at = self._zero(), (np.int32(side), np.int32(round))
            self.device.run("find_active", self.board.game, pair.structure, *at, active, count)
            self._run("visit", pair, *at, active, count)

    def _publish(self, pair: _Pair, round: int) -> None:
        for side in range(2):
            self.device.run("publish", pair.structure, np.int32(side), np.int32(round))

    def _follow(self, pair: _Pair, round: int, how: list[int]) -> None:
        """Follow what the round before decided; of both sides that is found before either is changed."""
        device, sources = self.device, self._lists_of(pair.blocks * -(-pair.of_block // kernels.GRAIN))
        rounds = [
            (np.int32(side), np.int32(round), np.uint32(how[side]), sources[side], self._zero())
            for side in range(2)
        ]
        for of_side in rounds:
            device.run("find_sources", pair.structure, *of_side)
        for of_side in rounds:
            device.run("follow", self.board.game, pair.structure, *of_side, self._zero())

    def _is_over(self, totals: Any, round: int) -> bool:
        """Whether no later round can decide anything."""
        changed, last_due = self.device.host(totals).tolist()
        return bool(changed < round and round >= last_due)

    def _run(self, kernel: str, pair: _Pair, *arguments: Any) -> None:
        """Run a kernel of which there is one for small blocks and one for large."""
        by = "by_blocks" if pair.of_block > kernels.SMALL_BLOCK else "by_warps"
        self.device.run(f"{kernel}_{by}", self.board.game, pair.structure, *arguments, self._zero())

    def _zero(self) -> Any:
        """A counter at zero, from a supply: clearing one at a time would take as long as a kernel."""
        if self._zeros.size == 0:
            self._zeros = self.device.xp.zeros(4096, np.uint32)
        counter, self._zeros = self._zeros[:1], self._zeros[1:]
        return counter

    def _lists_of(self, size: int) -> Any:
        """Buffers for a list of blocks or grains of each side."""
        if self._lists.shape[1] < size:
            self._lists = None  # it is free before the larger one is made
            self._lists = self.device.xp.empty((2, size), np.uint32)
        return self._lists


def _already(plane: Any) -> Source:
    """A plane that is on the device."""
    return lambda: plane
