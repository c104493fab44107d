"""Gymnasium's own check of its environments, on games against opponents."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.errors import InarowError, MissingTable
from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'inarow[gym]'")
import gymnasium
from gymnasium.utils.env_checker import check_env

from inarow.adapters.gymnasium import Versus
from inarow.adapters.numbers import opponent_named


@pytest.fixture(autouse=True, scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The user's own tables are left alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.mark.parametrize(
    ("rules", "opponent", "side"),
    [
        (Quixo(3), "perfect", "x"),
        (Quixo(2, 3), "trapping", "both"),
        (Quixo(3), "weaker", "o"),
        (Quixo(5), "random", "both"),
        (Game.named("qubic"), "random", "o"),
        (Ultimate(), "random", "x"),
        (Ultimate("closed"), "random", "both"),
    ],
    ids=str,
)
def test_gymnasium_finds_nothing_wrong(rules: Any, opponent: str, side: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(Box|render|registered|spec).*")
        check_env(Versus(rules, opponent, side, render_mode="ansi"))


def random_game(environment: Any, seed: int) -> tuple[float, list[str]]:
    """The reward of a game of random legal actions, and its positions."""
    _, info = environment.reset(seed=seed)
    random = np.random.default_rng(seed)
    texts = [info["position"]]
    while True:
        legal = np.flatnonzero(info["action_mask"])
        assert np.array_equal(np.flatnonzero(environment.unwrapped.action_masks()), legal)
        _, reward, terminated, truncated, info = environment.step(random.choice(legal))
        texts.append(info["position"])
        if terminated or truncated:
            return float(reward), texts


def test_perfect_play_beats_random_play() -> None:
    assert {random_game(Versus(Quixo(3), "perfect", "o"), seed)[0] for seed in range(5)} == {-1.0}
    rewards = [random_game(Versus(Quixo(3), "random", "both"), seed)[0] for seed in range(30)]
    assert {-1.0, 1.0} <= set(rewards)


def test_the_same_seed_gives_the_same_game() -> None:
    for opponent in ("random", "perfect", "trapping", "weaker", "level-2"):
        environment = Versus(Quixo(2, 4), opponent, "both", most_plies=20)
        assert random_game(environment, 3) == random_game(environment, 3)
        assert random_game(environment, 3) == random_game(
            Versus(Quixo(2, 4), opponent, "both", most_plies=20), 3
        )


def test_functions_as_opponents() -> None:
    environment = Versus(Quixo(3), lambda position: position.legal_moves()[0], "o")
    _, info = environment.reset()
    assert info["position"] == Quixo(3).start().play(Quixo(3).moves[0]).text
    assert environment.side == "o"


def test_an_illegal_action_loses() -> None:
    environment = Versus(Quixo(3), "random")
    _, info = environment.reset(options={"position": "o../.../... x"})
    _, reward, terminated, _, info = environment.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, info["illegal"], info["position"]) == (-1.0, True, True, "o../.../... x")


def test_registered_names() -> None:
    for name, options, shape in (
        ("Quixo", {"size": "2x3", "opponent": "perfect"}, (2, 3, 2)),
        ("Qubic", {}, (4, 4, 4, 2)),
        ("Ultimate", {"variant": "closed"}, (9, 9, 4)),
    ):
        environment = gymnasium.make(f"inarow/{name}-v0", **options)
        assert environment.observation_space.shape == shape
        environment.reset(seed=1)


def test_what_cannot_be_had(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be random, perfect"):
        opponent_named("best", Quixo(3), 1)
    with pytest.raises(InarowError, match="for Quixo"):
        opponent_named("perfect", Ultimate(), 1)
    with pytest.raises(MissingTable, match="takes a table of Quixo 5×5"):
        opponent_named("perfect", Quixo(5), 1)
    with pytest.raises(ValueError, match="must be 'x', 'o' or 'both'"):
        Versus(Quixo(3), side="first")
