"""Pairings: pairs of cells with which O blocks every line.

Whenever X marks one cell of a pair, O marks the other. If every line contains both cells of some pair, X
never completes a line. On a board, an integer program finds such pairs; in the plane, it finds a repeating
pattern of dominoes, a *paving*.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from inarow.integer_program import first_solution
from inarow.positional.polyominoes import Polyomino, orientations
from inarow.positional.rules import Game, cells_of

__all__ = ["Pairs", "Paving", "find_pairing", "find_paving", "pairing_text"]

Pairs: TypeAlias = tuple[tuple[int, int], ...]
Place: TypeAlias = tuple[int, int]  # row and column

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_PERIODS = ((2, 2), (2, 4), (4, 4), (2, 6), (4, 6), (6, 6), (4, 8), (6, 8), (8, 8))


@dataclass(frozen=True, slots=True)
class Paving:
    """Pairs of cells in the plane, each repeated with a period of rows and columns."""

    period: tuple[int, int]
    pairs: tuple[tuple[Place, Place], ...]


def find_pairing(game: Game, time_limit: float | None = None) -> Pairs | None:
    """Pairs that block every line of a game; None if there are none, or the time ran out."""
    lines = [tuple(cells_of(line)) for line in game.lines]
    if any(len(line) < 2 for line in lines):
        return None
    pairs = sorted({pair for line in lines for pair in combinations(line, 2)})
    number = {pair: column for column, pair in enumerate(pairs)}
    at_most = [[column for pair, column in number.items() if cell in pair] for cell in range(game.cells)]
    at_least = [[number[pair] for pair in combinations(line, 2)] for line in lines]
    chosen = first_solution(len(pairs), at_least, at_most, time_limit)
    return None if chosen is None else tuple(pairs[column] for column in chosen)


def pairing_text(game: Game, pairs: Pairs) -> str:
    """The board with a letter on the cells of each pair.

    >>> from inarow.positional.rules import Game
    >>> print(pairing_text(Game.named("mnk:4x1x4"), ((0, 1),)))
    a a . .
    """
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
    rows, columns = period
    number: dict[tuple[Place, Place], int] = {}
    at_least = []
    for turned in orientations(shape):
        cells = sorted(turned)
        for down in range(rows):
            for right in range(columns):
                held = []
                for (row, column), (other_row, other_column) in combinations(cells, 2):
                    first = ((row + down) % rows, (column + right) % columns)
                    step = (other_row - row, other_column - column)
                    if abs(step[0]) + abs(step[1]) == 1:
                        held.append(number.setdefault((first, step), len(number)))
                at_least.append(sorted(set(held)))  # a long piece contains the same domino twice
    at_most: dict[Place, list[int]] = {}
    for (first, step), variable in number.items():
        second = ((first[0] + step[0]) % rows, (first[1] + step[1]) % columns)
        at_most.setdefault(first, []).append(variable)
        at_most.setdefault(second, []).append(variable)
    chosen = first_solution(len(number), at_least, list(at_most.values()), time_limit)
    if chosen is None:
        return None
    taken = set(chosen)
    pairs = tuple(
        ((row, column), (row + down, column + right))
        for ((row, column), (down, right)), variable in number.items()
        if variable in taken
    )
    return Paving(period, pairs)
