"""Check pairs of cells by which the second player holds every line.

O answers a mark of X's in one cell of a pair with a mark in the other. That is a strategy if no cell is in
two pairs; it holds a line that has both cells of a pair. This module knows nothing of how the pairs were
found, and turns and mirrors polyominoes by itself.

>>> check_pairing(4, [0b1111], [(0, 1)])
>>> check_pairing(4, [0b1111, 0b1100], [(0, 1)])
Traceback (most recent call last):
    ...
inarow.verify.positional.pairing.NotHeld: no pair is in the line of the cells 2, 3
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inarow.errors import InarowError

__all__ = ["NotHeld", "check_pairing", "check_paving"]

Place = tuple[int, int]  # row and column


class NotHeld(InarowError):
    """Pairs that are not a strategy, or leave a line to X."""

    exit_code = 1


def check_pairing(cells: int, lines: Iterable[int], pairs: Iterable[Sequence[int]]) -> None:
    """Raise `NotHeld` unless the pairs are apart, on the board, and hold every line, which are masks."""
    taken: set[int] = set()
    masks = []
    for first, second in pairs:
        for cell in (first, second):
            if not 0 <= cell < cells:
                raise NotHeld(f"cell {cell} is not on the board of {cells} cells")
            if cell in taken:
                raise NotHeld(f"cell {cell} is in two pairs")
            taken.add(cell)
        masks.append(1 << first | 1 << second)
    for line in lines:
        if not any(line & mask == mask for mask in masks):
            of_line = ", ".join(str(cell) for cell in range(cells) if line >> cell & 1)
            raise NotHeld(f"no pair is in the line of the cells {of_line}")


def check_paving(
    shape: Iterable[Place], period: tuple[int, int], pairs: Iterable[tuple[Place, Place]]
) -> None:
    """Raise `NotHeld` unless pairs that repeat in the plane hold a polyomino, turned and mirrored, anywhere.

    Each pair stands for all that lie a whole number of periods of rows and of columns away from it. What
    happens in one period happens everywhere. On a board, pairs with a cell outside of it are left out: a
    polyomino on the board has none of those cells.
    """
    rows, columns = period
    partner: dict[Place, Place] = {}  # from a cell of the first period, the step to the other of its pair
    for first, second in pairs:
        for one, other in ((first, second), (second, first)):
            home = (one[0] % rows, one[1] % columns)
            if home in partner:
                raise NotHeld(f"the cell {home} is in two pairs")
            partner[home] = (other[0] - one[0], other[1] - one[1])
    cells = set(shape)
    for turns in range(8):
        turned = {_turned(cell, turns) for cell in cells}
        for down in range(rows):
            for right in range(columns):
                placed = {(row + down, column + right) for row, column in turned}
                if not any(_other(cell, partner, period) in placed for cell in placed):
                    raise NotHeld(f"no pair is in {sorted(placed)}")


def _other(cell: Place, partner: dict[Place, Place], period: tuple[int, int]) -> Place | None:
    step = partner.get((cell[0] % period[0], cell[1] % period[1]))
    return None if step is None else (cell[0] + step[0], cell[1] + step[1])


def _turned(cell: Place, turns: int) -> Place:
    row, column = cell
    if turns >= 4:
        column = -column
    for _ in range(turns % 4):
        row, column = column, -row
    return row, column
