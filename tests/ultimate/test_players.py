"""The players of Ultimate Tic-Tac-Toe that search."""

from __future__ import annotations

import signal
from functools import cache
from random import Random
from types import FrameType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ultimate.boards import positions

from inarow.ultimate.players import AlphaBeta, Mcts
from inarow.ultimate.rules import Position, Ultimate, Variant


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
    assert one == Mcts(playouts=3000, seed=5).think(position)
    assert one != Mcts(playouts=3000, seed=6).think(position)
    assert one.playouts == 3000
    assert sum(candidate.visits for candidate in one.candidates) == 3000
    assert [candidate.visits for candidate in one.candidates] == sorted(
        (candidate.visits for candidate in one.candidates), reverse=True
    )


@cache
def value(position: Position) -> int:
    """For the side to move: 1 a win, 0 a draw, -1 a loss."""
    if position.is_over:
        return 0 if position.winner is None else -1
    return max(-value(position.play(move)) for move in position.legal_moves())


def late(variant: Variant, random: Random, left: int) -> Position | None:
    """A position with so few free spots, from a random game that lasts so long."""
    position = Ultimate(variant).start()
    while not position.is_over:
        spots = sum(9 - position.taken(field).bit_count() for field in range(9) if position.playable(field))
        if spots <= left:
            return position
        position = position.play(random.choice(position.legal_moves()))
    return None


@given(st.sampled_from(("open", "closed")), st.integers(0, 2**32).map(Random))
@settings(deadline=None, max_examples=60)
def test_they_play_the_end_without_fault(variant: Variant, random: Random) -> None:
    position = late(variant, random, left=6)
    assume(position is not None)
    assert position is not None
    best = value(position)
    thought = Mcts(playouts=20_000, seed=1).think(position)
    assert -value(position.play(thought.best.move)) == best
    if thought.best.proven:
        assert best == (1 if thought.best.value == 1 else -1)
    assert (best == 1) == (thought.best.proven and thought.best.value == 1)
    assert -value(position.play(AlphaBeta(depth=7, seed=1)(position))) == best


def test_mcts_beats_random_moves() -> None:
    random = Random(3)
    for game in range(6):
        position = Ultimate("closed").start()
        while not position.is_over:
            ours = (position.turn == "x") == (game % 2 == 0)
            move = Mcts(playouts=500, seed=game)(position) if ours else random.choice(position.legal_moves())
            position = position.play(move)
        assert position.winner == ("x" if game % 2 == 0 else "o")


def test_the_tree_stops_growing_at_the_memory_limit() -> None:
    start = Ultimate("closed").start()
    assert Mcts(playouts=5000, seed=1, memory_limit=0).think(start).playouts == 5000


def test_it_stops_in_time_and_when_interrupted() -> None:
    start = Ultimate("closed").start()
    assert Mcts(seconds=0.01).think(start).playouts > 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            Mcts(seconds=600.0).think(start)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_bad_values() -> None:
    with pytest.raises(ValueError, match="seconds 0: must be more than 0"):
        Mcts(seconds=0)
    with pytest.raises(ValueError, match="playouts 0: must be more than 0"):
        Mcts(playouts=0)
    with pytest.raises(ValueError, match="seed -1"):
        Mcts(seed=-1)
    with pytest.raises(ValueError, match="depth: must be at least 1"):
        AlphaBeta(depth=0)(Ultimate().start())
    over = Ultimate().parse(
        "74 44 48 88 80 00 02 22 28 83 36 66 63 31 13 35 54 41 10 01 16 60 04 40 06 62 24 42 20"
    )
    with pytest.raises(ValueError, match="the game is over"):
        Mcts(playouts=1)(over)
