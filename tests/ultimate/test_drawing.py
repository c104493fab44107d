"""The drawings of Ultimate Tic-Tac-Toe: well-formed, complete, and true to the position."""

from __future__ import annotations

from drawings import of_class, parse
from golden.ultimate_paper import FIGURE_2_MOVES
from hypothesis import given
from ultimate.boards import positions

from inarow.ultimate.rules import Position, Ultimate


@given(positions())
def test_all_that_is_on_the_board_is_drawn(position: Position) -> None:
    root = parse(position.svg())
    spots = of_class(root, "spot")
    drawn = []
    for spot in spots:
        marks = of_class(spot, "mark")
        drawn.append(marks[0].get("href", "").removeprefix("#ultimate-") if marks else None)
    assert drawn == [position.mark(field, spot) for field in range(9) for spot in range(9)]
    assert len(of_class(root, "lit")) == len(position.active_fields)
    assert {text.text for text in of_class(root, "number")} == {str(move) for move in position.legal_moves()}
    assert len(of_class(root, "won")) == sum(position.field_winner(field) is not None for field in range(9))
    assert len(of_class(root, "move")) == (position.ply > 0)
    assert len(of_class(root, "turn")) == (not position.is_over)
    assert bool(of_class(root, "line")) == (position.winner is not None)


def test_figure_2_is_told_in_words() -> None:
    svg = Ultimate().parse(FIGURE_2_MOVES).svg()
    assert "<title>Ultimate Tic-Tac-Toe (open), O to move in field 0</title>" in svg
    assert f"<desc>Moves: {FIGURE_2_MOVES}. X has won field 0.</desc>" in svg


def test_captions_are_escaped() -> None:
    root = parse(Ultimate().start().svg(caption="<4 & more>"))
    assert [text.text for text in of_class(root, "caption")] == ["<4 & more>"]
