"""The checker's rules of Ultimate Tic-Tac-Toe, against those of the room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ultimate.boards import positions

from inarow.ultimate import rules as room
from inarow.verify.ultimate.rules import ANYWHERE, LINES, SYMMETRIES, Board, Game, Wrong, bits, moves_text


@given(positions("open"), positions("open"), st.integers(-3, 90))
@settings(deadline=None, max_examples=60)
def test_games_are_the_same_as_by_the_other_rules(
    position: room.Position, another: room.Position, number: int
) -> None:
    def board_of(position: room.Position) -> Board:
        board = Board()
        for move in position.moves_played:
            board = board.play(move.number)
        return board

    board, other = Board(), position.rules.start()
    for move in (*position.moves_played, None):
        marks = [board.mark(field, spot) for field in range(9) for spot in range(9)]
        assert marks == [other.mark(field, spot) or "." for field in range(9) for spot in range(9)]
        assert (board.x_fields, board.o_fields) == (other.x_fields, other.o_fields)
        assert (board.x_marks(4), board.o_marks(4), board.taken(4)) == (
            other.x[4],
            other.o[4],
            other.taken(4),
        )
        assert board.active == (ANYWHERE if other.active is None else other.active)
        assert (board.ply, "x" if board.x_to_move else "o") == (other.ply, other.turn)
        assert (board.winner, board.is_over) == (other.winner, other.is_over)
        assert board.legal_moves() == [legal.number for legal in other.legal_moves()]
        if move is not None:
            board, other = board.play(move.number), other.play(move)
    assert (board == board_of(another)) == (position == another)
    game = Game(board, tuple(position.move_numbers))
    if number in board.legal_moves():
        assert board.why_illegal(number) is None
        assert game.play(number) == (board.play(number), (*game.moves, number))
    else:
        with pytest.raises(Wrong, match="an illegal move: ") as caught:
            game.play(number)
        assert str(caught.value).startswith(f"after {position.text}: ")
        assert caught.value.to_json()["moves"] == position.text


def test_what_is_said_of_illegal_moves() -> None:
    board = Board().play(40).play(36)  # 44 40
    assert board.why_illegal(81) == "81 is not a move"
    assert board.why_illegal(9 * 5 + 1) == "51 is not in field 0"
    assert board.play(4).why_illegal(40) == "44 is taken"
    assert Board(x_fields=0o007).why_illegal(0) == "the game is over"


def test_numbers_lines_and_symmetries() -> None:
    assert bits(0o421) == (0, 4, 8)
    assert moves_text(()) == "start"
    assert moves_text((40, 36)) == "44 40"
    assert set(SYMMETRIES) == set(room.SYMMETRIES)
    assert set(LINES) == set(room.LINES)
