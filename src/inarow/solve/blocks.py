"""Solves pairs of Quixo block by block with the kernels of kernels/quixo.cu, or their twins on the CPU.

The device does the work and keeps the tables; this module lays them out and decides which kernel runs when.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.games.quixo import Quixo

ENTRY = np.dtype(np.uint16)

# As in native/quixo/block_work.hpp.
_MAX_CELLS, _MAX_MOVES, _MAX_LINES, _MAX_PLIES = 25, 44, 48, 16383
_GAME = np.dtype(
    [
        ("cells", "<u4"),
        ("moves", "<u4"),
        ("lines", "<u4"),
        ("double_line_wins", "<u4"),
        ("line", "<u4", (_MAX_LINES,)),
        ("taken", "u1", (_MAX_MOVES,)),
        ("image", "u1", (_MAX_MOVES, _MAX_CELLS)),
        ("symmetry", "u1", (8, _MAX_CELLS)),
    ]
)
_BLOCKS = np.dtype([("masks", "<u8"), ("lined", "<u8"), ("count", "<u8")])
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
        ("totals", "<u8"),
    ]
)


class Device(Protocol):
    """Arrays somewhere, and the kernels that work on them. Arrays are NumPy's or look like them."""

    xp: Any  # numpy, or what stands for it

    def address(self, array: Any) -> int: ...
    def host(self, array: Any) -> NDArray[Any]: ...
    def find_canonical(self, game: Any, found: Any) -> None: ...
    def find_lines(self, game: Any, masks: Any, lined: Any) -> None: ...
    def find_steps(self, game: Any, masks: Any, where: Any, same: Any, larger: Any) -> None: ...
    def seed(self, game: Any, pair: Any, side: int) -> None: ...
    def mirror(self, game: Any, pair: Any) -> None: ...
    def visit(self, game: Any, pair: Any, side: int, round: int, blocks: int) -> None: ...
    def finish(self, pair: Any, side: int, orbits: Any, histogram: Any) -> None: ...


@dataclass(slots=True)
class _Blocks:
    """The blocks with a marks on the larger side, and where moves take them."""

    masks: Any
    lined: Any
    orbits: Any
    same: Any = None
    larger: Any = None


