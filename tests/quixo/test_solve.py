"""The solver against the oracle, the paper, and itself on other instructions."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.quixo_paper import START, TABLE_3_4X4, TOTALS_4X4
from numpy.typing import NDArray
from oracle import quixo as oracle
from quixo.entries import ENTRIES, as_numbers, narrowed, solve_entries
from quixo.forms import contents

import inarow
from inarow._native.quixo import Solver
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.solution import Solution
from inarow.quixo.solver.user_table import ensure_table
from inarow.quixo.table.pairs import pairs_above, pairs_of

VARIANTS: list[tuple[int, int, DoubleLine]] = [
    (size, line, double_line)
    for size, line in [(2, 2), (3, 3), (4, 3), (4, 4)]
    for double_line in ("loses", "wins")
]
each_variant = pytest.mark.parametrize(("size", "line", "double_line"), VARIANTS)
each_small_variant = pytest.mark.parametrize(
    ("size", "line", "double_line"), [variant for variant in VARIANTS if variant[0] < 4]
)


@cache
def solution(size: int, line: int, double_line: DoubleLine) -> Solution:
    return inarow.solve(Quixo(size, line=line, double_line=double_line))


def all_pairs(
    rules: Quixo, threads: int = 1, lanes: str = "auto", small: int = ENTRIES
) -> dict[tuple[int, int], NDArray[np.uint8]]:
    """Entries of one byte of all pairs."""
    solver = Solver(rules.native, threads, lanes, small)
    solved: dict[tuple[int, int], NDArray[np.uint8]] = {}
    for pair in pairs_of(rules):
        larger, smaller = [*(solved[above] for above in pairs_above(rules, *pair)), None, None][:2]
        solved[pair] = narrowed(solve_entries(solver, *pair, larger, smaller)[0])
    return solved


def assert_same(left: dict[Any, NDArray[Any]], right: dict[Any, NDArray[Any]]) -> None:
    assert left.keys() == right.keys()
    for pair in left:
        assert np.array_equal(left[pair], right[pair]), pair


@each_small_variant
def test_every_state_is_the_oracles(size: int, line: int, double_line: DoubleLine, tmp_path: Path) -> None:
    inarow.solve(Quixo(size, line=line, double_line=double_line), tmp_path / "table")
    expected = oracle.solve(size, size, line, double_line)
    assert len(expected) == 3 ** (size * size)
    with inarow.open_table(tmp_path / "table") as table:
        found = table.probe_many([x << 32 | o for x, o in expected])
    assert list(zip(*(array.tolist() for array in found), strict=True)) == as_numbers(expected)


def test_table_3_of_the_paper() -> None:
    statistics = solution(4, 4, "loses").statistics
    assert tuple(statistics.by_plies) == TABLE_3_4X4[:-1]
    assert TABLE_3_4X4[-1] == (23, 0, 0)
    data = solution(4, 4, "loses").to_json()
    assert statistics.states == data["states"] == TOTALS_4X4
    assert tuple(tuple(row.values()) for row in data["by_plies"]) == TABLE_3_4X4[:-1]


@pytest.mark.parametrize("size", [3, 4])
def test_the_start_is_as_published(size: int) -> None:
    start = solution(size, size, "loses").start
    assert start is not None
    assert (start.value, start.plies) == START[size]


@each_variant
def test_all_instructions_give_the_same(size: int, line: int, double_line: DoubleLine) -> None:
    rules = Quixo(size, line=line, double_line=double_line)
    best = all_pairs(rules)
    assert_same(best, all_pairs(rules, lanes="portable"))
    assert_same(best, all_pairs(rules, threads=3))


def test_threads_may_solve_the_same_game_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        for outcomes_only in (False, True):
            solving = [pool.submit(inarow.solve, Quixo(4), outcomes_only=outcomes_only) for _ in range(4)]
            assert [solved.result().statistics.states for solved in solving] == [TOTALS_4X4] * 4


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="lanes"):
        CpuEngine(Quixo(3), lanes="quantum")
    solver = Solver(Quixo(3).native, 1)
    for a, b in [(1, 2), (9, 1), (0, -1)]:
        with pytest.raises(ValueError, match="no such pair"):
            solve_entries(solver, a, b, None, None)
    plane = np.zeros(3, np.uint8)
    for planes, what in [((plane, plane), "outcomes: expected"), ((plane, None), "outcomes: expected")]:
        with pytest.raises(ValueError, match=what):
            solver.solve(4, 4, True, lambda _, planes=planes: planes)  # type: ignore[misc]
    with pytest.raises(ValueError, match="planes need plies, or none"):
        solver.solve(8, 0, False, lambda _: (np.zeros(1, np.uint8), plane[:2]))


@pytest.mark.parametrize("manifest", [{"format": "inarow-quixo", "version": 2}, {"version": 1}])
def test_a_users_table_of_an_older_release_is_made_again(
    manifest: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = ensure_table(Quixo(2))
    whole = contents(path)
    data = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(data | manifest))
    (path / "pair-00-00.bin").write_bytes(b"")
    assert contents(ensure_table(Quixo(2))) == whole
