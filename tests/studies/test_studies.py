"""The studies that need no file of their own for their tests, and what all of them share."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
import shapes
from common import ROOT, positions, sampled, values
from figures import figures
from luck import DEFENCES, luck, play
from oracle import quixo
from oracle.quixo_studies import Solved, each_game, number
from quixo.boards import words_of
from shapes import SHAPES, VARIED, games, kept, row_of, solved, variants

import inarow
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory

SLOW = pytest.mark.exhaustive
PROGRAMS = ("figures", "luck", "reachable", "shapes", "survey", "thumb")


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_begins_with_a_question_and_an_example(name: str) -> None:
    program = ROOT / "studies" / f"{name}.py"
    shown = subprocess.run([sys.executable, program, "--help"], check=True, capture_output=True, text=True)
    assert f"    python studies/{name}.py --" in shown.stdout


def test_the_folder_has_no_other_programs() -> None:
    assert {path.stem for path in (ROOT / "studies").glob("*.py")} == {*PROGRAMS, "common"}


# --- Positions ---


def test_positions_are_all_of_a_class() -> None:
    rules = Quixo(3)
    random = np.random.default_rng(1)
    for x, o in ((0, 0), (1, 2), (3, 3), (4, 2), (2, 4), (9, 0)):
        words, images = map(np.concatenate, zip(*positions(rules, x, o), strict=True))
        every = set(words_of(rules, x, o))
        assert images.sum() == len(every)
        found = [it.mover_word for word in words.tolist() for it in rules.from_word(word).symmetries()]
        assert set(found) == every
        drawn = sampled(rules, x, o, 2000, random)
        assert set(drawn.tolist()) <= every
        assert len(set(drawn.tolist())) > min(len(every), 2000) // 2


def test_what_is_not_known_is_named() -> None:
    words = np.array([0x7FF], np.uint64)
    with (
        inarow.open_prober(Quixo(5)) as book,
        pytest.raises(inarow.MissingTable, match="11 marks, is not known"),
    ):
        values(book, words)


# --- Figures ---


@each_game(Quixo(2, 4), Quixo(2), Quixo(3), Quixo(2, 5))
def test_figures(rules: Quixo) -> None:
    every = Solved.of(rules)
    value, over = every.value, every.over
    with inarow.open_prober(rules) as prober:
        found = figures(prober, rules.cells)
    layers = [{board for board in layer if not over[board]} for layer in every.from_blanks()]

    def agrees(figure: dict[str, Any] | None, layers: list[set[int]]) -> None:
        marks, boards = next(
            ((marks, boards) for marks, boards in enumerate(layers) if boards), (None, set())
        )
        if figure is None:
            assert not boards
            return
        assert (figure["marks"], figure["count"]) == (marks, len(every.images(boards)))
        assert every.images(map(number, figure["positions"])) <= every.images(boards)

    agrees(found["decided"], [{board for board in layer if value[board]} for layer in layers])
    lost = [{board for board in layer if value[board] < 0} for layer in layers]
    lost[1::2] = [set()] * len(lost[1::2])
    agrees(found["balanced_loss_from_blanks"], lost)
    balanced: list[set[int]] = [set() for _ in range(rules.cells + 1)]
    for here, classes in every.boards(value < 0):
        for board, (x, o) in zip(here.tolist(), classes, strict=True):
            if x == o:
                balanced[x + o].add(board)
    agrees(found["balanced_loss"], balanced)


@SLOW
def test_the_book_knows_the_first_decided_positions_of_5x5() -> None:
    with inarow.open_prober(Quixo(5)) as book:
        found = figures(book, 6)
    assert found["decided"] is not None
    assert [found["decided"][name] for name in ("value", "marks", "count")] == ["win", 6, 424]
    assert found["balanced_loss"] is None


# --- Luck ---


def expectations(rules: Quixo, defence: str) -> dict[str, float]:
    """Expected plies from all won boards that are not over, by plain value iteration over strings."""
    every = quixo.solve(rules.rows, rules.columns, rules.line, rules.double_line)
    boards = ["".join(tiles) for tiles in product(".XO", repeat=rules.cells)]
    value = {board: every[quixo.masks(board)] for board in boards}
    choices: dict[str, list[str]] = {}
    for board, (outcome, plies) in value.items():
        if plies and outcome != "draw":
            after = every_child(board, rules)
            if outcome == "win":
                after = [child for child in after if value[child][0] == "loss"]
            elif defence == "longest":
                after = [child for child in after if value[child][1] == plies - 1]
            choices[board] = after
    expected = dict.fromkeys(boards, 0.0)
    for _ in range(400):
        for board, after in choices.items():
            there = [expected[child] for child in after]
            worst = defence == "worst" and value[board][0] == "loss"
            expected[board] = 1 + (max(there) if worst else sum(there) / len(there))
    return {board: plies for board, plies in expected.items() if value[board][0] == "win" and value[board][1]}


def every_child(board: str, rules: Quixo) -> list[str]:
    """The boards after each move, as often as there are moves to them."""
    position = Position(rules, *quixo.masks(board))
    words = [position.play(move).mover_word for move in position.legal_moves()]
    texts = [rules.from_word(word).text.split()[0].replace("/", "").upper() for word in words]
    assert set(texts) == quixo.children(board, rules.rows, rules.columns)
    return texts


@pytest.mark.parametrize("defence", DEFENCES)
@each_game(Quixo(2), Quixo(2, 3), Quixo(3))
def test_luck(rules: Quixo, defence: str) -> None:
    found = luck(table_in_memory(rules), defence)
    expected = expectations(rules, defence)
    assert found["won"] == len(expected)
    assert found["mean"] == pytest.approx(sum(expected.values()) / len(expected), rel=1e-9)
    assert found["longest"] == pytest.approx(max(expected.values()), rel=1e-9)
    assert found["start"] == (
        pytest.approx(expected["." * rules.cells]) if found["start"] is not None else None
    )
    assert found["residual"] < 1e-8
    for its in found["classes"]:
        marks = Counter({"X": its["x"], "O": its["o"], ".": rules.cells - its["x"] - its["o"]})
        those = [plies for board, plies in expected.items() if Counter(board) == marks]
        assert its["won"] == len(those)
        assert its["longest"] == pytest.approx(max(those))


@SLOW
@pytest.mark.parametrize("defence", ["random", "longest"])
def test_games_are_as_long_as_expected(defence: str) -> None:
    table = table_in_memory(Quixo(3))
    found, played = luck(table, defence), play(table, 20_000, defence, seed=1)
    assert played["unfinished"] == 0
    assert abs(played["mean"] - found["mean"]) < 5 * played["error"]
    assert played == play(table, 20_000, defence, seed=1)


@SLOW
def test_the_worst_defence_plays_no_games() -> None:
    with pytest.raises(ValueError, match="not in games"):
        play(table_in_memory(Quixo(2)), 5, "worst")


# --- Shapes ---


def test_every_game_is_kept() -> None:
    every = list(games())
    assert len(every) == len(set(every))
    assert list(kept()) == [rules for rules in every if rules in kept()]
    assert set(games(24)) < set(kept()) <= set(every)
    for rules, its in kept().items():
        assert its["win"] + its["draw"] + its["loss"] == 3**rules.cells
        assert its["value"] == "draw" or its["plies"] is not None
        assert (its["reachable"] is None) == (rules.cells > 16)
        assert its["proven"] or its["sampled"] or rules.cells == 25
        if rules.cells <= 22:
            assert its["proven"]


def test_every_variant_is_kept() -> None:
    every = list(variants())
    assert list(kept(VARIED)) == every
    assert len({(its.rows, its.columns, frozenset(its.lines), its.ends) for its in every}) == len(every)
    assert not set(every) & set(games())
    for rules, its in kept(VARIED).items():
        assert its["win"] + its["draw"] + its["loss"] == 3**rules.cells
        assert its["proven"]


@SLOW
@pytest.mark.parametrize("rules", list(games(8)), ids=lambda rules: rules.name)
def test_a_plain_solver_agrees(rules: Quixo) -> None:
    args = rules.rows, rules.columns, rules.line, rules.double_line
    outcomes = quixo.solve(*args)
    plies: dict[str, list[int]] = {"win": [], "draw": [], "loss": []}
    for value, took in outcomes.values():
        plies[value].append(took or 0)
    expected = {
        **rules.to_json(),
        "value": outcomes[0, 0][0],
        "plies": outcomes[0, 0][1],
        **{value: len(those) for value, those in plies.items()},
        "longest_win": max(plies["win"]),
        "longest_loss": max(plies["loss"]),
        "reachable": len(quixo.reachable(*args)),
        "proven": True,
        "sampled": 0,
    }
    assert kept()[rules] == expected
    assert solved(rules, "cpu") == expected


@SLOW
@pytest.mark.parametrize("double_line", ["loses", "wins"])
@pytest.mark.parametrize("line", [3, 4, 5])
def test_results_of_5x5_are_those_of_the_whole_tables(line: int, double_line: Any) -> None:
    rules = Quixo(5, 5, line, double_line)
    assert row_of(results(rules)).items() <= kept()[rules].items()


@SLOW
def test_a_different_result_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Quixo(2, 3)
    changed = {rules: kept()[rules] | {"draw": 344}}
    monkeypatch.setattr(shapes, "kept", lambda file: changed)
    found, [wrong] = shapes.compared(games(6), SHAPES, "cpu")
    assert len(found) == 6
    assert wrong.startswith("Quixo 2×3, line 3, double line loses: ")
    assert shapes.compared(games(6), SHAPES, None) == ([changed[rules]], [])
