"""A game against an opponent as an environment of Gymnasium, for a single agent that learns.

Needs the extra `gym`. `Numbers` says what observations and actions are. Importing this module registers
``inarow/Quixo-v0``, ``inarow/Qubic-v0`` and ``inarow/Ultimate-v0``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from inarow.adapters.numbers import AnyRules, Chooser, Numbers, opponent_named
from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate
from inarow.values import Mark


class Versus(gymnasium.Env):
    """One side of a game against an opponent.

    `opponent` is "random" or, in Quixo, "perfect", "trapping", "weaker" or "level-1" to "level-6" (see
    `opponent_named`), or a function from a position to a move. `side` is what the agent plays: "x", "o", or
    "both", which is drawn for each game. The reward is 1 for a win, −1 for a loss or an illegal action, which
    ends the game, and 0 otherwise; a game of more than `most_plies` is truncated. `info["action_mask"]` has
    1 for each legal action, and `action_masks()` is the same for libraries that ask for it.

    >>> import gymnasium, inarow
    >>> environment = Versus(inarow.Quixo(3), "perfect", side="o")
    >>> observation, info = environment.reset(seed=1)
    >>> observation.shape, info["action_mask"].shape
    ((3, 3, 2), (20,))
    >>> gymnasium.make("inarow.adapters.gymnasium:inarow/Quixo-v0", size=4).observation_space.shape
    (4, 4, 2)
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012

    def __init__(
        self,
        rules: AnyRules,
        opponent: str | Chooser = "random",
        side: str = "x",
        *,
        most_plies: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if side not in ("x", "o", "both"):
            raise ValueError(f"side {side!r}: must be 'x', 'o' or 'both'")
        self.game = Numbers(rules)
        self.most_plies = self.game.most_plies if most_plies is None else most_plies
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, self.game.shape, np.int8)
        self.action_space = spaces.Discrete(self.game.move_count)
        self.position: Any = rules.start()
        self.side: Mark = "o" if side == "o" else "x"
        self._opponent, self._sides = opponent, side
        self._choose: Chooser | None = None if isinstance(opponent, str) else opponent
        self._plies = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a game, as `Numbers.begin` says."""
        super().reset(seed=seed)
        if isinstance(self._opponent, str) and (self._choose is None or seed is not None):
            # Its choices follow from the seed of the environment.
            self._choose = opponent_named(
                self._opponent, self.game.rules, int(self.np_random.integers(1 << 32))
            )
        if self._sides == "both":
            self.side = "x" if self.np_random.integers(2) else "o"
        self.position = self.game.begin(options)
        self._plies = 0
        self._reply()
        return self._seen()

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        if not self.game.mask(self.position)[action]:
            observation, info = self._seen()
            return observation, -1.0, True, False, {**info, "illegal": True}
        self._play(self.game.moves[action])
        self._reply()
        over, reward = self.position.is_over, float(self.game.rewards(self.position)[self.side])
        observation, info = self._seen()
        return observation, reward, over, not over and self._plies >= self.most_plies, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal."""
        return self.game.mask(self.position).astype(np.bool_)

    def render(self) -> str | None:
        """The board as text in the mode "ansi"."""
        return self.position.ascii() if self.render_mode == "ansi" else None

    def _play(self, move: Any) -> None:
        self.position = self.position.play(move)
        self._plies += 1

    def _reply(self) -> None:
        assert self._choose is not None
        if not self.position.is_over and self.position.turn != self.side:
            self._play(self._choose(self.position))

    def _seen(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        info = {"action_mask": self.game.mask(self.position), "position": self.position.text}
        return self.game.array(self.position, self.side), info


def _quixo(
    size: int | str = 5, line: int | None = None, double_line: Any = "loses", **options: Any
) -> Versus:
    rows, columns = Quixo.parse_size(str(size))
    return Versus(Quixo(rows, columns, line, double_line), **options)


def _ultimate(variant: Any = "open", **options: Any) -> Versus:
    return Versus(Ultimate(variant), **options)


_MAKERS = {"Quixo": _quixo, "Qubic": partial(Versus, Game.named("qubic")), "Ultimate": _ultimate}
for _name, _make in _MAKERS.items():
    gymnasium.register(f"inarow/{_name}-v0", entry_point=_make)
