"""Entries that are checked while a game is being solved."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from quixo.host_device import HostDevice

from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.study import shapes
from inarow.quixo.study.shapes import games, study_large_shape, study_shape
from inarow.quixo.table.pairs import pairs_of
from inarow.verify.quixo.spots import SpotChecker


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


@pytest.mark.parametrize("rules", list(games(9)), ids=lambda rules: rules.name)
def test_right_entries_follow(rules: Quixo) -> None:
    spots = checker(rules, 200)
    solve(rules, spots)
    assert spots.checked == 200 * sum(1 if a == b else 2 for a, b in pairs_of(rules))


@pytest.mark.parametrize("entry", [0, 17, 40])
def test_a_wrong_entry_is_found(entry: int) -> None:
    with pytest.raises(InarowError, match=r"pair \{\d, \d\}, plane \d: entry [\d,]+ does not follow"):
        solve(Quixo(3), checker(Quixo(3), 5000), (4, 1), entry)


def test_a_game_that_is_sampled_while_it_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `study shapes` does with the largest boards."""
    monkeypatch.setattr(shapes, "CudaDevice", HostDevice)
    found, whole = study_large_shape(Quixo(3, 4)), study_shape(Quixo(3, 4))
    assert found.sampled == 256 * sum(1 if a == b else 2 for a, b in pairs_of(Quixo(3, 4)))
    assert replace(found, sampled=0, reachable=whole.reachable) == whole


def test_entries_can_be_kept_elsewhere() -> None:
    taken = 0

    def take(entries: Any, numbers: NDArray[np.uint64]) -> NDArray[np.uint16]:
        nonlocal taken
        taken += numbers.size
        found: NDArray[np.uint16] = entries[numbers]
        return found

    rules = Quixo(2)
    spots = SpotChecker(2, 2, 2, double_line_wins=False, per_plane=10, take=take)
    solve(rules, spots)
    assert taken > spots.checked
