"""The checker of defences: it never calls one proven with which X wins."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.positional import wins_within
from positional.test_small_boards import tiny_games

from inarow._native import verify_positional as native
from inarow.positional.dictionary.defend import DefenceLine, find_defence
from inarow.positional.rules import Game
from inarow.verify.positional.defence import read_defence, verify_defence
from inarow.verify.positional.text import UnreadableDictionary

TIC_TAC_TOE = Game.named("mnk:3x3x3")


def random_defence(game: Game, seed: int) -> str:
    """An answer to every position, and pairs after some of them, all chosen at random."""
    chance = random.Random(seed)
    rows = []
    for state in range(3**game.cells):
        marks = [state // 3**cell % 3 for cell in range(game.cells)]
        x, o = (sum(1 << cell for cell, mark in enumerate(marks) if mark == side) for side in (1, 2))
        empty = [cell for cell, mark in enumerate(marks) if mark == 0]
        if x.bit_count() != o.bit_count() + 1 or not empty:
            continue
        chance.shuffle(empty)
        pairs = [(empty[i], empty[i + 1]) for i in range(1, len(empty) - 1, 2)]
        rows.append(DefenceLine(x, o, empty[0], tuple(pairs[: chance.choice((0, 0, 1, 9))])).text(game.cells))
    return "\n".join(rows)


@settings(max_examples=120, deadline=None)
@given(tiny_games().filter(lambda game: game.cells <= 7), st.integers(0, 1000))
def test_no_defence_is_proven_where_x_wins(game: Game, seed: int) -> None:
    if verify_defence(game, random_defence(game, seed)).verdict == "proven":
        assert not wins_within(game, 0, 0, game.cells)


def test_every_line_is_needed_and_o_needs_none_of_its_own() -> None:
    game = Game.named("mnk:5x4x4", maker_breaker=True)
    rows = find_defence(game).text().splitlines()
    for missing in range(1, len(rows)):
        report = verify_defence(game, "\n".join(rows[:missing] + rows[missing + 1 :]))
        assert (report.verdict, report.breach) == ("wrong", "unanswered")
    report = verify_defence(Game.named("mnk:5x4x4", maker_breaker=False), "\n".join(rows))
    assert report.reason == "X never completes a line, even if O's own lines do not count"
    assert (report.verdict, report.unused_lines) == ("proven", ())


def test_a_counterexample_is_a_game_that_x_wins() -> None:
    """O answers at the edge, not in the middle, and blocks from then on."""
    report = verify_defence(TIC_TAC_TOE, "\n".join(("xO.......", "x...O....", "O...x....", ".x..O....")))
    assert (report.verdict, report.breach) == ("wrong", "unanswered")
    assert report.moves[:2] == (0, 1)
    position = TIC_TAC_TOE.start()
    for move in report.moves:
        position = position.play(move)
    assert (position.is_over, position.turn) == (False, "o")


def test_pairs_must_hold() -> None:
    game = Game.named("mnk:4x2x4")
    assert verify_defence(game, "aa..b..b").verdict == "proven"
    assert verify_defence(game, "aa......").verdict == "proven"  # the other line is light
    report = verify_defence(game, "a...a...")  # no line has both
    assert (report.verdict, report.breach) == ("wrong", "pairs")
    assert report.reason == "the pairs do not block every line, line 1"


def test_lines_that_are_not_needed_are_named() -> None:
    text = find_defence(TIC_TAC_TOE).text()
    assert verify_defence(TIC_TAC_TOE, text).unused_lines == ()
    assert verify_defence(TIC_TAC_TOE, f"{text}xoxox.O..\n").unused_lines == (7,)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("O...x...", "8 cells, but the board has 9"),
        ("OO..x....", "a second capital O"),
        ("O........", "0 x against 0 o"),
        ("....x....", "no capital O"),
        (".........", "neither an answer nor pairs"),
        ("a.aaO...x", "'a' is in 3 cells"),
        ("O...x...a", "'a' is in 1 cells"),
    ],
)
def test_what_is_no_defence_is_refused(row: str, reason: str) -> None:
    with pytest.raises(UnreadableDictionary, match=f"line 2: {reason}"):
        read_defence(f"# Comment\n{row}\n", 9)


@pytest.mark.parametrize(
    "line",
    [(1, 1, 2, []), (1, 0, 0, []), (1, 0, 4, []), (1, 0, None, []), (1, 0, 1, [(2, 2)]), (1, 0, 1, [(2, 4)])],
)
def test_what_is_no_line_is_refused(line: tuple[int, int, int | None, list[tuple[int, int]]]) -> None:
    with pytest.raises(ValueError, match="line 0: "):
        native.walk_defence(4, [3, 6, 12], True, np.arange(4, dtype=np.uint8).reshape(1, 4), [line], None)


def test_there_are_symbols_for_the_pairs_of_the_largest_board() -> None:
    pairs = tuple((cell, cell + 1) for cell in range(0, 128, 2))
    assert read_defence(DefenceLine(0, 0, None, pairs).text(128), 128)[1] == (0, 0, None, list(pairs))
