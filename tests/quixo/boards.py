"""Positions of Quixo by plain enumeration, for tests that compare with all of them."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.rules import Move, Position, Quixo
from inarow.values import opponent


def words_of(rules: Quixo, x: int, o: int) -> list[int]:
    """The positions with x marks of the side to move and o of the other, in ascending order."""
    cells = set(range(rules.cells))
    return sorted(
        sum(1 << cell + 32 for cell in xs) + sum(1 << cell for cell in os)
        for xs in combinations(cells, x)
        for os in combinations(cells.difference(xs), o)
    )


def random_board(rules: Quixo, random: Random) -> Position:
    """X is to move; each tile is blank or of either mark with an equal chance."""
    tiles = [random.choice("xo.") for _ in range(rules.cells)]
    x, o = (sum(1 << cell for cell, tile in enumerate(tiles) if tile == mark) for mark in "xo")
    return Position(rules, x, o)


def random_words(rules: Quixo, count: int) -> NDArray[np.uint64]:
    tiles = np.random.default_rng(1).integers(0, 3, (rules.cells, count))
    words = np.zeros(count, np.uint64)
    for cell, of_cell in enumerate(tiles):
        words |= np.array([0, 1 << cell, 1 << cell + 32], np.uint64)[of_cell]
    return words


def previous(position: Position) -> list[tuple[Position, Move]]:
    """Every position that is not over, with the move from it that leads here."""
    rules, before, actor = position.rules, [], opponent(position.turn)
    for move in rules.moves:
        if position.mark_at(move.pushed) != actor:
            continue
        step = 1 if move.taken // rules.columns == move.pushed // rules.columns else rules.columns
        up = 1 if move.taken > move.pushed else -1
        marks = {cell: position.mark_at(cell) for cell in range(rules.cells)}
        for cell, after in pairwise(range(move.pushed, move.taken + up, up * step)):
            marks[cell] = position.mark_at(after)
        for taken in (None, actor):  # the tile was empty, or the actor's own
            marks[move.taken] = taken
            x, o = (sum(1 << cell for cell, its in marks.items() if its == mark) for mark in "xo")
            earlier = Position(rules, x, o, actor)
            if not earlier.is_over:
                before.append((earlier, move))
    return before


def won_game() -> list[Position]:
    """A game of 3×3 that X wins in five plies."""
    positions = [Quixo(3).start()]
    for move in ("a1a3", "c1c3", "b1a1", "c2c3", "a2a1"):
        positions.append(positions[-1].play(move))
    assert positions[-1].winner == "x"
    return positions
