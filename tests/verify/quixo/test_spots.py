"""Entries that are checked while a game is being solved."""

from typing import Any

import pytest
from quixo.host_device import HostDevice

from inarow.errors import InarowError
from inarow.quixo.rules import Quixo, shapes
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.table.pairs import pairs_of
from inarow.verify.quixo.spots import SpotChecker

GAMES = [
    Quixo(rows, columns, line, double_line)
    for rows, columns in shapes(9)
    if rows <= columns
    for line in range(2, columns + 1)
    for double_line in ("loses", "wins")
]


def checker(rules: Quixo, per_plane: int) -> SpotChecker:
    return SpotChecker(
        rules.rows, rules.columns, rules.line, rules.double_line == "wins", per_plane=per_plane
    )


def solve(rules: Quixo, spots: SpotChecker, wrong: tuple[int, int] | None = None, entry: int = 0) -> None:
    """Solve a game with every pair checked; one of them with an entry that is made wrong."""
    solver = GpuPairSolver(rules, HostDevice())
    solved: dict[tuple[int, int], Any] = {}
    for a, b in pairs_of(rules):
        larger, smaller = solved.get((a + 1, b)), solved.get((a, b + 1)) if a > b else None
        solved[a, b], _ = solver.solve(a, b, larger, smaller)
        seen = solved[a, b]
        if wrong == (a, b):
            seen = seen.copy()
            seen[entry] = 32767 if seen[entry] != 32767 else 65535 - 5
        spots(a, b, seen)


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_right_entries_follow(rules: Quixo) -> None:
    spots = checker(rules, 200)
    solve(rules, spots)
    assert spots.checked == 200 * sum(1 if a == b else 2 for a, b in pairs_of(rules))


@pytest.mark.parametrize("entry", [0, 17, 40])
def test_a_wrong_entry_is_found(entry: int) -> None:
    with pytest.raises(InarowError, match=r"pair \{\d, \d\}, plane \d: entry [\d,]+ does not follow"):
        solve(Quixo(3), checker(Quixo(3), 5000), (4, 1), entry)
