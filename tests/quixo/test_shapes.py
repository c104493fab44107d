"""All ways to solve and to look up, on boards of every shape up to 12 cells, entry by entry as the oracle.

The tests run on some rules of each shape; `pytest -m "" tests/quixo/test_shapes.py` runs them on all.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import quixo_arrays as oracle
from quixo.entries import (
    BITMAPS,
    DRAW,
    ENTRIES,
    TOP,
    invented,
    lanes,
    outcomes,
    plies,
    solve_entries,
    solve_planes,
)
from quixo.test_gpu import each_device

from inarow._native.quixo import Board, Locator, Solver, WinPlies
from inarow.quixo.rules import Quixo
from inarow.quixo.search import search_all
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table import reader
from inarow.quixo.table.pairs import pairs_of, plane_above
from inarow.values import Outcome

SEARCHED_PLIES = 4

SHAPES = [(rows, columns) for rows in range(2, 7) for columns in range(2, 7) if rows * columns <= 12]


# Portable bitmaps take long.
WAYS = [
    pytest.param(kind, small, marks=[pytest.mark.exhaustive] * (kind == "portable" and small == BITMAPS))
    for kind in lanes()
    for small in (BITMAPS, ENTRIES, 20)
]


def parameters() -> list[Any]:
    """All rules; those that are not tried every time are marked as exhaustive."""
    found = []
    for rows, columns in SHAPES:
        longest = max(rows, columns)
        for line, double_line in itertools.product(range(2, longest + 1), ("loses", "wins")):
            usual = (line, double_line) == ((longest, "loses") if rows <= columns else (longest - 1, "wins"))
            rules = Quixo(rows, columns, line, double_line)  # type: ignore[arg-type]
            marks = () if usual and rows * columns <= 10 else (pytest.mark.exhaustive,)
            found.append(pytest.param(rules, id=rules.name, marks=marks))
    return found


@dataclass(frozen=True)
class Expected:
    """What the oracle finds, in the order in which docs/tablebase-format.md stores it."""

    rules: Quixo

    @cached_property
    def oracle(self) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int32]]:
        rules = self.rules
        return oracle.solve(rules.rows, rules.columns, rules.line, rules.double_line)

    @cached_property
    def entries(self) -> dict[tuple[int, int], NDArray[np.uint16]]:
        """The entries of every pair, of two bytes."""
        words, values, plies = self.oracle
        wide = np.where(values > 0, TOP - plies, np.where(values < 0, plies, DRAW)).astype(np.uint16)
        boards = dict(zip(words.tolist(), wide.tolist(), strict=True))
        found = {}
        for a, b in pairs_of(self.rules):
            larger, smaller = self.positions(a, b)
            planes = [larger << np.uint64(32) | smaller, smaller << np.uint64(32) | larger]
            stored = np.concatenate(planes[: 1 if a == b else 2])
            found[a, b] = np.array([boards[word] for word in stored.tolist()], np.uint16)
        return found

    def positions(self, a: int, b: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """A and B of every entry of a plane."""
        cells = self.rules.cells
        blocks = [mask for mask in self.smallest_images if mask.bit_count() == a]
        words = [word for word in range(1 << cells - a) if word.bit_count() == b]
        pairs = []
        for mask in blocks:
            free = [cell for cell in range(cells) if not mask >> cell & 1]
            for word in words:
                pairs.append((mask, sum(1 << cell for nth, cell in enumerate(free) if word >> nth & 1)))
        array = np.array(pairs, np.uint64).reshape(-1, 2)
        return array[:, 0], array[:, 1]

    @cached_property
    def smallest_images(self) -> list[int]:
        """The masks that are the smallest of their images, in ascending order."""
        cells = range(self.rules.cells)

        def image(mask: int, to: tuple[int, ...]) -> int:
            return sum(1 << to[cell] for cell in cells if mask >> cell & 1)

        masks = range(1 << self.rules.cells)
        return [mask for mask in masks if all(image(mask, to) >= mask for to in self.rules.symmetries)]


@pytest.fixture(scope="module", params=parameters())
def expected(request: pytest.FixtureRequest) -> Expected:
    return Expected(request.param)


@pytest.mark.parametrize("with_plies", [True, False], ids=["plies", "outcomes"])
@pytest.mark.parametrize(("kind", "small"), WAYS)
def test_solving(expected: Expected, kind: str, small: int, with_plies: bool) -> None:
    solver = Solver(expected.rules.native, 2, kind, small)
    for (a, b), planes in solve_planes(solver, expected.rules, with_plies).items():
        positions = comb(expected.rules.cells, a) * comb(expected.rules.cells - a, b)
        wide = np.split(expected.entries[a, b], len(planes))
        for (packed, its, counts), entries in zip(planes, wide, strict=True):
            assert np.array_equal(packed, outcomes(entries)), (a, b)
            assert its is None if not with_plies else np.array_equal(its, plies(entries)), (a, b)
            assert counts.sum() == positions


def test_counts(expected: Expected) -> None:
    words, values, _ = expected.oracle
    solved = solve_planes(Solver(expected.rules.native, 1), expected.rules, False)
    marks = np.array([((word >> 32).bit_count(), (word & 0xFFFFFFFF).bit_count()) for word in words.tolist()])
    for (a, b), planes in solved.items():
        for side, (_, _, counts) in zip(((a, b), (b, a)), planes, strict=False):
            of_class = values[(marks == side).all(axis=1)]
            assert [(of_class == value).sum() for value in (-1, 0, 1)] == counts.tolist()


@each_device
@pytest.mark.parametrize("scarce", [0, GpuPairSolver.scarce], ids=["follow", "both"])
def test_the_code_of_the_gpu(expected: Expected, scarce: int, kind: type[Any]) -> None:
    device = kind()
    solver = GpuPairSolver(expected.rules, device)
    solver.scarce = scarce
    known = expected.entries
    for a, b in known:
        more = known.get((a + 1, b)), known.get((a, b + 1)) if a > b else None
        loaded = (None if entries is None else device.xp.asarray(entries) for entries in more)
        entries, _ = solver.solve(a, b, *loaded)
        assert np.array_equal(device.host(entries), known[a, b]), (a, b)


@pytest.mark.parametrize("small", [0, reader._SMALL], ids=["in pieces", "as a whole"])
def test_looking_up(expected: Expected, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_SMALL", small)
    table = table_in_memory(expected.rules)
    words, values, counts = expected.oracle
    found_values, found_plies = table.probe_many(words)
    assert np.array_equal(found_values, values)
    assert np.array_equal(found_plies, counts)


def test_locating(expected: Expected) -> None:
    words, values, counts = expected.oracle
    planes, places = Locator(expected.rules.native).locate_many(words)
    for (a, b), entries in expected.entries.items():
        for plane, stored in enumerate(np.split(entries, 1 if a == b else 2)):
            here = planes == (a << 6 | b << 1 | plane)
            assert np.array_equal(
                stored[places[here]],
                np.where(values > 0, TOP - counts, np.where(values < 0, counts, DRAW))[here],
            )


def test_plies_of_wins_from_those_of_losses(expected: Expected) -> None:
    wins = WinPlies(expected.rules.native)

    def plane_of(pair: tuple[int, int], number: int) -> tuple[Any, Any]:
        entries = np.split(expected.entries[pair], 1 if pair[0] == pair[1] else 2)[number]
        return outcomes(entries), np.where(entries < DRAW, entries, 0).astype(np.uint16)

    for (a, b), entries in expected.entries.items():
        for number, plane in enumerate(np.split(entries, 1 if a == b else 2)):
            packed, filled = plane_of((a, b), number)
            above = plane_above(expected.rules, a, b, number)
            others = plane_of((a, b), 0 if a == b else 1 - number), above and plane_of(*above)
            assert wins.fill_plane(a, b, number, packed, filled, *others, 0, wins.blocks(a), 2)
            assert np.array_equal(filled, plies(plane)), (a, b, number)


def test_positions_after_a_move(expected: Expected) -> None:
    words, _, plies = expected.oracle
    board = Board(expected.rules.native)
    assert np.array_equal(board.over(words), plies == 0)
    some = random.Random(1).sample(words.tolist(), min(300, words.size))
    children, ends = board.successors(np.array(some, np.uint64))
    for word, found in zip(some, np.split(children, ends[:-1]), strict=True):
        position = expected.rules.from_word(word)
        played = [position.play(move).mover_word for move in position.legal_moves()]
        assert sorted(found.tolist()) == sorted(played)


def test_searching(expected: Expected) -> None:
    words, values, plies = expected.oracle
    some = random.Random(2).sample(range(words.size), min(300, words.size))
    positions = [expected.rules.from_word(int(words[i])) for i in some]
    for i, outcome in zip(some, search_all(positions, SEARCHED_PLIES, 60), strict=True):
        if 0 <= plies[i] <= SEARCHED_PLIES:
            assert outcome == Outcome("win" if values[i] > 0 else "loss", int(plies[i]))
        else:
            assert outcome is None


# --- Boards with many moves and many lines ---


RULES = [Quixo(2, 12, 4, "wins"), Quixo(12, 2, 3), Quixo(5, 5, 2)]
PAIRS = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]


def test_they_have_many() -> None:
    assert [(len(rules.moves), len(rules.lines)) for rules in RULES] == [(68, 18), (68, 20), (44, 72)]


@pytest.fixture(
    scope="module",
    params=[RULES[2], *(pytest.param(rules, marks=pytest.mark.exhaustive) for rules in RULES[:2])],
    ids=lambda rules: rules.name,
)
def rules(request: pytest.FixtureRequest) -> Quixo:
    found: Quixo = request.param
    return found


@pytest.fixture(scope="module")
def solved(rules: Quixo) -> dict[tuple[int, int], NDArray[np.uint16]]:
    """By the core on portable lanes."""
    return by_core(rules, "portable")


@cache
def made_up(rules: Quixo, a: int, b: int) -> NDArray[np.uint16]:
    """Mostly wins: one loss among dozens of children decides a position at once."""
    return invented(rules, a, b, losses=24, draws=1)


def children(rules: Quixo, a: int, b: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16] | None]:
    return made_up(rules, a + 1, b), made_up(rules, a, b + 1) if a > b else None


def by_core(rules: Quixo, kind: str) -> dict[tuple[int, int], NDArray[np.uint16]]:
    solver = Solver(rules.native, 1, kind, ENTRIES)
    return {(a, b): solve_entries(solver, a, b, *children(rules, a, b))[0] for a, b in PAIRS}


def test_pairs_have_wins_losses_and_draws(
    rules: Quixo, solved: dict[tuple[int, int], NDArray[np.uint16]]
) -> None:
    entries = solved[2, 2]
    counts = [np.sum(entries > DRAW), np.sum(entries < DRAW), np.sum(entries == DRAW)]
    assert min(counts[:2] if rules.line == 2 else counts) > 50, counts


@pytest.mark.parametrize("kind", lanes())
def test_all_lanes(rules: Quixo, solved: dict[tuple[int, int], NDArray[np.uint16]], kind: str) -> None:
    for pair, entries in by_core(rules, kind).items():
        assert np.array_equal(entries, solved[pair]), pair


@pytest.mark.parametrize("small", [BITMAPS, ENTRIES], ids=["bitmaps", "entries"])
@pytest.mark.parametrize("kind", lanes())
def test_outcomes_with_many_moves(
    rules: Quixo, solved: dict[tuple[int, int], NDArray[np.uint16]], kind: str, small: int
) -> None:
    solver = Solver(rules.native, 1, kind, small)
    slow = kind == "portable" and small == BITMAPS
    for a, b in PAIRS[:3] if slow else PAIRS:
        above = children(rules, a, b)

        def plane(side: int, above: Any = above, one: bool = a == b + 1) -> Any:
            return outcomes(np.split(above[side], 1 if side and one else 2)[1 - side]), None

        expected: list[Any] = np.split(solved[a, b], 1 if a == b else 2)
        for (packed, _, _), entries in zip(solver.solve(a, b, False, plane), expected, strict=True):
            assert np.array_equal(packed, outcomes(entries)), (a, b)


@each_device
def test_the_code_of_the_gpu_with_many_moves(
    rules: Quixo, solved: dict[tuple[int, int], NDArray[np.uint16]], kind: type[Any]
) -> None:
    device = kind()
    solver = GpuPairSolver(rules, device)
    for scarce in (0, GpuPairSolver.scarce):
        solver.scarce = scarce
        for a, b in PAIRS:
            more = (None if e is None else device.xp.asarray(e) for e in children(rules, a, b))
            entries, _ = solver.solve(a, b, *more)
            assert np.array_equal(device.host(entries), solved[a, b]), (a, b)
