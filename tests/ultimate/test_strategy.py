"""The strategies of the Ultimate paper: its figures, and its rules read word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest
from golden.ultimate_paper import FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7
from hypothesis import given, settings
from hypothesis import strategies as st
from ultimate.boards import rows

from inarow.ultimate.claims import ClaimName, by_moves, verify_claim
from inarow.ultimate.rules import SYMMETRIES, Move, Position, Ultimate
from inarow.ultimate.strategy import OffStrategy, explain, lbs, lemma6, lemma7, xavier

Olivia = Callable[[Position], tuple[Move, ...]]
seeds = st.integers(0, 2**32).map(Random)


def against_xavier(replies: Iterable[str]) -> Position:
    """Xavier's strategy and these moves of O's, with X's answer to the last."""
    position = Ultimate().start().play("44")
    for reply in replies:
        position = position.play(reply)
        position = position.play(xavier(position))
    return position


def as_in_the_paper(position: Position) -> Move:
    """Section 2 word for word, where the field that is not played in the opening is 0."""
    if position.ply == 0:
        return Move(4, 4)
    last = position.moves_played[-1]
    if position.ply < 16:
        return Move(last.spot, 4)
    if position.ply == 16:
        return Move(0, 0)
    middlegame_over = position.mark(8, 8) == "x"
    if not middlegame_over and last.spot in (1, 2, 3, 5, 6, 7):
        return Move(last.spot, 0)
    if not middlegame_over:
        return Move(8, 0) if position.mark(8, 0) is None else Move(8, 8)
    return Move(last.spot, 0) if position.mark(last.spot, 0) is None else Move(last.spot, 8)


# --- Xavier ---


OPENING = [f"4{spot}" for spot in (1, 2, 3, 5, 6, 7, 8)]


def test_figures_3_and_4() -> None:
    position = against_xavier(OPENING).play("40")
    assert (rows(position), position.turn, position.active) == (FIGURE_3, "x", 0)
    assert position.field_winner(4) == "o"
    position = against_xavier([*OPENING, "40", "01", "03", "04", "08"])
    assert (rows(position), position.turn, position.active) == (FIGURE_4, "o", 8)
    assert position.field_winner(8) == "x"


def test_figure_5_is_what_the_endgame_comes_to() -> None:
    replies = [*OPENING, "40", *(f"0{spot}" for spot in (1, 2, 3, 4, 5, 6, 7, 8))]
    position = against_xavier([*replies, *(f"8{spot}" for spot in (1, 2, 3, 6, 5))])
    # Lemma 3's game; one round more would fill the figure.
    assert (position.winner, position.ply) == ("x", 43)
    left = [
        (drawn, found)
        for row, figure in zip(rows(position), FIGURE_5, strict=True)
        for found, drawn in zip(row, figure, strict=True)
        if found != drawn
    ]
    assert sorted(left) == [("o", "."), ("x", ".")]


def test_lemma_3_has_a_game_of_43_plies_on_the_edge_too() -> None:
    # As in the lemma, except that its field 8 is field 7.
    opening = [f"4{spot}" for spot in (0, 2, 3, 5, 6, 7, 8, 1)]
    middlegame = [f"1{spot}" for spot in (0, 2, 3, 4, 5, 6, 8, 7)]
    position = against_xavier([*opening, *middlegame, *(f"7{spot}" for spot in (0, 2, 3, 5))])
    assert (position.winner, position.ply, position.active) == (None, 41, 7)
    position = position.play("76")
    position = position.play(xavier(position))
    assert (position.winner, position.ply) == ("x", 43)
    assert [field for field in range(9) if position.field_winner(field) == "x"] == [0, 2, 3, 5, 6, 7]


@given(seeds, st.sampled_from(SYMMETRIES))
@settings(deadline=None)
def test_xavier_plays_as_the_paper_tells_and_explains(random: Random, to: tuple[int, ...]) -> None:
    replies = [*random.sample(OPENING, 7), "40"]
    position, phases = Ultimate().start(), []
    while not position.is_over:
        if position.turn == "x":
            found, move = explain(position), as_in_the_paper(position)
            assert found.move == xavier(position) == move
            assert xavier(position.image(to)) == move.image(to)
            phases.append(found.phase)
            wins = position.ply > 16 and position.play(move).field_winner(move.field) == "x"
            assert ("wins field" in found.why) == wins
        else:
            move = Ultimate().parse_move(replies.pop(0)) if replies else random.choice(position.legal_moves())
        position = position.play(move)
    assert (position.winner, 29 <= position.ply <= 43) == ("x", True)
    assert phases[:8] == ["opening"] * 8
    assert phases == sorted(phases, key=["opening", "middlegame", "endgame"].index)
    assert "and the game" in found.why


# --- Olivia ---


def test_lbs_word_for_word() -> None:
    # First in a field: its double.
    assert lbs(Ultimate().parse("40")) == (Move(0, 0),)
    # Then to a field without an X.
    assert lbs(Ultimate().parse("40 00 04")) == tuple(Move(4, spot) for spot in (1, 2, 3, 5, 6, 7, 8))


