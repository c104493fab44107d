"""The checks of Olivia's strategies: what they find, and that they find what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from golden.ultimate_paper import NO_WIN_BEFORE_LBS
from hypothesis import given, settings
from hypothesis import strategies as st
from ultimate.boards import played_on

from inarow.ultimate import strategy
from inarow.ultimate.rules import FULL, Move, Position, Ultimate
from inarow.ultimate.strategy import keep_spot, lbs, lemma6, lemma7, spread_spots
from inarow.verify.ultimate.rules import Wrong
from inarow.verify.ultimate.strategies import (
    BlockReport,
    Keep,
    LbsReport,
    Spread,
    check_keep,
    check_spread,
    verify_lbs,
    verify_lemma6,
    verify_lemma7,
)

# --- LBS ---


def test_lbs_holds() -> None:
    report = verify_lbs(spread_spots)
    assert (report.verdict, report.reason) == ("proven", "X cannot win before ply 29")
    assert report.no_win_before == NO_WIN_BEFORE_LBS
    # For every set of fields that X has been in: one case in each other field, and in each of the set one for
    # every choice of taken spots.
    sizes = [mask.bit_count() for mask in range(1, FULL)]
    assert report.cases == sum(9 - size + size * (2**size - 1) for size in sizes)
    assert report.to_json()["one_x_in_each_field_after"] == 18
    lowest_spot: Spread = lambda *case: spread_spots(*case) & -spread_spots(*case)  # noqa: E731
    assert verify_lbs(lowest_spot).verdict == "proven"


Case = tuple[int, ...]


@cache
def asked(spent: int) -> set[Case]:
    """What a rule is asked by the check."""
    cases: set[Case] = set()

    def spread(*case: int) -> int:
        cases.add(case)
        return spread_spots(*case)

    check_spread(spread, spent)
    return cases


@given(
    st.integers(0, 2**32).map(Random),
    st.booleans(),
    st.sampled_from(["start", "08", "10", "44 40 01", "11 15 57"]),
)
@settings(deadline=None, max_examples=60)
def test_real_games_stay_within_the_cases(random: Random, to_one_field: bool, opening: str) -> None:
    position = Ultimate().parse(opening)
    olivia, plies = {0: (lbs, 16), 1: (lemma6, 44), 3: (lemma7, 44)}[position.ply]
    fields = [position.moves_played[0].field, position.moves_played[-1].spot] if position.ply else []
    favourite = random.randrange(9)

    def within(*case: int) -> int:
        assert case in asked(sum(1 << field for field in fields))
        return spread_spots(*case)

    def any_or_favourite(position: Position) -> Move:
        moves = position.legal_moves()
        # Sending Olivia to one field only fills it as far as can be.
        return random.choice([move for move in moves if to_one_field and move.spot == favourite] or moves)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strategy, "spread_spots", within)
        played_on(position, any_or_favourite, lambda position: random.choice(olivia(position)), plies=plies)


def test_a_free_choice_of_olivias_comes_too_late_to_matter() -> None:
    # Field 4 is full after 16 plies, and X sends to it: Olivia may play in every field.
    position = Ultimate().parse("44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48 84")
    assert position.active is None
    fields = {move.field for move in lbs(position)}
    assert fields == {0, 1, 2, 3, 5, 6, 7, 8}
    assert all(mask.bit_count() == 1 for mask in position.x)


def no_last_reply(field: int, taken: int, without_x: int, spent: int) -> int:
    return spread_spots(field, taken, without_x, spent) if without_x.bit_count() > 1 else 0


def wrong_in_one_case(*case: int) -> int:
    return 1 << 5 if case[:3] == (3, 0b101000, 0b111000010) else spread_spots(*case)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (lambda field, taken, *others: FULL & ~taken, "sent to field"),
        # Sends X to a field without an X, but never plays the double first.
        (lambda field, taken, left, spent: left & ~taken & ~(1 << field) or FULL & ~taken, "sent to field"),
        (no_last_reply, "O plays none"),
        (
            wrong_in_one_case,
            "sent to field 3, where the taken spots are 3, 5, O plays 5, not any of 1, 6, 7, 8",
        ),
    ],
)
def test_a_rule_that_is_not_lbs_is_found(broken: Spread, reason: str) -> None:
    report = verify_lbs(broken)
    assert (report.verdict, report.no_win_before) == ("wrong", None)
    assert reason in report.reason
    assert report.to_json()["counterexample"] == {"moves": None, "reason": report.reason}


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (LbsReport(cases=1, no_win_before=27), "X may win at ply 27, before 29"),
        (BlockReport(openings=1, no_win_before=Counter({43: 1, 49: 3})), "X may win at ply 43"),
        (BlockReport(), "X may win at ply None"),
    ],
)
def test_an_early_win_is_reported(report: LbsReport | BlockReport, reason: str) -> None:
    assert (report.verdict, report.reason) == ("wrong", reason)
    assert BlockReport(openings=1, no_win_before=Counter({45: 1})).verdict == "proven"


# --- Lemmas 6 and 7 ---


@pytest.mark.parametrize(
    ("verify", "openings", "no_win_before"),
    [
        # Fields i and j are in a line with a third or not.
        (verify_lemma6, 9 * 8, {49: 48, 53: 24}),
        (verify_lemma7, 9 * 8 * 8, {47: 48, 49: 336, 51: 144, 53: 48}),
    ],
)
def test_the_lemmas_hold(
    verify: Callable[[Keep, Spread], BlockReport], openings: int, no_win_before: dict[int, int]
) -> None:
    report = verify(keep_spot, spread_spots)
    assert (report.verdict, report.reason) == ("proven", f"X cannot win before ply {min(no_win_before)}")
    assert (report.openings, report.blocked_plies) == (openings, {32})
    assert report.no_win_before == no_win_before


@pytest.mark.parametrize(
    ("opening", "olivia", "fields", "count"), [("08", lemma6, {0, 8}, 1), ("11 15 57", lemma7, {1, 7}, 2)]
)
@pytest.mark.exhaustive
def test_no_game_of_an_opening_gets_out(
    opening: str, olivia: Callable[[Position], tuple[Move, ...]], fields: set[int], count: int
) -> None:
    """All positions of one opening, without treating any two of them as the same."""
    position = Ultimate().parse(opening)
    waiting = [position.play(olivia(position)[0])]
    seen, ends = set(waiting), set()
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
            after = after.play(olivia(after)[0])
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    assert len(ends) == count
    assert len(seen) > 6_000


def second_first(taken: int, first: int, second: int) -> int | None:
    return keep_spot(taken, second, first)


def second_first_in_one_case(*case: int) -> int | None:
    return 8 if case == (0b1000, 0, 8) else keep_spot(*case)


WRONG_WAYS: list[tuple[Any, Spread, str]] = [
    (lambda taken, *fields: keep_spot(taken, *sorted(fields)), spread_spots, "but keeping X in fields"),
    (second_first_in_one_case, spread_spots, "but keeping X in fields"),
    (lambda taken, first, second: None if taken >> first & 1 else first, spread_spots, "O plays None"),
    # Plays taken spots.
    (
        lambda taken, first, second: None if taken >> first & taken >> second & 1 else first,
        spread_spots,
        "an illegal move: ",
    ),
    (second_first, spread_spots, "after "),
    (keep_spot, no_last_reply, "O plays none"),
]


@pytest.mark.parametrize(("keep", "spread", "reason"), WRONG_WAYS)
def test_blocking_the_wrong_way_is_found(keep: Keep, spread: Spread, reason: str) -> None:
    for verify in (verify_lemma6, verify_lemma7):
        report = verify(keep, spread)
        assert report.verdict == "wrong"
        assert reason in report.reason


def test_keeping_is_the_same_however_spots_are_numbered() -> None:
    check_keep(second_first)
    with pytest.raises(Wrong, match="keeping X in fields 0 and 8, spots 3 taken: O plays 8"):
        check_keep(second_first_in_one_case)
