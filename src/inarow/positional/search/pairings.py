"""Pairings: pairs of cells with which O blocks every line.

Whenever X marks one cell of a pair, O marks the other. If every line contains both cells of some pair, X
never completes a line. On a board, an integer program finds such pairs; in the plane, it finds a repeating
pattern of dominoes, a *paving*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

from inarow.integer_program import Row, minimise
from inarow.positional.polyominoes import Polyomino, orientations
from inarow.positional.rules import Game, cells_of

Pairs: TypeAlias = tuple[tuple[int, int], ...]
Place: TypeAlias = tuple[int, int]  # row and column
Pair = TypeVar("Pair", bound=Any)
Cell = TypeVar("Cell", bound=Any)

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_PERIODS = ((2, 2), (2, 4), (4, 4), (2, 6), (4, 6), (6, 6), (4, 8), (6, 8), (8, 8))


@dataclass(frozen=True, slots=True)
class Paving:
    """Pairs of cells in the plane, each repeated with a period of rows and columns."""

    period: tuple[int, int]
    pairs: tuple[tuple[Place, Place], ...]


def find_pairing(game: Game, time_limit: float | None = None) -> Pairs | None:
    """Pairs that block every line of a game; None if there are none, or the time ran out."""
    lines = [list(combinations(cells_of(line), 2)) for line in game.lines]
    return _disjoint(lines, lambda pair: pair, time_limit)


def pairing_text(game: Game, pairs: Pairs) -> str:
    """The board with a letter on the cells of each pair."""
    letters = ["."] * game.cells
    for number, pair in enumerate(pairs):
        for cell in pair:
            letters[cell] = _LETTERS[number % len(_LETTERS)]
    return game.layout(letters)


def find_paving(shape: Polyomino, time_limit: float | None = None) -> Paving | None:
    """Dominoes in the plane such that every placement of a polyomino contains one; None if none were found.

    Only certain periods are tried.
    """
    pavings = (_paving(shape, period, time_limit) for period in _PERIODS)
    return next((paving for paving in pavings if paving is not None), None)


def _paving(shape: Polyomino, period: tuple[int, int], time_limit: float | None) -> Paving | None:
    def at(place: Place) -> Place:
        return place[0] % period[0], place[1] % period[1]

    placements = [
        [
            (first := at((row + down, column + right)), (first[0] + step[0], first[1] + step[1]))
            for row, column in turned
            for step in ((0, 1), (1, 0))
            if (row + step[0], column + step[1]) in turned
        ]
        for turned in orientations(shape)
        for down in range(period[0])
        for right in range(period[1])
    ]
    pairs = _disjoint(placements, lambda domino: (domino[0], at(domino[1])), time_limit)
    return None if pairs is None else Paving(period, pairs)


def _disjoint(
    choices: Sequence[Sequence[Pair]],
    ends: Callable[[Pair], tuple[Cell, Cell]],
    time_limit: float | None,
) -> tuple[Pair, ...] | None:
    """Pairs without a common end, one of each choice; None if none were found in time."""
    pairs = sorted({pair for choice in choices for pair in choice})
    number = {pair: column for column, pair in enumerate(pairs)}
    at: dict[Cell, list[int]] = {}
    for pair, column in number.items():
        for end in ends(pair):
            at.setdefault(end, []).append(column)
    rows = [Row(sorted({number[pair] for pair in choice}), least=1) for choice in choices]
    rows += [Row((), at[end], -1) for end in sorted(at)]
    found = minimise([0.0] * len(pairs), rows, time_limit)
    return None if found is None else tuple(pairs[column] for column in sorted(found.chosen))
