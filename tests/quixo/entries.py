"""Entries of one and two bytes: plies for a loss, the top less the plies for a win; and solving for them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quixo.host_device import HostDevice

from inarow._native.quixo import Solver
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_board import local_words
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.table.entries import Packed, pack, unpack
from inarow.quixo.table.pairs import pairs_of

BITMAPS, ENTRIES = 0, 1 << 31  # what blocks are small: none, or all
TOP, DRAW = 65535, 32767  # entries of two bytes: win in 0, and draw

Entries = NDArray[np.uint8] | NDArray[np.uint16]


def widened(entries: Entries) -> NDArray[np.uint16]:
    """The same values with two bytes for each entry."""
    if entries.dtype == np.uint16:
        return entries  # type: ignore[return-value]
    wide = entries.astype(np.uint16)
    wide[entries > 127] += np.uint16(65535 - 255)
    wide[entries == 127] = 32767
    return wide


def narrowed(entries: Entries) -> NDArray[np.uint8]:
    """The same values, which fit, with one byte for each entry."""
    if entries.dtype == np.uint8:
        return entries  # type: ignore[return-value]
    narrow = entries.astype(np.uint8)
    narrow[entries == 32767] = 127
    return narrow


def as_numbers(expected: dict[tuple[int, int], Any]) -> list[tuple[int, int]]:
    """Values and plies of the oracle as tables give them."""
    values = {"win": 1, "draw": 0, "loss": -1}
    return [(values[value], -1 if plies is None else plies) for value, plies in expected.values()]


def outcomes(entries: NDArray[Any]) -> Packed:
    """The outcomes of entries, packed."""
    draw = int(np.iinfo(entries.dtype).max) // 2
    return pack((entries >= draw).astype(np.uint8) + (entries > draw).astype(np.uint8))


def plies(entries: NDArray[Any]) -> NDArray[Any]:
    """The plies of entries, 0 for a draw."""
    top = int(np.iinfo(entries.dtype).max)
    found = np.where(entries > top // 2, top - entries, np.where(entries == top // 2, 0, entries))
    return found.astype(entries.dtype)


def invented(rules: Quixo, a: int, b: int, losses: int, draws: int, shortest: int = 0) -> NDArray[np.uint16]:
    """Entries as a pair might have, with so many losses and draws in a thousand positions.

    They are the same for symmetric positions, and right where there are lines.
    """
    larger: NDArray[np.uint32] = GpuPairSolver(rules, HostDevice()).board.blocks[a].masks[:, None]
    words = local_words(rules.cells - a, b)
    smaller = np.zeros((larger.size, words.size), np.uint32)
    free = np.zeros_like(larger)  # cells below this one that A leaves
    for cell in range(rules.cells):
        is_free = 1 - (larger >> cell & 1)
        smaller |= (words >> free & is_free) << cell
        free += is_free
    boards = np.broadcast_to(larger, smaller.shape).ravel(), smaller.ravel()
    images = []
    for to in rules.symmetries:
        image = np.zeros(boards[0].size, np.uint64)
        for cell, target in enumerate(to):
            for mask, shift in zip(boards, (target + 32, target), strict=True):
                image |= (mask >> cell & 1).astype(np.uint64) << shift
        images.append(image)
    mixed = np.minimum.reduce(images)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> 31
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    number, kind = (mixed >> 40) % np.uint64(9) + np.uint64(shortest), (mixed >> 32) % np.uint64(1000)
    found = np.where(kind < losses, number, np.where(kind < losses + draws, DRAW, TOP - number))
    planes = []
    for mover, other in [boards, boards[::-1]][: 1 if a == b else 2]:
        entries = found.astype(np.uint16)
        ends = [(other, 0), (mover, TOP)]  # of a position with both, the second counts
        for marks, value in ends if rules.double_line == "loses" else ends[::-1]:
            for line in rules.lines:
                entries[marks & line == line] = value
        planes.append(entries)
    return np.concatenate(planes)


def lanes() -> list[str]:
    """The kinds that this machine has."""
    found = ["portable"]
    for kind in ("avx2", "avx512", "neon"):
        with suppress(ValueError):
            Solver(Quixo(2).native, 1, kind)
            found.append(kind)
    return found


def solve_planes(solver: Solver, rules: Quixo, plies: bool, least: int = 0) -> dict[tuple[int, int], Any]:
    """The planes of all pairs with so many marks at least: outcomes, plies, and counts of each."""
    solved: dict[tuple[int, int], Any] = {}
    for a, b in pairs_of(rules):
        if a + b < least:
            break

        def above(side: int, a: int = a, b: int = b) -> Any:
            return (solved[a, b + 1][0] if side else solved[a + 1, b][1])[:2]

        solved[a, b] = solver.solve(a, b, plies, above)
    return solved


def solve_entries(
    solver: Solver, a: int, b: int, larger: Entries | None, smaller: Entries | None
) -> tuple[NDArray[np.uint16], list[NDArray[np.uint64]]]:
    """Entries of two bytes, and how many positions have each, from entries of the pairs above."""

    def above(side: int) -> Any:
        entries = smaller if side else larger
        assert entries is not None
        plane = np.split(entries, 1 if side and a == b + 1 else 2)[1 - side]
        return outcomes(plane), plies(plane)

    planes = solver.solve(a, b, True, above)
    entries, histograms = [], []
    for packed, its, histogram in planes:
        assert its is not None
        codes = unpack(packed, its.size)
        wins = TOP - its.astype(np.int32)
        entries.append(np.select([codes == 0, codes == 1], [its, DRAW], wins).astype(np.uint16))
        wide = np.zeros(TOP + 1, np.uint64)
        wide[widened(np.arange(histogram.size).astype(np.uint8)) if histogram.size == 256 else ...] = (
            histogram
        )
        histograms.append(wide)
    return np.concatenate(entries), histograms
