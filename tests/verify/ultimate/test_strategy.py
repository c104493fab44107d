"""The checks of the Ultimate strategies: what they find, and that they find what is wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from golden.ultimate_paper import LONGEST_XAVIER, NO_WIN_BEFORE_LBS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ultimate import ROWS

from inarow.ultimate.rules import FULL, Move, Position, Ultimate
from inarow.ultimate.strategy import (
    lbs,
    lbs_choices,
    lemma6,
    lemma6_choices,
    lemma7,
    lemma7_choices,
    xavier,
)
from inarow.verify.ultimate.strategy import (
    BlockReport,
    LbsReport,
    State,
    XavierReport,
    endgame_properties,
    spread_states,
    state_of,
    verify_lbs,
    verify_lemma6,
    verify_lemma7,
    verify_xavier,
)


@pytest.fixture(scope="module")
def xavier_report() -> XavierReport:
    return verify_xavier()


def test_xavier_wins_in_at_most_43_plies(xavier_report: XavierReport) -> None:
    found = xavier_report.to_json()
    assert xavier_report.holds
    assert found["wins"] is True
    assert (found["shortest"], found["longest"]) == (29, LONGEST_XAVIER)
    assert found["positions"] == {"olivia_to_move": 16_767, "xavier_to_move": 46_153, "final": 1_040}
    assert found["endgame"]["rounds"] == 14_976
    assert not any(found["endgame"]["violations"].values())


def test_games_against_xavier_are_all_counted(xavier_report: XavierReport) -> None:
    """Counted once more, without a board: all that matters is where O has played at home and far from it."""
    expected: Counter[int] = Counter()
    for home in (0, 1, 2, 3, 5, 6, 7, 8):
        for plies, games in lengths_from(home).items():
            # In the opening O fills field 4 in any order, but for home, which comes last.
            expected[plies] += math.factorial(7) * games
    assert xavier_report.lengths == expected
    assert sum(expected.values()) == 602_430_151_680


def lengths_from(home: int) -> Counter[int]:
    """How many games end at each ply when X is sent to field `home` last in the opening."""
    far = 8 - home

    @cache
    def games(plies: int, active: int, at_home: frozenset[int], at_far: frozenset[int]) -> Counter[int]:
        won = at_home & at_far | ({far} if {4, far} <= at_home else set())
        if any(won.issuperset(row) for row in ROWS):
            return Counter({plies: 1})
        lengths: Counter[int] = Counter()
        for spot in range(9):
            if active == home and spot != home and spot not in at_home:
                sent_before = bool({4, far} & at_home) if spot in (4, far) else spot in at_far
                after = games(plies + 2, far if sent_before else home, at_home | {spot}, at_far)
            elif active == far and spot not in (home, 4, far) and spot not in at_far:
                after = games(plies + 2, far if spot in at_home else home, at_home, at_far | {spot})
            else:
                continue
            lengths.update(after)
        return lengths

    return games(17, home, frozenset(), frozenset())


def test_the_games_of_a_sample_are_among_those_counted(xavier_report: XavierReport) -> None:
    random = Random(7)
    for _ in range(50):
        position = Ultimate().start()
        while not position.is_over:
            position = position.play(
                xavier(position) if position.turn == "x" else random.choice(position.legal_moves())
            )
        assert xavier_report.lengths[position.ply]


def test_a_wrong_move_of_xaviers_is_found() -> None:
    # Illegal, far into one game of billions.
    path = Ultimate().start()
    while path.ply < 30:
        path = path.play(xavier(path) if path.turn == "x" else path.legal_moves()[-1])

    def broken(position: Position) -> Move:
        return Move(path.legal_moves()[0].field, 4) if position == path else xavier(position)

    report = verify_xavier(broken)
    assert not report.wins
    assert report.wrong is not None
    assert report.wrong.position == path
    assert report.to_json()["counterexample"]["moves"] == report.wrong.position.text


def test_a_first_move_elsewhere_does_not_do() -> None:
    report = verify_xavier(lambda position: Move(0, 0) if position.ply == 0 else xavier(position))
    assert not report.wins
    assert "X has not followed Xavier's strategy" in str(report.wrong)


def test_losses_and_draws_are_found() -> None:
    """Games at random up to their last moves, which X plays without thinking."""
    random = Random(2)
    found: set[str] = set()
    while found != {"o has won", "the game is drawn", "won"}:
        position = Ultimate().start()
        while not position.is_over and (position.ply < 76 or position.turn == "o"):
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            wrong = verify_xavier(lambda position: position.legal_moves()[0], position).wrong
            found.add("won" if wrong is None else wrong.reason)


def test_a_property_that_fails_is_told() -> None:
    report = XavierReport(lengths=Counter({29: 1}))
    assert report.holds
    report.violations["P2"] += 1
    assert report.wins
    assert not report.holds
    assert report.to_json()["endgame"]["violations"]["P2"] == 1


def test_a_win_that_takes_too_long_is_told() -> None:
    assert not XavierReport(lengths=Counter({29: 1, 45: 1})).holds
    assert not LbsReport(states=1, no_win_before=27).holds
    assert not BlockReport(openings=1, no_win_before=Counter({43: 1})).holds
    assert BlockReport(openings=1, no_win_before=Counter({45: 1})).holds


def test_each_property_can_fail() -> None:
    """P1 to P6 are checked by what they say: marks changed one by one break each of them."""
    random = Random(1)
    broken: set[str] = set()
    position = Ultimate().start()
    while position.ply < 37:
        position = position.play(
            xavier(position) if position.turn == "x" else random.choice(position.legal_moves())
        )
    held = endgame_properties(position)
    assert held
    assert all(held.values())
    for field in range(9):
        for spot in range(9):
            for active in range(9):
                x, o = list(position.x), list(position.o)
                x[field] ^= 1 << spot
                o[field] ^= 1 << spot
                for marks in ((tuple(x), position.o), (position.x, tuple(o)), (position.x, position.o)):
                    changed = Position(position.rules, *marks, position.x_fields, position.o_fields, active)
                    found = endgame_properties(changed)
                    broken |= {name for name, holds in found.items() if not holds}
    assert broken == {"P1", "P2", "P3", "P4", "P5", "P6"}


# --- LBS ---


@pytest.fixture(scope="module")
def states() -> dict[State, set[State]]:
    return spread_states(Ultimate().start(), lbs_choices)


def test_lbs_holds() -> None:
    report = verify_lbs()
    assert report.holds
    assert report.no_win_before == NO_WIN_BEFORE_LBS
    # The start; and for each field that X is in the sets, not empty, of others that he has been in, with and
    # without the double.
    assert report.states == 1 + 2 * 9 * (2**8 - 1)


def test_each_state_of_lbs_is_followed_by_all_it_could_be(states: dict[State, set[State]]) -> None:
    for (reached, active, _), following in states.items():
        if active is None:
            assert following == {
                (1 << first, then, double)
                for first in range(9)
                for then in range(9)
                for double in (False, True)
                if then != first
            }
            continue
        after = reached | 1 << active
        left = [field for field in range(9) if not after >> field & 1]
        assert following == {(after, field, double) for field in left for double in (False, True)}


@given(st.integers(0, 2**32).map(Random), st.booleans())
@settings(deadline=None)
def test_real_games_stay_within_the_states(
    states: dict[State, set[State]], random: Random, to_one_field: bool
) -> None:
    position = Ultimate().start()
    state = state_of(position)
    favourite = random.randrange(9)
    while position.ply < 16:
        moves = position.legal_moves()
        # Sending Olivia to one field only fills it, so that at last she has the choice.
        wanted = [move for move in moves if move.spot == favourite] if to_one_field else []
        position = position.play(random.choice(wanted or moves))
        position = position.play(lbs(position, random))
        following = state_of(position)
        assert following in states[state]
        state = following


def test_a_free_choice_of_olivias_changes_nothing() -> None:
    # Field 4 is full after 16 plies, and X sends to it: Olivia may play in every field.
    position = Ultimate().parse("44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48 84")
    assert position.active is None
    fields = {move.field for move in lbs_choices(position)}
    assert fields == {0, 1, 2, 3, 5, 6, 7, 8}
    assert all(mask.bit_count() == 1 for mask in position.x)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(Position.legal_moves, id="anything"),
        pytest.param(lambda position: lbs_choices(position)[:1] or (), id="first-choice-only"),
    ],
)
def test_what_lbs_may_choose_matters(broken: Callable[[Position], tuple[Move, ...]]) -> None:
    report = verify_lbs(broken)
    # A player who keeps to LBS does no worse than it; one who does not, does.
    assert report.holds == (broken is not Position.legal_moves)


def test_no_reply_is_wrong() -> None:
    report = verify_lbs(lambda position: lbs_choices(position) if position.ply < 15 else ())
    assert not report.holds
    assert "the strategy has no move" in str(report.wrong)


def test_no_doubles_no_lbs() -> None:
    def broken(position: Position) -> tuple[Move, ...]:
        """Sends X to a field without an X, but never plays the double first."""
        without = [
            move for move in position.legal_moves() if not position.x[move.spot] and move.spot != move.field
        ]
        return tuple(without) or position.legal_moves()

    report = verify_lbs(broken)
    assert not report.holds
    assert report.no_win_before is None
    assert report.to_json()["counterexample"]["moves"]


# --- Lemmas 6 and 7 ---


def test_lemma_6_holds() -> None:
    report = verify_lemma6()
    assert report.holds
    assert report.openings == 72
    assert report.blocked_plies == {32}
    # Fields i and j are in a line with a third or not.
    assert report.no_win_before == {49: 48, 53: 24}


def test_lemma_7_holds() -> None:
    report = verify_lemma7()
    assert report.holds
    assert report.openings == 9 * 8 * 8
    assert report.blocked_plies == {32}
    assert report.no_win_before == {47: 48, 49: 336, 51: 144, 53: 48}


@pytest.mark.parametrize(
    ("opening", "strategy", "fields"), [("08", lemma6, {0, 8}), ("11 15 57", lemma7, {1, 7})]
)
def test_no_game_of_an_opening_gets_out(
    opening: str, strategy: Callable[[Position], Move], fields: set[int]
) -> None:
    """All positions of one opening, without counting any two of them as the same."""
    position = Ultimate().parse(opening)
    waiting = [position.play(strategy(position))]
    seen = set(waiting)
    ends = set()
    while waiting:
        position = waiting.pop()
        if position.active is None:
            ends.add(position)
            assert position.ply == 32
            assert all(position.taken(field) == FULL for field in fields)
            continue
        assert position.active in fields
        for move in position.legal_moves():
            after = position.play(move)
            after = after.play(strategy(after))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    assert len(ends) == (1 if strategy is lemma6 else 2)
    assert len(seen) > 6_000


@pytest.mark.parametrize("verify", [verify_lemma6, verify_lemma7])
def test_blocking_the_wrong_way_round_is_found(verify: Callable[..., BlockReport]) -> None:
    choices = lemma6_choices if verify is verify_lemma6 else lemma7_choices

    def broken(position: Position) -> tuple[Move, ...]:
        """The second spot before the first."""
        right = choices(position)
        if len(right) > 1 or position.ply < 5:
            return right
        first, third = position.moves_played[0], position.moves_played[2]
        swapped = Move(right[0].field, first.field)
        return (swapped,) if swapped in position.legal_moves() and third.field != first.field else right

    report = verify(broken)
    assert not report.holds
    assert report.wrong is not None


def test_a_strategy_that_stops_spreading_is_found() -> None:
    def broken(position: Position) -> tuple[Move, ...]:
        return lemma6_choices(position) if position.ply < 36 else position.legal_moves()

    report = verify_lemma6(broken)
    assert not report.holds
    assert report.wrong is not None
    assert report.wrong.position.ply > 36
