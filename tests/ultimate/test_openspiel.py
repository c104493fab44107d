"""The closed variant and OpenSpiel's ultimate_tic_tac_toe: the same games."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from inarow.ultimate.rules import Ultimate

pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

GAMES = 2000


def moves_of(state: Any, active: int | None) -> list[tuple[int, int]]:
    """Fields and spots; where the choice is free, they take the field as an action of its own."""
    if active is not None:
        return [(active, spot) for spot in state.legal_actions()]
    return [(field, spot) for field in state.legal_actions() for spot in state.child(field).legal_actions()]


def test_random_games_agree_with_openspiel() -> None:
    theirs = pyspiel.load_game("ultimate_tic_tac_toe")
    random = Random(0)
    outcomes = {"x": 0, "o": 0, None: 0}
    for _ in range(GAMES):
        position, state = Ultimate("closed").start(), theirs.new_initial_state()
        while not position.is_over:
            assert not state.is_terminal()
            assert state.current_player() == "xo".index(position.turn)
            moves = position.legal_moves()
            assert moves_of(state, position.active) == [(move.field, move.spot) for move in moves]
            move = random.choice(moves)
            if position.active is None:
                state.apply_action(move.field)
            state.apply_action(move.spot)
            position = position.play(move)
        assert state.is_terminal()
        outcomes[position.winner] += 1
        assert state.returns() == {"x": [1.0, -1.0], "o": [-1.0, 1.0], None: [0.0, 0.0]}[position.winner]
    assert all(outcomes.values())
