"""A probe in a notebook, and its moves."""

from __future__ import annotations

import pickle
from xml.etree import ElementTree

import pytest
from quixo.forms import Forms

from inarow import Probe
from inarow.quixo.rules import Position, Quixo


@pytest.fixture
def probe(three: Forms) -> Probe:
    return three.compact.probe(Position.parse("x../..o/... x"))


def rows(probe: Probe) -> list[list[str]]:
    tree = ElementTree.fromstring(probe._repr_html_())
    return [["".join(cell.itertext()) for cell in row.iter("td")] for row in tree.iter("tr")]


def test_every_move_is_in_the_row_of_its_outcome(probe: Probe) -> None:
    position, *outcomes = rows(probe)
    assert position == ["▲ win in 5", "X to move"]
    listed = [(words[2:], move) for words, moves in outcomes for move in moves.split()]
    assert listed == [
        (f"{move.value} in {move.plies}", Quixo(3).move_text(move.move)) for move in probe.moves
    ]


def test_the_board_is_drawn(probe: Probe) -> None:
    assert probe.position.svg(240) in probe._repr_html_()


def test_a_game_that_is_over_has_no_moves() -> None:
    over = Position.parse("xxx/oo./... o")
    assert rows(Probe(over, "loss", 0, ())) == [["▼ loss in 0", "game over"]]


def test_moves_that_are_made_later_are_a_tuple_to_everyone(probe: Probe) -> None:
    moves = tuple(probe.moves)
    assert probe.moves == moves
    assert moves == probe.moves
    assert hash(probe.moves) == hash(moves)
    assert repr(probe.moves) == repr(moves)
    assert probe.moves[1:3] == moves[1:3]
    assert probe.moves != moves[1:]
    again = pickle.loads(pickle.dumps(probe))
    assert again == probe
    assert type(again.moves) is tuple
