"""The survey of all positions against an oracle that knows no symmetry and numbers boards in base 3."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from documents import result
from oracle import quixo_arrays
from oracle.quixo_studies import Solved, each_game, number
from survey import survey

import inarow
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo

SLOW = pytest.mark.exhaustive


def surveyed(rules: Quixo) -> dict[str, Any]:
    with inarow.open_prober(rules) as prober:
        return survey(prober)


def agrees(found: dict[str, Any], solved: Solved, returning: bool = True) -> None:
    blanks = solved.blanks()
    blanks["with_choice"] = blanks.pop("positions")
    for name, counts in (solved.passing() | blanks | solved.draws()).items():
        assert Counter({(its["x"], its["o"]): its[name] for its in found["classes"]}) == counts, name
    assert sum(its["unfinished"] for its in found["classes"]) == np.count_nonzero(~solved.over)
    sequences = found["sequences"]
    plies, on_loops = solved.forced()
    assert len(sequences["by_plies"]) == plies
    assert sequences["on_loops"] <= on_loops
    assert sum(sequences["by_plies"]) + sequences["endless"] == sum(its["single"] for its in found["classes"])
    if returning:
        boards = solved.returning()
        assert found["returning"] == len(boards)
        images = solved.images(boards)
        assert found["returning_up_to_symmetry"] == len(images)
        assert {number(text) for text in found["returning_positions"]} <= images | boards


@each_game(
    *(Quixo(2, 4), Quixo(2), Quixo(3), Quixo(3, line=2), Quixo(3, double_line="wins"), Quixo(3, 4)),
    *(Quixo(2, 5), Quixo(2, 5, 4, "wins"), Quixo(2, 6)),
)
def test_every_count(rules: Quixo) -> None:
    agrees(surveyed(rules), Solved.of(rules))


@SLOW
def test_passing_is_better_in_two_positions_of_3x4() -> None:
    assert surveyed(Quixo(3, 4))["better_positions"] == [
        {"position": "oxxo/x..x/oxxo x", "value": "draw", "passing": "win"},
        {"position": "xoox/o..o/xoox x", "value": "loss", "passing": "draw"},
    ]


@SLOW
def test_4x4() -> None:
    """All 3¹⁶ boards: the values are from a table, the rest is the oracle's."""
    value, over = np.zeros(3**16, np.int8), np.zeros(3**16, bool)
    with inarow.open_prober(Quixo(4)) as prober:
        for first in range(0, 3**16, 1 << 20):
            numbers = np.arange(first, min(first + (1 << 20), 3**16))
            tiles = quixo_arrays.tiles(4, 4, numbers)
            one, two = (
                sum((tile == mark) << (15 - place) for place, tile in enumerate(tiles)) for mark in (1, 2)
            )
            words = np.asarray(one, np.uint64) << np.uint64(32) | np.asarray(two, np.uint64)
            value[numbers], plies = prober.tables[0].probe_many(words)
            over[numbers] = plies == 0
        found = survey(prober)
        check_sequences(prober, found["sequences"])
    agrees(found, Solved(4, 4, value, over), returning=False)
    # The numbers of docs/results/quixo-questions.md.
    assert (found["better"], found["better_up_to_symmetry"]) == (22, 5)
    assert found["returning_up_to_symmetry"] == 2151
    assert [its["plies"] for its in found["sequences"]["loops"]] == [2, 4]


def check_sequences(prober: inarow.Prober, found: dict[str, Any]) -> None:
    def drawing(position: Position) -> list[Position]:
        return [child for child, _ in position.successors() if prober.probe(child).value == "draw"]

    for text in found["longest"]:
        position = Position.parse(text)
        for _ in found["by_plies"]:
            [position] = drawing(position)
        assert len(drawing(position)) != 1
    for loop in found["loops"]:
        first = position = Position.parse(loop["position"])
        for _ in range(loop["plies"]):
            [position] = drawing(position)
        assert position.canonical().mover_word == first.canonical().mover_word
    for text in found["repeating"][:3]:  # follow it, and come back to where one has been
        position, seen = Position.parse(text), set[int]()
        while (word := position.canonical().mover_word) not in seen:
            seen.add(word)
            [position] = drawing(position)


# --- 5×5: what a GPU found, with a program of its own, which inarow 0.2 had ---


def test_draws_of_5x5_are_those_of_the_solution() -> None:
    of_5x5 = result("survey")
    solved = {(its.x, its.o): its for its in results(Quixo(5)).statistics.classes}
    classes = {(its["x"], its["o"]): its for its in of_5x5["classes"]}
    assert classes.keys() == solved.keys()
    for (x, o), its in classes.items():
        assert its["drawn"] == solved[x, o].draw
        assert its["draw_to_win"] == classes[o, x]["loss_to_draw"]  # the same boards, from the other side
    fields = ("loss_to_draw", "loss_to_win", "draw_to_win")
    assert of_5x5["better"] == sum(its[field] for its in of_5x5["classes"] for field in fields)
    single = sum(its["single"] for its in of_5x5["classes"])
    assert sum(of_5x5["sequences"]["by_plies"]) + of_5x5["sequences"]["endless"] == single


@SLOW
def test_few_marks_of_5x5_are_as_the_book_says() -> None:
    known = {(its["x"], its["o"]): its for its in result("survey")["classes"]}
    with inarow.open_prober(Quixo(5)) as prober:
        found = survey(prober, most_marks=5)
    assert len(found["classes"]) == 21
    assert "sequences" not in found
    for its in found["classes"]:
        expected = known[its["x"], its["o"]]
        assert {name: its[name] for name in its if name in expected} == {
            name: expected[name] for name in expected if name in its
        }
