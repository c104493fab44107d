"""Quixo, Qubic and Ultimate Tic-Tac-Toe as games of OpenSpiel.

Needs the extra `openspiel`. Importing this module registers ``inarow_quixo``, ``inarow_qubic`` and
``inarow_ultimate``; `Numbers` says what actions are and what observations show.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from inarow.adapters.numbers import AnyRules, Numbers
from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate
from inarow.values import Mark

_SIDES: tuple[Mark, Mark] = ("x", "o")  # by player


class InarowGame(pyspiel.Game):
    """A game of inarow: player 0 is X, player 1 is O, and the winner gets 1 from the loser at the end."""

    kind: ClassVar[Any]
    defaults: ClassVar[dict[str, Any]]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.numbers = Numbers(self.rules_of(**{**self.defaults, **(params or {})}))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.numbers.move_count,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.numbers.most_plies,
        )
        super().__init__(self.kind, info, params or {})

    @staticmethod
    def rules_of(*_: Any, **parameters: Any) -> AnyRules:
        """The rules that the parameters of a game ask for."""
        raise NotImplementedError

    def new_initial_state(self, state: Any = None) -> InarowState:
        if state is not None:
            raise ValueError("a game begins at its start: apply actions to reach other states")
        return InarowState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.numbers, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class InarowState(pyspiel.State):
    """A position; `position` is it. A game of Quixo is drawn after 200 plies."""

    def __init__(self, game: InarowGame) -> None:
        super().__init__(game)
        self._numbers = game.numbers
        self.position: Any = game.numbers.rules.start()

    def current_player(self) -> Any:
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else _SIDES.index(self.position.turn)

    def _legal_actions(self, player: int) -> list[int]:
        return self._numbers.legal(self.position)

    def _apply_action(self, action: int) -> None:
        self.position = self._numbers.play(self.position, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._numbers.rules.move_text(self._numbers.moves[action])

    def is_terminal(self) -> bool:
        return bool(self.position.is_over) or self.move_number() >= self._numbers.most_plies

    def returns(self) -> list[float]:
        rewards = self._numbers.rewards(self.position)
        return [float(rewards[side]) for side in _SIDES]

    def __str__(self) -> str:
        return str(self.position.text)


class _Observer:
    """What a player sees, as OpenSpiel's observers hold it."""

    def __init__(self, numbers: Numbers, params: Any) -> None:
        if params:
            raise ValueError(f"observations take no parameters: {params}")
        self._numbers = numbers
        self.tensor = np.zeros(int(np.prod(numbers.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(numbers.shape)}

    def set_from(self, state: InarowState, player: int) -> None:
        self.dict["observation"][:] = self._numbers.array(state.position, _SIDES[player])

    def string_from(self, state: InarowState, player: int) -> str:
        return str(state.position.ascii())


class QuixoGame(InarowGame):
    """``inarow_quixo``; a line of 0 is as long as the longer side.

    >>> game = pyspiel.load_game("inarow_quixo(rows=3,columns=3)")
    >>> state = game.new_initial_state()
    >>> state.apply_action(state.string_to_action("a1a3"))
    >>> str(state), state.current_player(), game.max_game_length()
    ('x../.../... o', 1, 200)
    """

    defaults: ClassVar = {"rows": 5, "columns": 5, "line": 0, "double_line_wins": False}

    @staticmethod
    def rules_of(rows: int, columns: int, line: int, double_line_wins: bool) -> Quixo:
        return Quixo(rows, columns, line or None, "wins" if double_line_wins else "loses")


class QubicGame(InarowGame):
    """``inarow_qubic``."""

    defaults: ClassVar = {}

    @staticmethod
    def rules_of() -> Game:
        return Game.named("qubic")


class UltimateGame(InarowGame):
    """``inarow_ultimate``, open unless it is ``closed``."""

    defaults: ClassVar = {"closed": False}

    @staticmethod
    def rules_of(closed: bool) -> Ultimate:
        return Ultimate("closed" if closed else "open")


# OpenSpiel keeps what makes a game until after Python's end, which only classes survive.
def _register(game: type[InarowGame], short_name: str, long_name: str) -> None:
    game.kind = pyspiel.GameType(
        short_name=short_name,
        long_name=f"{long_name} (inarow)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=game.defaults,
    )
    pyspiel.register_game(game.kind, game)


_register(QuixoGame, "inarow_quixo", "Quixo")
_register(QubicGame, "inarow_qubic", "Qubic")
_register(UltimateGame, "inarow_ultimate", "Ultimate Tic-Tac-Toe")
