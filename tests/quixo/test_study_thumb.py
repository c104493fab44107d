"""Rules of thumb for a draw, compared with the same rules on strings."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import quixo, quixo_thumb
from oracle.quixo_thumb import Game

from inarow.quixo.arrays import moves_many
from inarow.quixo.prober import open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.study.scope import Scope, Words, swapped
from inarow.quixo.study.thumb import (
    NOTHING,
    OPPONENTS,
    RULES,
    Match,
    Opponent,
    Sight,
    learn,
    left_by,
    study_thumb,
)

BOARDS = [
    Quixo(2, 4),
    Quixo(3, 4),
    Quixo(4),
    Quixo(4, line=3, double_line="wins"),
    Quixo(5),
    Quixo(5, line=3),
]
DRAWN = Quixo(3, 4)


@lru_cache(maxsize=8)
def scope(rules: Quixo) -> Scope:
    return Scope(open_prober(rules, [table_in_memory(rules)]), sample=2000)


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


@pytest.mark.parametrize("rules", BOARDS, ids=lambda rules: rules.name)
def test_scores(rules: Quixo) -> None:
    sight = Sight(rules)

    @settings(max_examples=25, deadline=None)
    @given(boards_of(rules))
    def same(board: str) -> None:
        words = np.array([word(board)], np.uint64)
        found = tuple(int(rule.score(sight, words)[0]) for rule in RULES)
        assert found == quixo_thumb.scores(game(rules), board)

    same()


@pytest.mark.parametrize("rules", BOARDS[:4], ids=lambda rules: rules.name)
def test_moves_that_are_left(rules: Quixo) -> None:
    """Filters one after the other: the largest of the scores in the order of a dictionary."""
    random = np.random.default_rng(1)
    words = np.array([word("".join(random.choice(list(".XO"), rules.cells))) for _ in range(40)], np.uint64)
    words = words[[not rules.from_word(int(it)).is_over for it in words]]
    moves = moves_many(rules, words)
    for nth, left in enumerate(left_by(Sight(rules), moves, RULES, np.ones(moves.words.size, bool)), 1):
        for begin, end in zip(moves.offsets[:-1], moves.offsets[1:], strict=True):
            every = [tiles(rules, int(it)) for it in moves.words[begin:end]]
            kept = [board for board, it in zip(every, left[begin:end], strict=True) if it]
            assert kept == quixo_thumb.left(game(rules), every, nth)


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
    found = study_thumb(Scope(scope(rules).prober), games=1, rounds=0)
    for one in found.classes:
        assert one.drawn == drawn[one.x, one.o]
        assert one.fails == pytest.approx(fails[one.x, one.o])
        assert list(one.hopeless) == hopeless[one.x, one.o]
    assert found.drawn == drawn.total()


def some_draws(rules: Quixo) -> Words:
    found = []
    for x, o in scope(rules).classes():
        for words, _ in scope(rules).positions(x, o):
            found.append(words[scope(rules).values(words) == 0])
    return np.concatenate(found)


@pytest.mark.parametrize("opponent", ["drawing", "traps"])
def test_the_perfect_opponent_never_errs(opponent: Opponent) -> None:
    words = some_draws(DRAWN)
    after = Match(scope(DRAWN), opponent, np.random.default_rng(1)).opponents_move(words)
    assert not scope(DRAWN).values(after).any()


def test_traps_lose_more_often() -> None:
    words = some_draws(DRAWN)
    shares = []
    for opponent in ("drawing", "traps"):
        after = Match(scope(DRAWN), opponent, np.random.default_rng(1)).opponents_move(words)
        moves = scope(DRAWN).moves(after)
        shares.append(float((scope(DRAWN).values(moves.words) > 0).mean()))
    assert shares[1] > shares[0] + 0.05


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_exceptions_are_positions_where_the_rules_lose(opponent: Opponent) -> None:
    here = scope(DRAWN)
    match = Match(here, opponent, np.random.default_rng(2), rules=RULES[:1])  # fails often
    played = match.play(200, NOTHING)
    assert played.held + played.lengths.size == 200
    assert (played.lengths % 2 == 0).all()
    assert 0 < played.failures.size <= played.lengths.size
    assert (here.values(played.failures) >= 0).all()
    moves = here.moves(played.failures)
    *_, left = left_by(match.sight, moves, match.rules, np.ones(moves.words.size, bool))
    loses = left & (here.values(moves.words) > 0)
    assert np.logical_or.reduceat(loses, moves.offsets[:-1]).all()
    # Once they are learned, turned or not, they are answered.
    learned = learn(here, match.sight, played.failures)
    assert (here.values(learned.answers) <= 0).all()
    images = [it.mover_word for one in played.failures for it in here.rules.from_word(int(one)).symmetries()]
    assert (here.values(match.players_move(np.array(images, np.uint64), learned)) <= 0).all()


def test_a_study_with_games() -> None:
    found = study_thumb(scope(DRAWN), games=40, rounds=2)
    assert found == study_thumb(scope(DRAWN), games=40, rounds=2)
    assert [its.opponent for its in found.games] == list(OPPONENTS)
    learned = [its.learned for its in found.rounds]
    assert learned[:1] == [found.games[-1].exceptions]
    assert learned == sorted(learned)
    for its in found.games:
        assert its.won <= its.held <= its.games
        assert (its.plies is None) == (its.held == its.games)
        for example in its.examples:
            probe = scope(DRAWN).prober.probe(example.position)
            assert probe.value in ("draw", "win")
            saving = {DRAWN.move_text(move.move) for move in probe.moves if move.value != "loss"}
            assert saving == set(example.saving)


def test_no_games_without_all_positions_or_a_draw() -> None:
    few = study_thumb(Scope(scope(DRAWN).prober, most_marks=3), games=5)
    assert few.drawn == 1 + 12 + 135 + 668
    assert not few.games
    assert not few.rounds
    assert not study_thumb(Scope(scope(Quixo(3)).prober, sample=20), games=5).games  # the first player wins


def test_a_win_in_three_is_a_win() -> None:
    """The table knows of nothing that a look at three plies finds, and the other way round."""
    rules = Quixo(4)
    table = table_in_memory(rules)
    here = Scope(open_prober(rules, [table]), sample=200)
    words = np.concatenate([looked.words for x, o in here.classes() for looked in here.positions(x, o)])
    values, plies = table.probe_many(words)
    sight = Sight(rules)
    for most, found in ((1, sight.wins_at_once(words)), (3, sight.wins_in_three(words))):
        assert np.array_equal(found, (values == 1) & (plies <= most))
    assert np.array_equal(swapped(swapped(words)), words)
