"""Quixo by plain value iteration on NumPy arrays, since Python takes minutes for the boards of quixo.py.

A board is the number whose digit k in base 3 is the tile of place k, counted row by row from the upper left:
0 for an empty tile, 1 for a mark of the player to move, 2 for one of the other. An array holds something of
every board, by its number.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray
from oracle.quixo import runs

WIN, DRAW, LOSS = 1, 0, -1


def tiles(rows: int, columns: int, boards: NDArray[np.int64] | None = None) -> list[NDArray[np.int64]]:
    """The tile at each place, of some boards or of all."""
    boards = np.arange(3 ** (rows * columns)) if boards is None else boards
    return [boards // 3**place % 3 for place in range(rows * columns)]


def moves(
    rows: int, columns: int, boards: NDArray[np.int64] | None = None
) -> list[tuple[NDArray[np.bool_], NDArray[np.int32]]]:
    """For each way to take a tile and push it in: where it is legal, and the board that the other gets."""
    board = tiles(rows, columns, boards)
    found = []
    for row, column in product(range(rows), range(columns)):
        if row not in (0, rows - 1) and column not in (0, columns - 1):
            continue
        legal = board[row * columns + column] != 2
        in_row = [row * columns + k for k in range(columns)]
        in_column = [k * columns + column for k in range(rows)]
        for places, taken in ((in_row, column), (in_column, row)):
            for end in (0, len(places) - 1):
                if end == taken:
                    continue
                rest = [board[place] for place in places if place != places[taken]]
                mark = np.ones_like(board[0])
                pushed = [mark, *rest] if end == 0 else [*rest, mark]
                after = list(board)
                for place, tile in zip(places, pushed, strict=True):
                    after[place] = tile
                # The player to move is the other one now: 1 and 2 change places.
                child = sum((3 - tile) % 3 * 3**place for place, tile in enumerate(after))
                found.append((legal, np.asarray(child, np.int32)))
    return found


def solve(
    rows: int,
    columns: int,
    line: int,
    double_line: str,
    misere: bool = False,
    wrap: bool = False,
    diagonals: bool = True,
) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int32]]:
    """A word with the masks of the player to move and of the other, the value and the plies of every board.

    The winner hurries and the loser delays; plies are -1 for a draw. In round i a board becomes a win in i if
    a child is a loss in i - 1, and a loss in i if all children are wins.
    """
    board = tiles(rows, columns)
    lines = runs(rows, columns, line, wrap, diagonals)
    mine, theirs = (
        np.any([np.all([board[p] == mark for p in run], axis=0) for run in lines], axis=0) for mark in (1, 2)
    )
    own = LOSS if misere else WIN
    value = np.where(mine, own, np.where(theirs, -own, DRAW)).astype(np.int8)
    value[mine & theirs] = {"loses": WIN, "wins": LOSS, "draws": DRAW}[double_line]
    plies = np.where(value != DRAW, 0, -1).astype(np.int32)

    ways = moves(rows, columns)
    left = np.flatnonzero(~(mine | theirs))
    for round in range(1, 1 << 14):
        won, lost = np.zeros(left.size, bool), np.ones(left.size, bool)
        for legal, child in ways:
            legal_here, there = legal[left], child[left]
            won |= legal_here & (value[there] == LOSS) & (plies[there] == round - 1)
            lost &= ~legal_here | (value[there] == WIN)
        lost &= ~won
        if not np.any(won | lost):
            break
        value[left[won]], value[left[lost]] = WIN, LOSS
        plies[left[won | lost]] = round
        left = left[~(won | lost)]

    last = rows * columns - 1
    one, two = (
        sum((tile == mark).astype(np.uint64) << np.uint64(last - p) for p, tile in enumerate(board))
        for mark in (1, 2)
    )
    return np.asarray(one, np.uint64) << np.uint64(32) | np.asarray(two, np.uint64), value, plies
