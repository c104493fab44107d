"""Rules of thumb for a draw, compared with the same rules on strings."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from common import positions
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import quixo, quixo_thumb
from oracle.quixo_studies import each_game
from oracle.quixo_thumb import Game
from thumb import OPPONENTS, RULES, Match, Sight, left_by, thumb

import inarow
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory

SLOW = pytest.mark.exhaustive
DRAWN = Quixo(3, 4)
each_board = each_game(Quixo(2, 4), DRAWN, Quixo(4), Quixo(4, 4, 3, "wins"))

table = lru_cache(maxsize=8)(table_in_memory)


def game(rules: Quixo) -> Game:
    return Game(rules.rows, rules.columns, rules.line, rules.double_line)


def tiles(rules: Quixo, word: int) -> str:
    """A position with X to move as the oracle has it."""
    return rules.from_word(word).text.split()[0].replace("/", "").upper()


def boards_of(rules: Quixo) -> st.SearchStrategy[str]:
    """Boards with few blank tiles and with many."""
    return st.sampled_from([".XO", ".....XO", ".XXXOOO", "..XOOO"]).flatmap(
        lambda letters: st.text(letters, min_size=rules.cells, max_size=rules.cells)
    )


def word(board: str) -> int:
    x, o = quixo.masks(board)
    return x << 32 | o


@each_board
def test_scores(rules: Quixo) -> None:
    sight = Sight(table(rules))

    @settings(max_examples=25, deadline=None)
    @given(boards_of(rules))
    def same(board: str) -> None:
        words = np.array([word(board)], np.uint64)
        assert [int(score(sight, words)[0]) for score in RULES.values()] == list(
            quixo_thumb.scores(game(rules), board)
        )

    same()


@SLOW
@each_board
def test_moves_that_are_left(rules: Quixo) -> None:
    """Filters one after the other: the largest of the scores in the order of a dictionary."""
    random = np.random.default_rng(1)
    words = np.array([word("".join(random.choice(list(".XO"), rules.cells))) for _ in range(40)], np.uint64)
    words = words[[not rules.from_word(int(it)).is_over for it in words]]
    moves = inarow.moves_many(rules, words)
    for nth, left in enumerate(left_by(Sight(table(rules)), moves, np.ones(moves.words.size, bool)), 1):
        for begin, end in zip(moves.offsets[:-1], moves.offsets[1:], strict=True):
            every = [tiles(rules, int(it)) for it in moves.words[begin:end]]
            kept = [board for board, it in zip(every, left[begin:end], strict=True) if it]
            assert kept == quixo_thumb.left(game(rules), every, nth)


@SLOW
def test_positions_of_a_whole_board() -> None:
    rules = Quixo(2, 4)
    solved = quixo.solve(rules.rows, rules.columns, rules.line, rules.double_line)
    drawn = Counter[tuple[int, int]]()
    fails: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0] * (len(RULES) + 1))
    hopeless: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (len(RULES) + 1))
    for letters in product(".XO", repeat=rules.cells):
        board = "".join(letters)
        value, plies = solved[quixo.masks(board)]
        if value != "draw" or plies == 0:
            continue
        its = board.count("X"), board.count("O")
        drawn[its] += 1
        after = [
            tiles(rules, child.mover_word) for child, _ in Position(rules, *quixo.masks(board)).successors()
        ]
        for nth in range(len(RULES) + 1):
            left = quixo_thumb.left(game(rules), after, nth)
            loses = [solved[quixo.masks(child)][0] == "win" for child in left]
            fails[its][nth] += sum(loses) / len(loses)
            hopeless[its][nth] += all(loses)
    found = thumb(table(rules), None, None, count=1, rounds=0)
    assert {(one["x"], one["o"]): one["drawn"] for one in found["classes"]} == drawn
    for one in found["classes"]:
        assert one["fails"] == pytest.approx(fails[one["x"], one["o"]])
        assert one["hopeless"] == hopeless[one["x"], one["o"]]
    assert found["drawn"] == drawn.total()


def some_draws() -> Any:
    words = np.concatenate([next(positions(DRAWN, x, o))[0][:2000] for x in range(7) for o in range(6)])
    return words[table(DRAWN).values(words) == 0]


@SLOW
@pytest.mark.parametrize("opponent", OPPONENTS[1:])
def test_the_perfect_opponent_never_errs(opponent: str) -> None:
    after = Match(table(DRAWN), opponent, np.random.default_rng(1)).opponents_move(some_draws())
    assert not table(DRAWN).values(after).any()


@SLOW
def test_traps_lose_more_often() -> None:
    shares = []
    for opponent in OPPONENTS[1:]:
        after = Match(table(DRAWN), opponent, np.random.default_rng(1)).opponents_move(some_draws())
        shares.append(float((table(DRAWN).values(inarow.moves_many(DRAWN, after).words) > 0).mean()))
    assert shares[1] > shares[0] + 0.05


@SLOW
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_exceptions_are_positions_where_the_rules_lose(opponent: str) -> None:
    values = table(DRAWN).values
    match = Match(table(DRAWN), opponent, np.random.default_rng(2))
    played = match.play(600)
    assert played.held < played.games
    assert (values(played.failures) >= 0).all()
    moves = inarow.moves_many(DRAWN, played.failures)
    *_, left = left_by(match.sight, moves, np.ones(moves.words.size, bool))
    loses = left & (values(moves.words) > 0)
    assert np.logical_or.reduceat(loses, moves.offsets[:-1]).all()
    # Once they are learned, turned or not, they are answered.
    match.learn(played.failures)
    assert (values(match.answers) <= 0).all()
    images = [it.mover_word for one in played.failures for it in DRAWN.from_word(int(one)).symmetries()]
    assert (values(match.players_move(np.array(images, np.uint64))) <= 0).all()


@SLOW
def test_a_study_with_games() -> None:
    found = thumb(table(DRAWN), None, 200, count=40, rounds=2)
    assert found == thumb(table(DRAWN), None, 200, count=40, rounds=2)
    assert [its["opponent"] for its in found["games"]] == list(OPPONENTS)
    learned = [its["learned"] for its in found["rounds"]]
    assert learned[:1] == [found["games"][-1]["failures"]]
    assert learned == sorted(learned)
    for its in found["games"]:
        assert its["won"] <= its["held"] <= its["games"]
        assert (its["plies"] is None) == (its["held"] == its["games"])
        for example in found["exceptions"][its["opponent"]]:
            probe = table(DRAWN).probe(Position.parse(example["position"]))
            saving = {DRAWN.move_text(move.move) for move in probe.moves if move.value != "loss"}
            assert saving == set(example["saved_by"].split())


@SLOW
def test_no_games_without_all_positions_or_a_draw() -> None:
    few = thumb(table(DRAWN), 3, None, count=5, rounds=1)
    assert few["drawn"] == 1 + 12 + 135 + 668
    assert "games" not in few
    assert "games" not in thumb(table(Quixo(4)), None, 20, count=5, rounds=1)  # the first player wins
