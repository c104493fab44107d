"""Boards with many moves and many lines: all ways to solve find the same, from children made up."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from quixo.entries import BITMAPS, DRAW, ENTRIES, TOP, lanes, outcomes, solve_entries
from quixo.test_gpu_pairs import each_device

from inarow._native.quixo import Solver
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver

RULES = [Quixo(2, 12, 4, "wins"), Quixo(12, 2, 3), Quixo(5, 5, 2)]
PAIRS = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]


def test_they_have_many() -> None:
    assert [(len(rules.moves), len(rules.lines)) for rules in RULES] == [(68, 18), (68, 20), (44, 72)]


@cache
def made_up(rules: Quixo, a: int, b: int) -> NDArray[np.uint16]:
    """Entries of two bytes: where the game is not over, at random, but the same for images of a position."""
    cells = range(rules.cells)
    chance = np.random.default_rng(a * 26 + b)
    plies = chance.integers(0, 9, 1 << 16).astype(np.uint16)
    # Mostly wins: one loss among dozens of children decides a position at once.
    kinds = chance.choice(3, 1 << 16, p=(0.975, 0.001, 0.024))
    values = np.choose(kinds, (TOP - plies, np.full_like(plies, DRAW), plies))
    entries: list[list[int]] = [[], []]
    masks = sorted(sum(1 << cell for cell in chosen) for chosen in combinations(cells, a))
    for mask in masks:
        images = [sum(1 << to[cell] for cell in cells if mask >> cell & 1) for to in rules.symmetries]
        if min(images) < mask:
            continue
        fixing = [to for to, image in zip(rules.symmetries, images, strict=True) if image == mask]
        free = [cell for cell in cells if not mask >> cell & 1]
        words = sorted(sum(1 << nth for nth in chosen) for chosen in combinations(range(len(free)), b))
        for word in words:
            smaller = [cell for nth, cell in enumerate(free) if word >> nth & 1]
            other = sum(1 << cell for cell in smaller)
            image = min(sum(1 << to[cell] for cell in smaller) for to in fixing)
            for plane in range(1 if a == b else 2):
                result = Position(rules, *((mask, other) if plane == 0 else (other, mask))).result
                entry = int(values[hash((mask, image, plane)) & 0xFFFF])
                entries[plane].append(entry if result is None else TOP if result == "win" else 0)
    return np.array(entries[0] + entries[1], np.uint16)


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
def test_outcomes(
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
def test_the_code_of_the_gpu(
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
