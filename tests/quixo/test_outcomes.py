"""Values without plies, as bitmaps and entry by entry on all kinds of lanes, against those with plies."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quixo.entries import outcomes
from quixo.test_solve import all_pairs

import inarow
from inarow._native.quixo import OutcomeSolver, Solver
from inarow.quixo.results import results
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.table.entries import Packed, packed_size
from inarow.quixo.table.pairs import pairs_of

BITMAPS, ENTRIES = 0, 1 << 31


def lanes() -> list[str]:
    """The kinds that this machine has."""
    found = ["portable"]
    for kind in ("avx2", "avx512", "neon"):
        with suppress(ValueError):
            Solver(Quixo(2).native, 1, kind)
            found.append(kind)
    return found


def solve_all(
    solver: OutcomeSolver, rules: Quixo, least: int = 0
) -> tuple[dict[Any, list[Packed]], dict[Any, Any]]:
    """The planes of all pairs, and the counts of all classes: x and o to wins, losses and draws."""
    planes: dict[Any, list[Packed]] = {}
    counts: dict[Any, Any] = {}
    for a, b in pairs_of(rules):
        if a + b < least:
            break
        larger = planes[a + 1, b][1] if (a + 1, b) in planes else None
        smaller = planes[a, b + 1][0] if a > b and (a, b + 1) in planes else None
        planes[a, b], found = solver.solve(a, b, larger, smaller)
        counts.update(zip(((a, b), (b, a)), found, strict=False))
    return planes, counts


@pytest.mark.parametrize("kind", lanes())
@pytest.mark.parametrize("small", [BITMAPS, ENTRIES, 600], ids=["bitmaps", "entries", "both"])
@pytest.mark.parametrize(
    ("size", "line", "double_line"),
    [(2, 2, "loses"), (2, 2, "wins"), (3, 3, "loses"), (3, 3, "wins"), (4, 3, "wins"), (4, 4, "loses")],
)
def test_the_same_values_as_with_plies(
    size: int, line: int, double_line: DoubleLine, small: int, kind: str
) -> None:
    rules = Quixo(size, line=line, double_line=double_line)
    planes, counts = solve_all(
        OutcomeSolver(Quixo(size, line=line, double_line=double_line).native, 2, kind, small), rules
    )
    for (a, b), entries in all_pairs(rules).items():
        for plane, its in zip(planes[a, b], np.split(entries, len(planes[a, b])), strict=True):
            assert np.array_equal(plane, outcomes(its)), (a, b)
    for c in inarow.solve(rules).statistics.classes:
        assert counts[c.x, c.o] == (c.win, c.loss, c.draw)


def test_full_boards_of_the_largest_size_have_the_published_counts() -> None:
    _, counts = solve_all(OutcomeSolver(Quixo(5).native, 2), Quixo(5), least=25)
    known = {(c.x, c.o): (c.win, c.loss, c.draw) for c in results(Quixo(5)).statistics.classes}
    assert len(counts) == 26
    for marks, found in counts.items():
        assert found == known[marks]


@pytest.mark.parametrize("kind", lanes())
@pytest.mark.parametrize(
    "pair",
    [
        *[(0, 0), (1, 0), (2, 0), (19, 2), (20, 3), (22, 1)],
        *[pytest.param(pair, marks=pytest.mark.exhaustive) for pair in [(2, 1), (2, 2)]],
    ],
)
def test_bitmaps_of_any_size(pair: tuple[int, int], kind: str) -> None:
    """From children made up, the two ways find the same: rows are chosen by up to 16 axes."""
    a, b = pair
    solvers = [OutcomeSolver(Quixo(5).native, 1, kind, small) for small in (BITMAPS, ENTRIES)]
    chance = np.random.default_rng(a * 26 + b)

    def made_up(x: int, y: int) -> Packed:
        """The same value for all: words that are symmetric to each other must not differ."""
        value = int(chance.integers(3))
        return np.full(packed_size(solvers[0].plane_entries(x, y)), 0b01010101 * value, np.uint8)

    for _ in range(4):
        larger, smaller = made_up(a + 1, b), None if a == b else made_up(a, b + 1)
        (bitmaps, counted), (entries, also) = (solver.solve(a, b, larger, smaller) for solver in solvers)
        assert counted == also
        for one, other in zip(bitmaps, entries, strict=True):
            assert np.array_equal(one, other)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_permuted_bitmaps(data: st.DataObject) -> None:
    """Bit w of the result is the bit of the source whose index is w with its bits moved."""
    from inarow._native.quixo import permute_rows

    axes = data.draw(st.integers(9, 14))
    places = data.draw(st.permutations(range(axes)))
    flipped = data.draw(st.integers(-1, axes - 1))
    bits = np.random.default_rng(data.draw(st.integers(0, 1 << 30))).integers(
        0, 256, 1 << (axes - 3), np.uint8
    )
    words = np.arange(1 << axes)
    moved = words if flipped < 0 else words ^ 1 << flipped
    index = sum((moved >> i & 1) << place for i, place in enumerate(places))
    expected = np.packbits(np.unpackbits(bits, bitorder="little")[index], bitorder="little")
    for kind in lanes():
        assert np.array_equal(permute_rows(bits, list(places), flipped, kind), expected), kind


def test_a_task_must_fit_the_pair() -> None:
    solver = OutcomeSolver(Quixo(3).native, 1)
    with pytest.raises(ValueError, match="needs the planes"):
        solver.solve(5, 3, None, None)
    with pytest.raises(ValueError, match="no such pair"):
        solver.solve(3, 5, None, None)
    plane = np.zeros(3, np.uint8)
    with pytest.raises(ValueError, match="larger: expected"):
        solver.solve(4, 4, plane, None)
