"""The rules of thumb of studies/thumb.py once more, on strings: see quixo.py for boards and moves.

Scores are for the player who has just moved, whose marks are the O's.
"""

from functools import cache
from typing import NamedTuple

from oracle.quixo import SWAP, children, runs, terminal


class Game(NamedTuple):
    rows: int
    columns: int
    line: int
    double_line: str


@cache
def result(game: Game, board: str) -> int:
    """1 if the move before won the game, −1 if it lost it, 0 if it goes on."""
    return {"loss": 1, "win": -1, None: 0}[terminal(board, *game)]


@cache
def wins_at_once(game: Game, board: str) -> bool:
    return not result(game, board) and any(
        result(game, child) > 0 for child in children(board, game.rows, game.columns)
    )


def answered(game: Game, board: str) -> bool:
    """Whether a move of X neither loses at once nor lets O win at once."""
    return any(
        result(game, child) > 0 or (result(game, child) == 0 and not wins_at_once(game, child))
        for child in children(board, game.rows, game.columns)
    )


@cache
def wins_in_three(game: Game, board: str) -> bool:
    if result(game, board) or wins_at_once(game, board):
        return wins_at_once(game, board)
    return any(
        result(game, child) == 0 and not answered(game, child)
        for child in children(board, game.rows, game.columns)
    )


@cache
def scores(game: Game, board: str) -> tuple[int, ...]:
    """What each rule thinks of a board after a move, the first rule first."""
    rows, columns, line, _ = game
    border = [
        board[row * columns + column]
        for row in range(rows)
        for column in range(columns)
        if row in (0, rows - 1) or column in (0, columns - 1)
    ]
    lines = ["".join(board[place] for place in run) for run in runs(rows, columns, line)]
    return (
        result(game, board),
        -int(wins_at_once(game, board)) - int(wins_in_three(game, board)),
        border.count("O") - max(tiles.count("X") for tiles in lines),
        -border.count("."),
        int(wins_at_once(game, board.translate(SWAP))),
        sum(tiles.count("O") ** 2 for tiles in lines) // 2,  # each line is there twice
    )


def left(game: Game, boards: list[str], rules: int) -> list[str]:
    """Of the boards after all moves, those that are left after so many rules."""
    best = max(scores(game, board)[:rules] for board in boards)
    return [board for board in boards if scores(game, board)[:rules] == best]
