"""Every variant of the rules: solved in every way, proven, searched, and compared with the oracle."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from oracle import quixo as oracle
from quixo.boards import random_board
from quixo.entries import BITMAPS, as_numbers, lanes, outcomes, plies, solve_planes, widened
from quixo.host_device import HostDevice
from quixo.test_solve import all_pairs

import inarow
from inarow._native.quixo import Solver
from inarow.game_record import GameRecord
from inarow.quixo.rules import VARIANTS, Position, Quixo, shapes
from inarow.quixo.search import search
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.engine import class_counts
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.pairs import layers_of
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table import verify_table

FLAGS: list[dict[str, Any]] = [
    {"double_line": double_line, **dict(zip(VARIANTS, values, strict=True))}
    for double_line in ("loses", "wins", "draws")
    for values in itertools.product((False, True), repeat=len(VARIANTS))
]
exhaustive = pytest.mark.exhaustive
each_variant = pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: Quixo(2, **flags).name[10:])


def games(flags: dict[str, Any], cells: range) -> Iterator[Quixo]:
    """On boards of so many cells that are no higher than wide, with lines of all lengths."""
    for rows, columns in shapes(cells[-1]):
        if rows <= columns and rows * columns in cells:
            for line in range(2, columns + 1):
                yield Quixo(rows, columns, line, **flags)


# --- The rules ---


@each_variant
def test_lines_are_the_oracles(flags: dict[str, Any]) -> None:
    for rows, columns in [*shapes(12), (4, 4), (5, 5)]:
        for line in range(2, max(rows, columns) + 1):
            rules = Quixo(rows, columns, line, **flags)
            last = rules.cells - 1
            runs = oracle.runs(rows, columns, line, rules.wrap, rules.diagonals)
            expected = {sum(1 << last - place for place in run) for run in runs}
            assert set(rules.lines) == expected
            assert len(rules.lines) == len(expected)
            assert set(rules.native.lines) == expected
            assert set(Rules.from_json(rules.to_json(), "here").game.lines) == expected


@each_variant
def test_results_of_finished_games_are_the_oracles(flags: dict[str, Any]) -> None:
    rules = Quixo(3, **flags)
    random = Random(1)
    for _ in range(500):
        board = "".join(random.choices(".XO", k=9))
        position = Position(rules, *oracle.masks(board))
        expected = oracle.terminal(board, 3, 3, 3, **flags)
        assert position.result == expected
        assert position.is_over == (expected is not None)
        assert position.winner == {"win": "x", "loss": "o", "draw": None, None: None}[expected]


@each_variant
def test_names_and_records(flags: dict[str, Any]) -> None:
    rules = Quixo(4, 5, 4, **flags)
    assert Quixo.from_json(rules.to_json()) == rules
    assert Rules.from_json(rules.to_json(), "here").to_json() == rules.to_json()
    assert Rules.from_json(rules.to_json(), "here").code == rules.code
    assert eval(repr(rules)) == rules
    assert eval(repr(rules.start())) == rules.start()
    record = GameRecord.of_moves(rules.start(), ["a1a4", "e4e1"])
    assert GameRecord.parse(record.text) == record


def test_every_variant_has_names_of_its_own() -> None:
    games = [Quixo(3, **flags) for flags in FLAGS]
    for names in ({rules.name for rules in games}, {rules.code for rules in games}, set(map(str, games))):
        assert len(names) == len(FLAGS)


def test_the_official_rules_are_called_as_ever() -> None:
    rules = Quixo(5)
    assert rules.to_json() == {"rows": 5, "columns": 5, "line": 5, "double_line": "loses"}
    assert (rules.name, rules.code, rules.options) == ("5x5-line5-loses", 0, "--size 5")
    assert Quixo(5, double_line="wins").code == 1
    assert repr(rules) == "Quixo(rows=5, columns=5, line=5, double_line='loses')"


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_true_or_false(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} 1: must be True or False"):
        Quixo(3, **{name: 1})  # type: ignore[arg-type]


# --- Solving ---


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(range(4, 9), "auto"), *(pytest.param(range(9, 13), kind, marks=exhaustive) for kind in lanes())],
)
@each_variant
def test_all_engines_agree(flags: dict[str, Any], cells: range, kind: str) -> None:
    """Entries with plies, bitmaps with and without, and the GPU's program on the CPU."""
    for rules in games(flags, cells):
        solved = {pair: widened(entries) for pair, entries in all_pairs(rules, lanes=kind).items()}
        engine = CpuEngine(rules, threads=1, lanes=kind, small=BITMAPS)
        gpu = GpuPairSolver(rules, HostDevice())
        without_plies = solve_planes(Solver(rules.native, 1, kind, BITMAPS), rules, False)
        above: dict[Any, Any] = {}
        for layer in layers_of(rules):
            as_planes = dict(zip(layer, engine.solve_layer(layer, above), strict=True))
            for pair, found in as_planes.items():
                (a, b), entries = pair, solved[pair]
                larger, smaller = solved.get((a + 1, b)), solved.get((a, b + 1)) if a > b else None
                by_gpu, histograms = gpu.solve(a, b, larger, smaller)
                assert np.array_equal(by_gpu, entries), pair
                assert found.classes == class_counts(a, b, histograms)
                planes = found.kept.planes
                halves = np.split(entries, len(planes))
                for its, (packed, _, counts), plane, of_class in zip(
                    halves, without_plies[pair], planes, found.classes, strict=True
                ):
                    assert np.array_equal(packed, outcomes(its)), pair
                    assert counts.tolist() == [of_class.loss, of_class.draw, of_class.win]
                    assert np.array_equal(plane.outcomes, outcomes(its)), pair
                    assert np.array_equal(plane.plies, plies(its)), pair
            above = {pair: found.kept for pair, found in as_planes.items()}


