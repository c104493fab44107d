"""The rules of Ultimate Tic-Tac-Toe, against the paper's figures and a plain oracle."""

from __future__ import annotations

import pytest
from golden.ultimate_paper import FIGURE_2, FIGURE_2_MOVES
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ultimate import Game
from ultimate.boards import WON, played, positions, rows

from inarow.errors import NotationError
from inarow.ultimate.rules import SYMMETRIES, Move, Position, Ultimate, Variant

VARIANTS: tuple[Variant, ...] = ("open", "closed")
EVERY_MOVE = [Move.of_number(number) for number in range(81)]


def test_figure_2() -> None:
    position = Ultimate().parse(FIGURE_2_MOVES)
    assert rows(position) == FIGURE_2
    assert (position.turn, position.active, position.ply) == ("o", 0, 17)
    assert position.field_winner(0) == "x"
    assert [position.field_winner(field) for field in range(1, 9)] == [None] * 8
    # Olivia can align three in field 0, to no effect.
    assert Move(0, 6) in position.legal_moves()
    after = position.play("06")
    assert after.field_winner(0) == "x"
    assert position.winner is None


def test_figure_2_in_the_closed_variant() -> None:
    # X14 won field 0; X16 sends there, and the field is shut.
    position = Ultimate("closed").parse(FIGURE_2_MOVES)
    assert position.active is None
    assert 0 not in {move.field for move in position.legal_moves()}
    assert position.active_fields == (1, 2, 3, 4, 5, 6, 7, 8)
    with pytest.raises(ValueError, match="move 06: field 0 is closed, x has won it"):
        position.play("06")


@given(st.sampled_from(VARIANTS), st.lists(st.integers(0, 80), max_size=81))
@settings(deadline=None)
def test_games_go_as_with_the_oracle(variant: Variant, choices: list[int]) -> None:
    position, game = Ultimate(variant).start(), Game(variant == "closed")
    for choice in choices:
        moves = position.legal_moves()
        assert {(move.field, move.spot) for move in moves} == game.moves()
        assert [move for move in EVERY_MOVE if position.why_illegal(move) is None] == list(moves)
        assert position.is_over == (not moves)
        if not moves:
            break
        assert position.turn == game.turn
        move = moves[choice % len(moves)]
        position = position.play(move)
        game.play(move.field, move.spot)
        assert [position.field_winner(field) or "" for field in range(9)] == game.fields
        assert (position.winner or "") == game.winner()
    assert [[position.mark(field, spot) or "" for spot in range(9)] for field in range(9)] == game.spots
    owners = {position.field_winner(field) for field in position.winning_fields}
    assert owners == ({position.winner} if position.winner else set())


@given(positions())
def test_text_is_read_back(position: Position) -> None:
    again = position.rules.parse(position.text.replace(" ", ",").upper())
    assert again == position == eval(repr(position))
    assert again.moves_played == position.moves_played


@given(positions(), st.sampled_from(SYMMETRIES))
def test_symmetries_act_on_fields_and_spots_at_once(position: Position, to: tuple[int, ...]) -> None:
    image = position.image(to)
    assert {move.image(to) for move in position.legal_moves()} == set(image.legal_moves())
    assert position.rules.parse(image.text) == image
    assert image.winner == position.winner
    assert image.canonical() == position.canonical()


def test_there_are_eight_symmetries() -> None:
    assert len(set(SYMMETRIES)) == 8
    assert SYMMETRIES[0] == tuple(range(9))
    first_moves = {Ultimate().start().play(move).canonical() for move in Ultimate().start().legal_moves()}
    assert len(first_moves) == 15


@given(st.sampled_from(VARIANTS), st.permutations((0, 1, 5, 6)), st.lists(st.integers(0, 80)))
def test_equal_positions_have_the_same_rest_of_the_game(
    variant: Variant, order: list[int], choices: list[int]
) -> None:
    """X is sent to the same fields in two orders, then both games continue alike."""
    first, second = (
        Ultimate(variant).parse(" ".join(["44", *(f"4{spot} {spot}4" for spot in spots)]))
        for spots in (sorted(order), order)
    )
    assert Ultimate("closed" if variant == "open" else "open").parse(first.text) != first
    for choice in choices:
        assert first == second
        assert hash(first) == hash(second)
        assert (first.turn, first.status, first.result) == (second.turn, second.status, second.result)
        assert first.legal_moves() == second.legal_moves()
        if first.is_over:
            break
        move = first.legal_moves()[choice % len(first.legal_moves())]
        first, second = first.play(move), second.play(move)


@pytest.mark.parametrize("text", ["", "start", " START ", ",", "\n"])
def test_the_start_is_nothing_or_its_name(text: str) -> None:
    assert Ultimate().parse(text) == Ultimate().start()
    assert Ultimate().start().text == "start"


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("94", "ply 1: no field '9'; must be 0 to 8", 0),
        ("44 4x", "ply 2: no spot 'x'; must be 0 to 8", 4),
        ("44 40 0", "ply 3: a move is two digits, its field and its spot, as in 40", 7),
        ("44 400", "ply 2: a move is two digits, its field and its spot, as in 40", 5),
        ("44, 40, 51", "ply 3, move 51: must be in field 0, where 40 sends", 8),
        ("44 44", "ply 2, move 44: spot 4 of field 4 already has an x", 3),
        ("44 ４0", "ply 2: no field '４'; must be 0 to 8", 3),
        ("44 start", "ply 2: no field 's'; must be 0 to 8", 3),
        (f"{WON} 00", "ply 30, move 00: the game is over, x has won", len(WON) + 1),
    ],
)
def test_bad_move_lists_name_the_ply_and_the_reason(text: str, reason: str, column: int) -> None:
    with pytest.raises(NotationError) as caught:
        Ultimate().parse(text)
    assert (caught.value.reason, caught.value.column) == (reason, column)


def test_a_game_can_be_drawn() -> None:
    drawn = dict.fromkeys(VARIANTS, 0)
    for variant in VARIANTS:
        for seed in range(60):
            position = played(variant, [seed * (ply + 7) ** 3 % 1009 for ply in range(81)])
            assert position.is_over
            if position.winner is None:
                drawn[variant] += 1
                assert position.status == "drawn"
                assert variant == "closed" or position.ply == 81
    assert all(drawn.values())


def test_bad_values() -> None:
    with pytest.raises(ValueError, match="variant 'popular': must be 'open' or 'closed'"):
        Ultimate("popular")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="spot 9: must be 0 to 8"):
        Move(0, 9)
