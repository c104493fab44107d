"""The players of Ultimate Tic-Tac-Toe."""

from __future__ import annotations

import signal
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ultimate.boards import positions

from inarow.errors import InarowError
from inarow.ultimate import players
from inarow.ultimate.certificate import open_certificate
from inarow.ultimate.players import AlphaBeta, Candidate, Kind, Mcts, Player, suitable_kind
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Move, Position, Ultimate, Variant
from inarow.ultimate.strategy import OffStrategy, explain, lbs_choices
from inarow.values import Mark


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
    assert Mcts(playouts=5000, seed=1, memory=0).think(start).playouts == 5000


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


# --- One player for every kind ---


@pytest.mark.parametrize("kind", ["lbs", "random", "mcts"])
@pytest.mark.parametrize("seed", [0, 3])
def test_the_same_seed_gives_the_same_game(kind: Kind, seed: int) -> None:
    games = []
    for _ in range(2):
        playouts = 100 if kind == "mcts" else None
        player, position = Player(kind, seed=seed, playouts=playouts), Ultimate().start()
        while not position.is_over:
            move = position.legal_moves()[0] if position.turn == "x" else player.choose(position).move
            position = position.play(move)
        games.append(position.moves_played)
    assert games[0] == games[1]


def test_the_strategies_as_players() -> None:
    position = Ultimate().parse("44 40")
    explanation = explain(position)
    choice = Player("xavier").choose(position)
    assert (choice.move, choice.remark) == (explanation.move, f"opening: {explanation.why}")
    with pytest.raises(OffStrategy):
        Player("xavier").choose(Ultimate().parse("00 01"))
    after = position.play("04")
    assert {Player("lbs", seed=seed).choose(after).move for seed in range(60)} == set(lbs_choices(after))


def test_the_strategies_of_the_paper_for_either_side() -> None:
    position = Ultimate().parse("44 40")
    assert Player("paper", side="x").choose(position).move == explain(position).move
    after = position.play("04")
    moves = {Player("paper", seed=seed).choose(after).move for seed in range(60)}
    assert moves == set(lbs_choices(after))
    off = Ultimate().parse("00 01")
    assert {Player("paper", side="x", seed=seed).choose(off).move for seed in range(90)} == set(
        off.legal_moves()
    )
    closed = Ultimate("closed").parse("44")
    assert Player("paper", closed.rules).choose(closed).move in closed.legal_moves()


def test_optimal_play_says_what_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player("optimal", seed=1)
    assert (player.side, player.name) == ("x", "a player of optimal length")
    choice = player.choose(Ultimate().start())
    assert (choice.move, choice.remark) == (Move(4, 4), "proven: X wins by ply 43")
    past = player.choose(Ultimate().parse("00 01"))
    assert past.remark.startswith("past what is proven: ")
    # O's own takes half a minute to open: a smaller one stands in for it.
    prove(Ultimate().start(), 19, certificate=tmp_path / "resists", memory=1 << 24)
    smaller = open_certificate(tmp_path / "resists")
    monkeypatch.setattr(players, "optimal_play", lambda side, progress: {"o": smaller}[side])
    resisting = Player("optimal", side="o")
    assert resisting.choose(Ultimate().parse("44")).remark == "proven: X does not win by ply 19"


@pytest.mark.parametrize(
    ("kind", "variant", "side", "reason"),
    [
        ("xavier", "open", "o", "Xavier's strategy plays X only"),
        ("lbs", "open", "x", "LBS plays O only"),
        ("xavier", "closed", "x", "Xavier's strategy is for the open variant"),
        ("lbs", "closed", None, "LBS is for the open variant"),
        ("optimal", "closed", None, "a player of optimal length is for the open variant"),
    ],
)
def test_what_a_kind_cannot_play(kind: Kind, variant: Variant, side: Mark | None, reason: str) -> None:
    with pytest.raises(InarowError, match=reason):
        Player(kind, Ultimate(variant), side)


def test_bad_players() -> None:
    with pytest.raises(ValueError, match="kind 'best': must be one of xavier, lbs"):
        Player("best")  # type: ignore[arg-type]
    with pytest.raises(InarowError, match="seconds and playouts are for mcts, not for random"):
        Player("random", seconds=1)
    with pytest.raises(ValueError, match=r"seconds 0\.0: must be more than 0"):
        Player("mcts", seconds=0.0)


def test_the_kind_that_suits() -> None:
    assert suitable_kind(Ultimate(), "x") == suitable_kind(Ultimate(), None) == "xavier"
    assert suitable_kind(Ultimate(), "o") == suitable_kind(Ultimate("closed"), "x") == "mcts"


def test_values_in_words() -> None:
    move = Move(4, 4)
    assert Candidate(move, 9, 1.0, True).describe() == "wins for certain"
    assert Candidate(move, 9, 0.0, True).describe() == "loses for certain"
    assert Candidate(move, 9, 0.617, False).describe() == "scores 62% in its playouts"