@pytest.mark.parametrize(
    ("cells", "outcomes_only"),
    [
        (range(4, 9), False),
        pytest.param(range(9, 13), False, marks=exhaustive),
        pytest.param(range(4, 13), True, marks=exhaustive),
    ],
)
@each_variant
def test_tables_are_proven(flags: dict[str, Any], cells: range, outcomes_only: bool, tmp_path: Path) -> None:
    for rules in games(flags, cells):
        inarow.solve(rules, tmp_path / rules.name, outcomes_only=outcomes_only)
        assert verify_table(tmp_path / rules.name).verdict == "proven"


@pytest.mark.parametrize("cells", [range(4, 7), pytest.param(range(7, 11), marks=exhaustive)])
@each_variant
def test_every_state_is_the_oracles(flags: dict[str, Any], cells: range) -> None:
    for rules in games(flags, cells):
        expected = oracle.solve(rules.rows, rules.columns, rules.line, **flags)
        found = table_in_memory(rules).probe_many([x << 32 | o for x, o in expected])
        assert list(zip(*(array.tolist() for array in found), strict=True)) == as_numbers(expected)


# --- Searching ---


@each_variant
def test_the_search_finds_what_the_table_says(flags: dict[str, Any]) -> None:
    random = Random(3)
    for rules in (Quixo(3, **flags), Quixo(2, 5, 3, **flags), Quixo(3, 4, 3, **flags)):
        table = table_in_memory(rules)
        for _ in range(60):
            position = random_board(rules, random)
            known = table.probe(position)
            found = search(position, 5)
            if found is None:
                assert known.plies is None or known.plies > 4, position
            else:
                assert found.value == known.value, position
                assert found.plies in (None, known.plies), position


@each_variant
def test_the_wide_search_is_the_same(flags: dict[str, Any]) -> None:
    """Boards of more than 26 cells have wide masks."""
    random = Random(4)
    rules = Quixo(6, line=3, **flags)
    for _ in range(5):
        position = rules.start()
        for _ in range(12):
            if position.is_over:
                break
            position = position.play(random.choice(position.legal_moves()))
        found = search(position, 2)
        assert not position.is_over or found is not None
        assert found is None or is_decided(position, found.value, found.plies or 0)


def is_decided(position: Position, value: str, plies: int) -> bool:
    if position.is_over:
        return position.result == value
    if plies == 0:
        return False
    after = [child for child, _ in position.successors()]
    if value == "win":
        return any(is_decided(child, "loss", plies - 1) for child in after)
    return all(is_decided(child, "win", plies - 1) for child in after)
