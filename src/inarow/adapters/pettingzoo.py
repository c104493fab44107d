"""Quixo, Qubic and Ultimate Tic-Tac-Toe as environments of PettingZoo, for several agents that learn.

Needs the extra `gym`. The agent "player_0" plays X and "player_1" plays O; `Numbers` says what observations
and actions are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from inarow.adapters.numbers import AnyRules, Numbers
from inarow.values import Mark

_SIDES: dict[str, Mark] = {"player_0": "x", "player_1": "o"}
_AGENTS = {side: agent for agent, side in _SIDES.items()}


def env(rules: AnyRules, render_mode: str | None = None, most_plies: int | None = None) -> Any:
    """The environment of a game, which ends with a loss for whoever plays an illegal move.

    A game of more than `most_plies` is truncated: by default 200 in Quixo, where games may go on for ever.

    >>> import inarow
    >>> environment = env(inarow.Quixo(3))
    >>> environment.reset(seed=1)
    >>> for agent in environment.agent_iter():
    ...     observation, reward, termination, truncation, info = environment.last()
    ...     mask = observation["action_mask"]
    ...     environment.step(None if termination or truncation else int(mask.argmax()))
    """
    raw: Any = TwoPlayers(rules, render_mode, most_plies)
    raw = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))


class TwoPlayers(AECEnv):
    """A game in which "player_0", who plays X, and "player_1" move in turn.

    An observation is a dictionary of "observation", the position as its agent sees it, and "action_mask", 1
    for each action that is legal. The reward comes at the end: 1 for a win, −1 for a loss, 0 for a draw.
    """

    metadata = {"render_modes": ["ansi"], "is_parallelizable": False, "render_fps": 1}  # noqa: RUF012

    def __init__(
        self, rules: AnyRules, render_mode: str | None = None, most_plies: int | None = None
    ) -> None:
        super().__init__()
        self.game = Numbers(rules)
        self.metadata = {**TwoPlayers.metadata, "name": f"{self.game.name}_v0"}
        self.most_plies = self.game.most_plies if most_plies is None else most_plies
        self.render_mode = render_mode
        self.possible_agents = list(_SIDES)
        shapes = {"observation": self.game.shape, "action_mask": (self.game.move_count,)}
        seen = spaces.Dict({name: spaces.Box(0, 1, shape, np.int8) for name, shape in shapes.items()})
        self.observation_spaces = dict.fromkeys(_SIDES, seen)
        self.action_spaces = {agent: spaces.Discrete(self.game.move_count) for agent in _SIDES}
        self.position: Any = rules.start()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, as `Numbers.begin` says."""
        self.position = self.game.begin(options)
        self.plies = 0
        self.agents = self.possible_agents[:]
        self.agent_selection = _AGENTS[self.position.turn]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, self.position.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0
        self.position = self.game.play(self.position, int(action))
        self.plies += 1
        rewards = self.game.rewards(self.position)
        self.rewards = {each: rewards[side] for each, side in _SIDES.items()}
        over = self.position.is_over
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, not over and self.plies >= self.most_plies)
        self.agent_selection = _AGENTS[self.position.turn]
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        moves = agent == self.agent_selection and not (self.terminations[agent] or self.truncations[agent])
        mask = self.game.mask(self.position) if moves else np.zeros(self.game.move_count, np.int8)
        return {"observation": self.game.array(self.position, _SIDES[agent]), "action_mask": mask}

    def render(self) -> str | None:
        """The board as text in the mode "ansi"."""
        return self.position.ascii() if self.render_mode == "ansi" else None
