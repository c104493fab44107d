"""The players of Ultimate Tic-Tac-Toe."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import assume, given, settings
from ultimate.boards import WON, any_move, played_on, positions

from inarow.errors import InarowError
from inarow.ultimate.players import AlphaBeta, Candidate, Kind, Mcts, Player, suitable_kind
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.ultimate.strategy import OffStrategy, explain, lbs


@given(positions())
@settings(deadline=None)
def test_they_know_the_rules(position: Position) -> None:
    assume(not position.is_over)
    thought = Mcts(playouts=20, seed=1).think(position)
    assert {candidate.move for candidate in thought.candidates} == set(position.legal_moves())
    assert AlphaBeta(depth=1, seed=1)(position) in position.legal_moves()


def test_the_same_seed_and_playouts_give_the_same_thought() -> None:
    position = Ultimate("closed").parse("44 40 04 41")
    one = Mcts(playouts=3000, seed=5).think(position)
    assert one == Mcts(playouts=3000, seed=5).think(position) != Mcts(playouts=3000, seed=6).think(position)
    visits = [candidate.visits for candidate in one.candidates]
    assert (one.playouts, sum(visits), visits) == (3000, 3000, sorted(visits, reverse=True))


def test_mcts_beats_random_moves() -> None:
    random = Random(3)
    for game in range(3):
        search, start = Mcts(playouts=500, seed=game), Ultimate("closed").start()
        assert played_on(start, search, any_move(random)).winner == "x"
        assert played_on(start, any_move(random), search).winner == "o"


def test_it_stops_in_time_and_when_interrupted(interrupt_after: Callable[[float], None]) -> None:
    start = Ultimate("closed").start()
    assert Mcts(seconds=0.01).think(start).playouts > 0
    interrupt_after(0.1)
    with pytest.raises(KeyboardInterrupt):
        Mcts(seconds=600.0).think(start)


# --- One player for every kind ---


@pytest.mark.parametrize("kind", ["lbs", "random", "mcts"])
@pytest.mark.parametrize("seed", [0, 3])
def test_the_same_seed_gives_the_same_game(kind: Kind, seed: int) -> None:
    def game() -> str:
        player = Player(kind, seed=seed, playouts=100 if kind == "mcts" else None)
        start = Ultimate().start()
        return played_on(start, lambda at: at.legal_moves()[0], lambda at: player.choose(at).move).text

    assert game() == game()


def test_the_strategies_as_players() -> None:
    position = Ultimate().parse("44 40")
    explanation = explain(position)
    choice = Player("xavier").choose(position)
    assert (choice.move, choice.remark) == (explanation.move, f"opening: {explanation.why}")
    after = position.play("04")
    assert {Player("lbs", seed=seed).choose(after).move for seed in range(60)} == set(lbs(after))
    with pytest.raises(OffStrategy):
        Player("xavier").choose(Ultimate().parse("00 01"))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Player("xavier", side="o"), "Xavier's strategy plays X only"),
        (lambda: Player("lbs", side="x"), "LBS plays O only"),
        (lambda: Player("xavier", Ultimate("closed")), "Xavier's strategy is for the open variant"),
        (lambda: Player("lbs", Ultimate("closed")), "LBS is for the open variant"),
        (lambda: Player("optimal", Ultimate("closed")), "a player of optimal length is for the open variant"),
        (lambda: Player("best"), "kind 'best': must be one of xavier, lbs"),  # type: ignore[arg-type]
        (lambda: Player("random", seconds=1), "seconds and playouts are for mcts, not for random"),
        (lambda: Player("mcts", seconds=0.0), "seconds 0.0: must be more than 0"),
        (lambda: Mcts(playouts=0), "playouts 0: must be more than 0"),
        (lambda: Mcts(seed=-1), "seed -1"),
        (lambda: AlphaBeta(depth=0)(Ultimate().start()), "depth: must be at least 1"),
        (lambda: Mcts(playouts=1)(Ultimate().parse(WON)), "the game is over"),
    ],
)
def test_what_cannot_be_asked(make: Callable[[], object], reason: str) -> None:
    with pytest.raises((InarowError, ValueError), match=reason):
        make()


def test_the_kind_that_suits() -> None:
    assert suitable_kind(Ultimate(), "x") == suitable_kind(Ultimate(), None) == "xavier"
    assert suitable_kind(Ultimate(), "o") == suitable_kind(Ultimate("closed"), "x") == "mcts"


def test_values_in_words() -> None:
    move = Move(4, 4)
    assert Candidate(move, 9, 1.0, True).describe() == "wins for certain"
    assert Candidate(move, 9, 0.0, True).describe() == "loses for certain"
    assert Candidate(move, 9, 0.617, False).describe() == "scores 62% in its playouts"
