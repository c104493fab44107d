"""Quixo on tiny boards, slow, short, and meant to be checked by eye; quixo_arrays.py solves them.

Nothing here comes from the package under test. A board is a string read from the upper left tile to the
lower right one, row by row: "X" for the marks of the player to move, "O" for those of the other, "." for
empty tiles. After a move the two letters change places, so it is always X's turn.
"""

from functools import cache
from itertools import product

Masks = tuple[int, int]
Value = tuple[str, int | None]

SWAP = str.maketrans("XO", "OX")


def masks(board: str) -> Masks:
    """(x_mask, o_mask); bit 0 is the lower right tile, the highest bit the upper left one."""
    return (
        int(board.translate(str.maketrans("XO.", "100")), 2),
        int(board.translate(str.maketrans("XO.", "010")), 2),
    )


def push(tiles: str, taken: int, end: int) -> str:
    """Take a tile out of a row or column, written as a string, and push an X in at one of its ends."""
    rest = tiles[:taken] + tiles[taken + 1 :]
    return "X" + rest if end == 0 else rest + "X"


def moves(board: str, rows: int, columns: int) -> set[str]:
    """The boards right after a move of X, before the letters change places."""
    boards = set()
    for row, column in product(range(rows), range(columns)):
        on_border = row in (0, rows - 1) or column in (0, columns - 1)
        if not on_border or board[row * columns + column] == "O":
            continue
        in_row = [row * columns + k for k in range(columns)]
        in_column = [k * columns + column for k in range(rows)]
        for places, taken in ((in_row, column), (in_column, row)):
            for end in (0, len(places) - 1):
                if end == taken:
                    continue
                tiles = list(board)
                pushed = push("".join(board[place] for place in places), taken, end)
                for place, tile in zip(places, pushed, strict=True):
                    tiles[place] = tile
                boards.add("".join(tiles))
    return boards


def children(board: str, rows: int, columns: int) -> set[str]:
    return {after.translate(SWAP) for after in moves(board, rows, columns)}


@cache
def runs(rows: int, columns: int, line: int, wrap: bool = False, diagonals: bool = True) -> list[list[int]]:
    """Every run of `line` places, in each of the eight directions (so each run twice, once backward).

    With `wrap` a run that leaves the board comes back at the other side, but never to the same place.
    """
    found = []
    for row, column, down, right in product(range(rows), range(columns), (-1, 0, 1), (-1, 0, 1)):
        cells = [(row + k * down, column + k * right) for k in range(line)]
        if (down, right) == (0, 0) or (down and right and not diagonals):
            continue
        if wrap:
            cells = [(r % rows, c % columns) for r, c in cells]
        if all(r in range(rows) and c in range(columns) for r, c in cells) and len(set(cells)) == line:
            found.append([r * columns + c for r, c in cells])
    return found


def has_line(
    board: str, mark: str, rows: int, columns: int, line: int, wrap: bool = False, diagonals: bool = True
) -> bool:
    return any(
        all(board[place] == mark for place in run) for run in runs(rows, columns, line, wrap, diagonals)
    )


def terminal(
    board: str,
    rows: int,
    columns: int,
    line: int,
    double_line: str,
    misere: bool = False,
    wrap: bool = False,
    diagonals: bool = True,
) -> str | None:
    """ "win", "loss" or "draw" for the player to move if the game is over, otherwise None.

    The board was made by the other player's move. If it shows lines of both, that player loses under the
    official rule, and wins or draws under the variants. Other lines win, or lose if the game is misere.
    """
    mine, theirs = (has_line(board, mark, rows, columns, line, wrap, diagonals) for mark in "XO")
    if mine and theirs:
        return {"loses": "win", "wins": "loss", "draws": "draw"}[double_line]
    if mine:
        return "loss" if misere else "win"
    if theirs:
        return "win" if misere else "loss"
    return None


def solve(rows: int, columns: int, line: int, double_line: str, **variant: bool) -> dict[Masks, Value]:
    """The value of every board, reachable or not, with X to move: the outcome and the plies to the end."""
    from oracle import quixo_arrays

    found = quixo_arrays.solve(rows, columns, line, double_line, **variant)
    names = {quixo_arrays.WIN: "win", quixo_arrays.DRAW: "draw", quixo_arrays.LOSS: "loss"}
    return {
        (word >> 32, word & 0xFFFFFFFF): (names[value], plies if value else None)
        for word, value, plies in zip(*(column.tolist() for column in found), strict=True)
    }


def reachable(rows: int, columns: int, line: int, double_line: str, **variant: bool) -> set[Masks]:
    """The boards, with X to move, that are reachable in a game from the empty board."""
    start = "." * (rows * columns)
    seen = {start}
    to_visit = [start]
    while to_visit:
        board = to_visit.pop()
        if terminal(board, rows, columns, line, double_line, **variant) is not None:
            continue
        for child in children(board, rows, columns) - seen:
            seen.add(child)
            to_visit.append(child)
    return {masks(board) for board in seen}