def blocked(opening: str, strategy: Olivia, random: Random, wish: str = "") -> Position:
    """The position when X may play anywhere for the first time; he plays `wish` as soon as he can."""
    position = Ultimate().parse(opening)
    while position.turn == "o" or position.active is not None:
        if position.turn == "x":
            moves = [move for move in position.legal_moves() if str(move) == wish] or position.legal_moves()
            position = position.play(random.choice(moves))
        else:
            position = position.play(strategy(position)[0])
    return position


@given(seeds)
def test_figures_6_and_7(random: Random) -> None:
    position = blocked("08", lemma6, random)
    assert (rows(position), position.ply) == (FIGURE_6, 32)
    # The figure is the one of two ends in which X took (8, 0) and Olivia (0, 8). It has 16 X and 16 O, where
    # the proof counts 15 each.
    position = blocked("00 04 48", lemma7, random, wish="80")
    assert (rows(position), position.ply) == (FIGURE_7, 32)


@given(seeds, st.permutations(range(9)))
@settings(deadline=None)
def test_olivias_strategies_do_not_look_at_lines(random: Random, to: list[int]) -> None:
    """However fields and spots are numbered, they play the same: what their checks rely on."""
    i, j, k = random.sample(range(9), 3)
    for opening, choices in (
        ((), lbs),
        ((Move(i, j),), lemma6),
        ((Move(i, i), Move(i, j), Move(j, random.choice((j, k)))), lemma7),
    ):
        position = image = Ultimate().start()
        for move in opening:
            position, image = position.play(move), image.play(Move(to[move.field], to[move.spot]))
        while not position.is_over and not image.is_over and position.ply < 46:
            if position.turn == "x":
                moves = position.legal_moves()
            else:
                moves = choices(position)
                assert {Move(to[move.field], to[move.spot]) for move in moves} == set(choices(image))
            move = random.choice(moves)
            position, image = position.play(move), image.play(Move(to[move.field], to[move.spot]))


# Games in which X wins as early as the bounds allow: Olivia chooses badly among what her strategy allows.
EARLIEST = {
    29: (
        lbs,
        "74 44 48 88 80 00 02 22 28 83 36 66 63 31 13 35 54 41 10 01 16 60 04 40 06 62 24 42 20",
    ),
    49: (
        lemma6,
        "60 00 05 50 03 30 06 66 61 10 02 20 01 16 65 56 67 70 04 40 07 76 68 80 08 86 63 36 64 46 62 26 37 "
        "77 75 55 57 74 47 78 81 11 14 42 27 73 31 13 34",
    ),
    47: (
        lemma7,
        "33 35 54 44 48 84 41 14 42 24 46 64 47 74 43 34 45 53 38 83 30 04 40 03 32 23 31 13 36 63 37 73 22 "
        "28 85 55 56 66 62 20 00 01 12 27 72 25 52",
    ),
}


@pytest.mark.parametrize("ply", EARLIEST)
def test_the_bounds_are_reached(ply: int) -> None:
    choices, game = EARLIEST[ply]
    position = Ultimate().start()
    for text in game.split():
        assert position.turn == "x" or Ultimate().parse_move(text) in choices(position)
        position = position.play(text)
    assert (position.winner, position.ply) == ("x", ply)


@pytest.mark.parametrize(
    ("strategy", "moves", "reason"),
    [
        (lemma6, "44", "44: the strategy of Lemma 6 is for a first move that is not a double"),
        (lemma6, "40 04 44", "O has not followed the strategy"),
        (lemma7, "40", "40: the strategy of Lemma 7 is for a first move that is a double"),
        (lemma7, "44 40 04", "04: the strategy of Lemma 7 is for a second move of X that does not send back"),
        (lbs, "44 40", "the strategy is O's, but x to move in field 0"),
        (xavier, "44", "the strategy is X's, but o to move in field 4"),
        (xavier, "00 04", "X has not followed Xavier's strategy"),
        (xavier, "44 40 00 04", "X has not followed Xavier's strategy"),
    ],
)
def test_a_strategy_has_no_move_where_it_is_not_meant(
    strategy: Callable[[Position], object], moves: str, reason: str
) -> None:
    for variant, why in (("open", reason), ("closed", "open variant")):
        with pytest.raises(OffStrategy, match=why):
            strategy(Ultimate(variant).parse(moves))  # type: ignore[arg-type]


# --- The claims of the paper, verified with these strategies ---

LONG = [pytest.param(claim, marks=pytest.mark.exhaustive) for claim in ("xavier", "lemma7")]


@pytest.mark.parametrize("claim", ["lbs", "lemma6", *LONG])
def test_every_claim_is_proven(claim: ClaimName) -> None:
    report = verify_claim(claim)
    assert report.verdict == "proven"
    assert report.to_json()["verdict"] == "proven"
    assert report.wrong is None


def test_a_strategy_is_asked_by_moves() -> None:
    position = Ultimate().parse("44 40 04 43")
    assert by_moves(xavier)(tuple(position.move_numbers)) == Move(3, 4).number
    assert by_moves(xavier)(()) == Move(4, 4).number
