"""OpenSpiel's own test of games, and its search, on those of inarow."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'inarow[openspiel]'")
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation

import inarow.adapters.open_spiel  # noqa: F401 - registers the games
from inarow.quixo.rules import Quixo

GAMES = [
    "inarow_quixo(rows=3,columns=3)",
    "inarow_quixo(rows=2,columns=4,line=3,double_line_wins=True)",
    "inarow_quixo",
    "inarow_qubic",
    "inarow_ultimate",
    "inarow_ultimate(closed=True)",
]
each_game = pytest.mark.parametrize("name", GAMES)


@each_game
def test_open_spiel_finds_nothing_wrong(name: str) -> None:
    """Its random games check actions, observations, returns, undone and copied states, and the length."""
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


@each_game
def test_states_can_be_copied_and_kept(name: str) -> None:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[-1])
    assert str(clone) != str(state)
    again, kept = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game)
    for other in (kept, pickle.loads(pickle.dumps(state))):
        assert (str(other), other.history()) == (str(state), state.history())
    observation = make_observation(game)
    observation.set_from(state, 1)
    assert np.array_equal(observation.tensor, state.observation_tensor(1))
    assert observation.dict["observation"].sum() == 1


def test_its_search_finds_a_win() -> None:
    game = pyspiel.load_game("inarow_quixo(rows=3,columns=3)")
    state = game.new_initial_state()
    for move in ("a1a3", "c1c3", "a2a3", "b3b1"):
        state.apply_action(state.string_to_action(move))
    wins = [move for move in state.position.legal_moves() if state.position.play(move).winner == "x"]
    assert wins
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    state.apply_action(mcts.MCTSBot(game, 2, 300, evaluator, random_state=random, solve=True).step(state))
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]


def test_actions_and_the_length_of_a_game() -> None:
    game = pyspiel.load_game("inarow_quixo")
    state = game.new_initial_state()
    texts = [Quixo(5).move_text(move) for move in Quixo(5).moves]
    assert [state.action_to_string(action) for action in state.legal_actions()] == texts
    assert (game.max_game_length(), game.min_utility(), game.max_utility()) == (200, -1, 1)


def test_python_ends_well_afterwards() -> None:
    """What OpenSpiel keeps until after Python's end must not be freed there."""
    program = (
        "import pyspiel, inarow.adapters.open_spiel; pyspiel.load_game('inarow_qubic').new_initial_state()"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
