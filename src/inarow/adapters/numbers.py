"""Moves and positions as numbers, as libraries for learning take them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError, MissingTable
from inarow.position import Position
from inarow.positional.rules import Game
from inarow.quixo.player import LEVELS, Kind, Player
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Move as UltimateMove
from inarow.ultimate.rules import Ultimate
from inarow.values import Mark, opponent

AnyRules: TypeAlias = Quixo | Game | Ultimate
Chooser: TypeAlias = Callable[[Any], Any]
"""A function from a position to a move."""

_PLAYERS: dict[str, tuple[Kind, int]] = {
    "perfect": ("best", 1),
    "trapping": ("trap", 1),
    "weaker": ("weaker", 1),
    **{f"level-{level}": ("level", level) for level in range(1, len(LEVELS) + 1)},
}
MOST_PLIES = 200  # of a game of Quixo, which might go on for ever


class Numbers:
    """The moves of a game as numbers from 0, and its positions as arrays of 0 and 1.

    Quixo's moves are numbered as in `Quixo.moves`, those of Qubic and other positional games by their cell,
    and Ultimate's by 9 · field + spot. An array has the axes of the board (layers if there are several,
    rows, columns) and planes: the marks of one side and of the other, in Ultimate also the fields that each
    has won.

    >>> game = Numbers(Quixo(3))
    >>> position = game.rules.start()
    >>> game.move_count, game.shape, len(game.legal(position))
    (20, (3, 3, 2), 20)
    >>> game.play(position, 0).text
    '.../.../x.. o'
    """

    def __init__(self, rules: AnyRules) -> None:
        self.rules = rules
        self.moves: tuple[Any, ...]
        self.shape: tuple[int, ...]
        match rules:
            case Quixo(rows=rows, columns=columns):
                self.name, self.moves, self.shape = "quixo", rules.moves, (rows, columns, 2)
            case Game(shape=(layers, rows, columns)):
                self.name, self.moves = rules.name.partition(":")[0], tuple(range(rules.cells))
                self.shape = (layers, rows, columns, 2) if layers > 1 else (rows, columns, 2)
            case Ultimate():
                self.name, self.shape = "ultimate", (9, 9, 4)
                self.moves = tuple(map(UltimateMove.of_number, range(81)))
        self.move_count = len(self.moves)
        self.most_plies = MOST_PLIES if isinstance(rules, Quixo) else self.move_count
        self._numbers = {move: number for number, move in enumerate(self.moves)}

    def begin(self, options: dict[str, Any] | None) -> Any:
        """The first position of a game: the start, or the position of `options["position"]`, a text."""
        text = (options or {}).get("position")
        return self.rules.start() if text is None else self.rules.parse(text)

    def legal(self, position: Position[Any]) -> list[int]:
        """The numbers of the legal moves, in ascending order."""
        return [self._numbers[move] for move in position.legal_moves()]

    def mask(self, position: Position[Any]) -> NDArray[np.int8]:
        """1 for each move that is legal."""
        mask = np.zeros(self.move_count, np.int8)
        mask[self.legal(position)] = 1
        return mask

    def play(self, position: Position[Any], number: int) -> Any:
        """The position after a move; `ValueError` if it is not legal."""
        return position.play(self.moves[number])

    def array(self, position: Any, side: Mark) -> NDArray[np.int8]:
        """The position as a side sees it: its own planes come first."""
        marks = {"x": position.x, "o": position.o}
        sides: tuple[Mark, Mark] = (side, opponent(side))
        match self.rules:
            case Quixo(cells=cells):
                planes = [_bits(marks[its], cells)[::-1] for its in sides]
            case Game(cells=cells):
                planes = [_bits(marks[its], cells) for its in sides]
            case Ultimate():
                fields = {"x": position.x_fields, "o": position.o_fields}
                planes = [np.stack([_bits(field, 9) for field in marks[its]]) for its in sides]
                planes += [np.repeat(_bits(fields[its], 9), 9) for its in sides]
                # From field and spot to row and column, of three fields with three spots each.
                planes = [plane.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3) for plane in planes]
        return np.stack([plane.reshape(self.shape[:-1]) for plane in planes], axis=-1)

    @staticmethod
    def rewards(position: Position[Any]) -> dict[str, int]:
        """1 for the winner and −1 for the loser; 0 for both in a draw, and while the game is not over."""
        winner = position.winner
        if winner is None:
            return {"x": 0, "o": 0}
        return {winner: 1, opponent(winner): -1}


def _bits(mask: int, count: int) -> NDArray[np.int8]:
    return np.array([mask >> place & 1 for place in range(count)], np.int8)


def opponent_named(name: str, rules: AnyRules, seed: int) -> Chooser:
    """An opponent: "random" in every game, and in Quixo those of `inarow.Player`.

    "perfect" takes any of the best moves, "trapping" also hopes for mistakes where it is losing, "weaker"
    makes a third of its moves at random, and "level-1" to "level-6" see few plies ahead.

    >>> opponent_named("perfect", Quixo(3), seed=1)(Quixo(3).parse("xx./.../o.o x"))
    Move(taken=6, pushed=8)
    """
    random = Random(seed)
    if name == "random":
        return lambda position: random.choice(position.legal_moves())
    if name not in _PLAYERS:
        raise ValueError(f"opponent {name!r}: must be random, {', '.join(_PLAYERS)}")
    if not isinstance(rules, Quixo):
        raise InarowError(f"{name} opponents are for Quixo, whose values are known; give a function instead")
    prober = _prober(rules)
    kind, level = _PLAYERS[name]
    if kind in ("best", "trap") and not prober.knows_outcomes:
        raise MissingTable(
            f"a {name} opponent takes a table of {rules}: give a function that has one instead"
        )
    player = Player(prober, kind, seed, level=level)
    before: deque[Any] = deque(maxlen=MOST_PLIES)

    def choose(position: Any) -> Any:
        chosen = player.choose(position, before)
        before.append(position)
        return chosen.move

    return choose


@lru_cache(maxsize=4)
def _prober(rules: Quixo) -> Prober:
    """Kept open for the next game."""
    return open_prober(rules)
