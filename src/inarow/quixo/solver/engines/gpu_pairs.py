"""Solves pairs of Quixo with the kernels of kernels/quixo.cu, or with the same code on the CPU.

The device does the work and keeps the tables; this module lays them out and decides which kernel runs when.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo

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


class Device(Protocol):
    """Where arrays are kept, and the kernels that work on them. Arrays have the interface of NumPy's."""

    xp: Any  # numpy, or a module with its interface

    def address(self, array: Any) -> int: ...
    def host(self, array: Any) -> NDArray[Any]: ...
    def find_canonical(self, game: Any, found: Any) -> None: ...
    def find_lines(self, game: Any, masks: Any, lined: Any, fixing: Any) -> None: ...
    def find_steps(self, game: Any, masks: Any, where: Any, same: Any, larger: Any) -> None: ...
    def seed(self, game: Any, pair: Any, side: int, entries: int) -> None: ...
    def mirror(self, game: Any, pair: Any, entries: int) -> None: ...
    def visit(self, game: Any, pair: Any, round: int, blocks: int, entries: int) -> None: ...
    def note(self, game: Any, pair: Any, round: int) -> None: ...
    def follow(self, game: Any, pair: Any, round: int, grains: int) -> None: ...
    def finish(self, pair: Any, side: int, orbits: Any, histogram: Any) -> None: ...
    def restore_wins(self, game: Any, pair: Any, side: int, entries: int) -> None: ...