class BlockSolver:
    """Solves one pair after the other; what pairs have in common is kept on the device."""

    def __init__(self, rules: Quixo, device: Device) -> None:
        self.rules = rules
        self.device = device
        xp = device.xp
        self._game = xp.asarray(np.frombuffer(_game(rules).tobytes(), np.uint8).copy())
        masks = 1 << rules.cells
        found = xp.empty(masks, np.uint32)
        device.find_canonical(self._game, found)
        image = found >> 3
        canonical = xp.flatnonzero(image == xp.arange(masks, dtype=np.uint32)).astype(np.uint32)
        marks = sum((canonical >> bit) & 1 for bit in range(rules.cells))
        images = xp.bincount(image, minlength=masks)[canonical].astype(np.uint8)
        number = xp.empty(masks, np.uint32)
        self._blocks: list[_Blocks] = []
        for a in range(rules.cells + 1):
            of_a = marks == a
            lined = xp.empty(int(of_a.sum()), np.uint8)
            blocks = _Blocks(canonical[of_a], lined, images[of_a])
            device.find_lines(self._game, blocks.masks, lined)
            number[blocks.masks] = xp.arange(lined.size, dtype=np.uint32)
            self._blocks.append(blocks)
        self._where = number[image] << 3 | found & 7

    def plane_entries(self, a: int, b: int) -> int:
        return int(self._blocks[a].masks.size) * comb(self.rules.cells - a, b)

    def entries(self, a: int, b: int) -> int:
        """Entries stored for a pair: two planes, or one if a = b."""
        return self.plane_entries(a, b) * (1 if a == b else 2)

    def solve(self, a: int, b: int, larger: Any, smaller: Any) -> tuple[Any, list[NDArray[np.uint64]]]:
        """The entries of a pair, on the device, and the histogram of each of its planes.

        `larger` and `smaller` are the entries of {a+1, b} and {a, b+1} on the device, None where there is no
        such pair; for a = b, `smaller` is None.
        """
        device, xp, plane = self.device, self.device.xp, self.plane_entries(a, b)
        blocks, count = self._with_steps(a), int(self._blocks[a].masks.size)
        entries = xp.empty(self.entries(a, b), ENTRY)
        scratch = xp.empty(plane if a == b else 0, ENTRY)
        totals = xp.zeros(2, np.uint32)
        news, still_open = xp.zeros((2, count), np.uint32), xp.zeros((2, count), np.uint32)
        due = xp.zeros((2, count * 4), np.uint32)
        m = self.rules.cells - a
        words = xp.asarray(_words(m, b))
        kept: list[Any] = []  # the device must not forget what only addresses point to

        pair = np.zeros((), _PAIR)
        grown = self._blocks[a + 1] if larger is not None else blocks
        for field, of in (("blocks", blocks), ("grown", grown)):
            pair[field] = (device.address(of.masks), device.address(of.lined), of.masks.size)
        for field, array in (
            ("where", self._where),
            ("same", blocks.same),
            ("larger", blocks.larger),
            ("words", words),
            ("totals", totals),
        ):
            pair[field] = device.address(array)
        pair["ranks"] = self._ranks(m, b, kept)
        if larger is not None:
            pair["more_ranks"][0] = self._ranks(m - 1, b, kept)
            # A new mark of the larger side is seen by the smaller side, in plane 1.
            pair["more"][0] = device.address(larger[self.plane_entries(a + 1, b) :])
        if smaller is not None:
            pair["more_ranks"][1] = self._ranks(m, b + 1, kept)
            pair["more"][1] = device.address(smaller)
        pair["entries"][0] = device.address(entries)
        pair["entries"][1] = device.address(scratch if a == b else entries[plane:])
        for side in range(2):
            pair["news"][side] = device.address(news[side])
            pair["open"][side] = device.address(still_open[side])
            pair["due"][side] = device.address(due[side])
        on_device = xp.asarray(np.frombuffer(pair.tobytes(), np.uint8).copy())

        device.seed(self._game, on_device, 0)
        if a == b:
            device.mirror(self._game, on_device)
        else:
            device.seed(self._game, on_device, 1)
        for round in range(1, _MAX_PLIES + 1):
            for side in range(2):
                device.visit(self._game, on_device, side, round, count)
            changed, last_due = device.host(totals).tolist()
            if changed < round and round >= last_due:
                break
        else:
            raise OverflowError(f"pair {{{a}, {b}}} takes more than {_MAX_PLIES} plies")
        histograms = []
        for side in range(1 if a == b else 2):
            histogram = xp.zeros(1 << 16, np.uint64)
            device.finish(on_device, side, blocks.orbits, histogram)
            histograms.append(device.host(histogram))
        return entries, histograms

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
        low, high = _rank_tables(m, b, low_bits)
        arrays = [self.device.xp.asarray(low), self.device.xp.asarray(high)]
        kept += arrays
        return *map(self.device.address, arrays), low_bits, comb(m, b)  # type: ignore[return-value]


def _game(rules: Quixo) -> NDArray[Any]:
    size = rules.size
    game = np.zeros((), _GAME)
    game["cells"], game["moves"], game["lines"] = rules.cells, len(rules.moves), len(rules.lines)
    game["double_line_wins"] = rules.double_line == "wins"
    game["line"][: len(rules.lines)] = rules.lines
    for number, move in enumerate(rules.moves):
        game["taken"][number] = move.taken
        image = list(range(rules.cells))
        distance = abs(move.pushed - move.taken)
        step = (1 if distance < size else size) * (1 if move.pushed > move.taken else -1)
        for cell in range(move.taken, move.pushed, step):
            image[cell + step] = cell
        image[move.taken] = move.pushed
        game["image"][number, : rules.cells] = image
    for g in range(8):
        for cell in range(rules.cells):
            row, column = divmod(cell, size)
            row, column = (size - 1 - row if g & 2 else row), (size - 1 - column if g & 1 else column)
            game["symmetry"][g, cell] = column * size + row if g & 4 else row * size + column
    return game


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


def _rank_tables(m: int, b: int, low_bits: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    low = np.array([_rank(word, 0, 0) for word in range(1 << low_bits)], np.uint32)
    high = np.array(
        [_rank(word, low_bits, b - word.bit_count()) for word in range(1 << (m - low_bits))], np.uint32
    )
    return low, high


def _rank(word: int, shift: int, below: int) -> int:
    """The share in a colexicographic rank of bits from `shift` on, with `below` others under them."""
    if below < 0:
        return 0
    bits = [bit for bit in range(word.bit_length()) if word >> bit & 1]
    return sum(comb(shift + bit, below + nth) for nth, bit in enumerate(bits, start=1))
