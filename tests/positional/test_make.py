"""Dictionaries from nothing but the rules, and the fewest lines of any."""

import pytest

from inarow.positional.dictionary import make
from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.make import Making, make_dictionary
from inarow.positional.dictionary.smallest import TooMany, smallest
from inarow.positional.rules import Game
from inarow.positional.search.small_boards import UNLIMITED, prove, solver_of
from inarow.verify.positional.dictionary import verify_dictionary


@pytest.mark.parametrize(
    ("name", "lines"),
    [("polyomino:el:3", 4), ("polyomino:tic:4", 6), ("polyomino:tippy:3", 10), ("mnk:4x4x3", 8)],
)
@pytest.mark.parametrize("maker_breaker", [False, True])
def test_the_fewest_lines(name: str, lines: int, maker_breaker: bool) -> None:
    game = Game.named(name, maker_breaker)
    made = make_dictionary(game)
    assert made.dictionary is not None
    assert made.report is not None
    assert made.report.exhaustive
    assert (len(made.dictionary.lines), made.lower_bound, made.optimal) == (lines, lines, True)
    assert not made.report.unused_lines


def test_no_longer_strategy_has_fewer_lines() -> None:
    """Three in a row on 4×4: eight lines are the fewest of all strategies, however many moves they take."""
    game = Game.named("mnk:4x4x3")
    found = smallest(game, solver_of(game), game.symmetries("full"), UNLIMITED, 3)
    assert found.lower_bound == found.lines == 8


def test_larger_ones_come_with_a_bound() -> None:
    made = make_dictionary(Game.named("polyomino:elly:4"), time_limit=1)
    assert made.dictionary is not None
    assert 4 <= made.lower_bound <= len(made.dictionary.lines) <= 61
    assert f"at least {made.lower_bound} in any strategy" in made.dictionary.header


def test_a_strategy_of_all_levels_is_one() -> None:
    game = Game.named("polyomino:tippy:3")
    symmetries = game.symmetries("full")
    found = smallest(game, solver_of(game), symmetries, 5, 5)
    assert found.entries is not None
    assert verify_dictionary(game, found.entries, assisted=False).exhaustive
    assert len(compress(found.entries, symmetries).lines) == found.lines
    first_levels = smallest(game, solver_of(game), symmetries, 5, 5, levels=3)
    assert first_levels.entries is None
    assert 5 <= first_levels.lower_bound <= found.lines


def test_too_many_answers() -> None:
    game = Game.named("polyomino:elly:4")
    with pytest.raises(TooMany):
        smallest(game, solver_of(game), game.symmetries("full"), 4, 4, most=100)


def test_answers_that_take_too_long_to_find() -> None:
    """To find all that win the L-pentomino on 7×7 takes a minute for the first move alone."""
    game = Game.named("polyomino:l-pentomino:7", maker_breaker=False)
    solver = solver_of(game)
    with pytest.raises(TooMany):
        smallest(game, solver, game.symmetries("full"), 9, 9, levels=1, time_limit=0.2)
    assert solver.solve(1 << 24, 1 << 0, 8) is not None  # it goes on as if nothing had happened


def test_without_time_there_are_still_lines() -> None:
    made = make_dictionary(Game.named("polyomino:elly:4"), time_limit=0)
    assert made.dictionary is not None
    assert made.report is not None
    assert made.report.exhaustive
    assert made.lower_bound == 4 < len(made.dictionary.lines)


def test_large_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many positions and answers, lines are chosen greedily, and the bound is weak."""
    monkeypatch.setattr(make, "_OPTIMAL", 100)
    monkeypatch.setattr(make, "_ANSWERS", 100)
    states: list[object] = []
    made = make_dictionary(Game.named("polyomino:elly:4"), progress=states.append)
    assert made.dictionary is not None
    assert made.report is not None
    assert made.report.exhaustive
    assert made.positions == made.report.positions.dictionary > 100
    assert made.lower_bound < len(made.dictionary.lines) < made.positions
    compressing = [state for state in states if isinstance(state, Making) and state.phase == "compress"]
    assert [state.done for state in compressing] == sorted({state.done for state in compressing})
    assert compressing[-1].done == compressing[-1].total == made.positions
    assert not any(isinstance(state, Making) and state.phase == "choose" for state in states)


def test_without_a_win_there_is_a_proof() -> None:
    game = Game.named("polyomino:knobby:5")
    made = make_dictionary(game, moves=3)
    assert made.dictionary is None
    assert (made.proof.none_within, made.proof.never) == (3, False)
    assert prove(game).moves == 4