@dataclass(slots=True)
class _Blocks:
    """The blocks with a marks on the larger side, and where moves take them."""

    masks: Any
    lined: Any
    fixing: Any
    orbits: Any
    same: Any = None
    larger: Any = None


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair on the device."""

    structure: Any  # what the kernels take
    blocks: int
    totals: Any
    decided: Any
    kept: list[Any]  # arrays that only the structure points to


class GpuPairSolver:
    """Solves one pair after the other; keeps on the device what pairs share."""

    # Once a round decides less than 1/scarce of a plane, following it is less work than visiting all blocks.
    scarce = 30

    def __init__(self, rules: Quixo, device: Device) -> None:
        self.rules = rules
        self.device = device
        xp = device.xp
        self._game = xp.asarray(kernels.game(rules.native))
        masks = 1 << rules.cells
        on_device = xp.empty(masks, np.uint32)
        device.find_canonical(self._game, on_device)
        # The rest uses NumPy: CuPy would compile a kernel for every operation, which takes longer.
        found = device.host(on_device)
        image = found >> 3
        canonical = np.flatnonzero(image == np.arange(masks, dtype=np.uint32)).astype(np.uint32)
        marks = sum((canonical >> bit) & 1 for bit in range(rules.cells))
        images = np.bincount(image, minlength=masks)[canonical].astype(np.uint8)
        number = np.empty(masks, np.uint32)
        self._blocks: list[_Blocks] = []
        for a in range(rules.cells + 1):
            of_a = marks == a
            own = canonical[of_a]
            number[own] = np.arange(own.size, dtype=np.uint32)
            lined, fixing = (xp.empty(own.size, np.uint8) for _ in range(2))
            blocks = _Blocks(xp.asarray(own), lined, fixing, xp.asarray(images[of_a]))
            device.find_lines(self._game, blocks.masks, lined, fixing)
            self._blocks.append(blocks)
        self._where = xp.asarray(number[image] << 3 | found & 7)

    def _block_entries(self, a: int, b: int) -> int:
        return comb(self.rules.cells - a, b)

    def plane_entries(self, a: int, b: int) -> int:
        return int(self._blocks[a].masks.size) * self._block_entries(a, b)

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
        of_block = self._block_entries(a, b)
        device.seed(self._game, pair.structure, 0, of_block)
        if a == b:
            device.mirror(self._game, pair.structure, of_block)
        else:
            device.seed(self._game, pair.structure, 1, of_block)
        try:
            self._decide(pair, of_block)
        except OverflowError as error:
            raise OverflowError(f"pair {{{a}, {b}}}: {error}") from None
        histograms = []
        for side in range(1 if a == b else 2):
            histogram = xp.zeros(1 << 16, np.uint64)
            device.finish(pair.structure, side, self._blocks[a].orbits, histogram)
            histograms.append(device.host(histogram))
        return entries, histograms

    def restore_wins(self, a: int, b: int, entries: Any, larger: Any, smaller: Any) -> bool:
        """Give wins their plies, in the entries of a pair that are complete but for them.

        `larger` is plane 1 of {a+1, b}, `smaller` plane 0 of {a, b+1}, None as for `solve`; they need no
        plies of wins either. Returns false if a win has no lost position after it, so that it cannot be one.
        """
        pair, of_block = self._lay_out(a, b, entries, larger, smaller), self._block_entries(a, b)
        if a == b:
            self.device.mirror(self._game, pair.structure, of_block)
        for side in range(1 if a == b else 2):
            self.device.restore_wins(self._game, pair.structure, side, of_block)
        return int(self.device.host(pair.totals)[0]) == 0

    def _lay_out(self, a: int, b: int, entries: Any, larger: Any, smaller: Any) -> _Pair:
        """A pair as the kernels read it, with the planes it looks into, or None."""
        device, xp, plane = self.device, self.device.xp, self.plane_entries(a, b)
        blocks, count = self._with_steps(a), int(self._blocks[a].masks.size)
        scratch = xp.empty(plane if a == b else 0, ENTRY)
        totals = xp.zeros(2, np.uint32)
        news, still_open = xp.zeros((2, count), np.uint32), xp.zeros((2, count), np.uint32)
        due = xp.zeros((2, count * kernels.DUE_WORDS), np.uint32)
        grains = count * -(-self._block_entries(a, b) // kernels.GRAIN)
        grain_news, grain_due = (
            xp.empty((2, grains), np.uint32),
            xp.empty((2, grains * kernels.DUE_WORDS), np.uint32),
        )
        decided = xp.zeros(1, np.uint64)
        m = self.rules.cells - a
        words = xp.asarray(_words(m, b))
        kept: list[Any] = [scratch, news, still_open, due, grain_news, grain_due, words]

        pair = np.zeros((), _PAIR)
        grown = self._blocks[a + 1] if larger is not None else blocks
        for field, of in (("blocks", blocks), ("grown", grown)):
            pair[field] = (*map(device.address, (of.masks, of.lined, of.fixing)), of.masks.size)
        for field, array in (
            ("where", self._where),
            ("same", blocks.same),
            ("larger", blocks.larger),
            ("words", words),
            ("totals", totals),
            ("decided", decided),
        ):
            pair[field] = device.address(array)
        pair["ranks"] = self._ranks(m, b, kept)
        if larger is not None:
            pair["more_ranks"][0] = self._ranks(m - 1, b, kept)
            pair["more"][0] = device.address(larger)
        if smaller is not None:
            pair["more_ranks"][1] = self._ranks(m, b + 1, kept)
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
                device.visit(self._game, pair.structure, round, blocks, entries)
                so_far = int(device.host(pair.decided)[0])
                few = few + 1 if (so_far - before) * self.scarce < blocks * entries else 0
                before = so_far
                if few == 2:
                    device.note(self._game, pair.structure, round)
            else:
                # Reading the progress takes longer than a late round, and rounds past the end do nothing.
                for _ in range(_ROUNDS_AT_ONCE):
                    round += 1
                    device.follow(self._game, pair.structure, round, blocks * -(-entries // kernels.GRAIN))
            changed, last_due = device.host(pair.totals).tolist()
            if changed < round and round >= last_due:
                return
        raise OverflowError(f"more than {kernels.MAX_PLIES} plies")

    def _with_steps(self, a: int) -> _Blocks:
        blocks = self._blocks[a]
        if blocks.same is None:
            steps = int(blocks.masks.size) * len(self.rules.moves)
            blocks.same = self.device.xp.empty(steps, np.uint32)
            blocks.larger = self.device.xp.empty(steps, np.uint32)
            self.device.find_steps(self._game, blocks.masks, self._where, blocks.same, blocks.larger)
        return blocks

    def _ranks(self, m: int, b: int, kept: list[Any]) -> tuple[int, int, int, int]:
        low_bits = min(m, 13)
        tables = _low_ranks(low_bits), _high_ranks(m, b, low_bits)
        arrays = [self.device.xp.asarray(table) for table in tables]
        kept += arrays
        return *map(self.device.address, arrays), low_bits, comb(m, b)  # type: ignore[return-value]


def _words(m: int, b: int) -> NDArray[np.uint32]:
    """All words with b of m bits, in ascending order."""
    words = np.zeros(1, np.uint32)
    # A word with n bits is a lower one with n - 1 bits, and one bit above them all.
    by_bits = {0: words}
    for top in range(m):
        for n in range(min(top + 1, b), 0, -1):
            above = by_bits[n - 1] | np.uint32(1 << top) if n - 1 in by_bits else words[:0]
            by_bits[n] = np.concatenate([by_bits[n], above]) if n in by_bits else above
    return by_bits.get(b, words[:0])


@cache
def _low_ranks(bits: int) -> NDArray[np.uint32]:
    return np.array([_rank(word, 0, 0) for word in range(1 << bits)], np.uint32)


def _high_ranks(m: int, b: int, low_bits: int) -> NDArray[np.uint32]:
    words = range(1 << (m - low_bits))
    return np.array([_rank(word, low_bits, b - word.bit_count()) for word in words], np.uint32)


def _rank(word: int, shift: int, below: int) -> int:
    """What bits from `shift` on, with `below` others under them, add to a colexicographic rank."""
    if below < 0:
        return 0
    bits = [bit for bit in range(word.bit_length()) if word >> bit & 1]
    return sum(comb(shift + bit, below + nth) for nth, bit in enumerate(bits, start=1))
