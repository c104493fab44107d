"""PettingZoo's own tests of its environments, on those of all games."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'inarow[gym]'")
from pettingzoo.test import api_test, seed_test

from inarow.adapters.pettingzoo import env

SIDES = {"player_0": "x", "player_1": "o"}
GAMES = [Quixo(3), Quixo(2, 4, 3, "wins"), Quixo(5), Game.named("qubic"), Ultimate(), Ultimate("closed")]
each_game = pytest.mark.parametrize("rules", GAMES, ids=str)


@each_game
def test_pettingzoo_finds_nothing_wrong(rules: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # As in its own board games, an observation is a dictionary, and an empty board is all zeros.
        warnings.filterwarnings("ignore", message="Observation.*")
        api_test(env(rules), num_cycles=60, verbose_progress=False)
    seed_test(lambda: env(rules), num_cycles=20)


@each_game
def test_games_are_those_of_the_rules(rules: Any) -> None:
    """Random games: masks, planes, rewards and ends follow from the position."""
    random = np.random.default_rng(1)
    for _ in range(3):
        environment = env(rules)
        environment.reset()
        position = rules.start()
        total = {"player_0": 0, "player_1": 0}
        for agent in environment.agent_iter():
            observation, reward, termination, truncation, _ = environment.last()
            total[agent] += reward
            if termination or truncation:
                assert not observation["action_mask"].any()
                environment.step(None)
                continue
            side = SIDES[agent]
            assert side == position.turn
            legal = np.flatnonzero(observation["action_mask"])
            assert legal.size == len(position.legal_moves())
            mine = observation["observation"][..., 0]
            marks = position.x if side == "x" else position.o
            count = sum(map(int.bit_count, marks)) if isinstance(marks, tuple) else marks.bit_count()
            assert mine.sum() == count
            action = int(random.choice(legal))
            position = position.play(environment.unwrapped.game.moves[action])
            environment.step(action)
        assert environment.unwrapped.position == position
        won = position.winner
        assert total == {
            agent: 0 if won is None else 1 if side == won else -1 for agent, side in SIDES.items()
        }


def test_where_marks_are() -> None:
    environment = env(Quixo(2, 3))
    environment.reset(options={"position": "x.o/..o o"})
    seen = environment.observe("player_1")["observation"]
    assert seen[..., 0].tolist() == [[0, 0, 1], [0, 0, 1]]
    assert seen[..., 1].tolist() == [[1, 0, 0], [0, 0, 0]]
    assert environment.agent_selection == "player_1"
    environment = env(Ultimate())
    environment.reset(options={"position": "44 40 08 88 80 03 36 67 77 73 30 00 05 50 02"})
    seen = environment.observe("player_0")["observation"]
    assert seen.shape == (9, 9, 4)
    assert seen[:3, :3, 2].all()  # X has won field 0
    assert seen[..., 2].sum() == 9
    assert seen[4, 4, 0] == 1
    assert not seen[..., 3].any()


def test_an_illegal_move_loses() -> None:
    environment = env(Quixo(3))
    environment.reset(options={"position": "o../.../... x"})
    illegal = int(environment.observe("player_0")["action_mask"].argmin())
    environment.step(illegal)
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards["player_0"] == -1


def test_games_of_quixo_end() -> None:
    environment = env(Quixo(5), most_plies=3, render_mode="ansi")
    environment.reset()
    for _ in range(3):
        environment.step(int(environment.observe(environment.agent_selection)["action_mask"].argmax()))
    assert environment.truncations == {"player_0": True, "player_1": True}
    assert environment.render() == environment.unwrapped.position.ascii()
