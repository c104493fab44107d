"""Check pairs of cells with which O blocks every line.

Whenever X marks one cell of a pair, O marks the other. That is a strategy if no cell is in two pairs; it
blocks every line that contains a pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inarow.verify.verdict import Verdict

Place = tuple[int, int]  # row and column


@dataclass(frozen=True, slots=True)
class PairingReport:
    """Whether the pairs block every line: "proven", or "wrong" and why.

    >>> verify_pairing(4, [0b0011, 0b1100], [(0, 1)]).reason
    'no pair is in the line of the cells 2, 3'
    """

    verdict: Verdict
    reason: str


def verify_pairing(cells: int, lines: Iterable[int], pairs: Iterable[Sequence[int]]) -> PairingReport:
    """Check that the pairs are disjoint, on the board, and in every line (a mask).

    >>> verify_pairing(4, [0b0011, 0b1100], [(0, 1), (2, 3)]).verdict
    'proven'
    """
    taken: set[int] = set()
    masks = []
    for first, second in pairs:
        for cell in (first, second):
            if not 0 <= cell < cells:
                return PairingReport("wrong", f"cell {cell} is not on the board of {cells} cells")
            if cell in taken:
                return PairingReport("wrong", f"cell {cell} is in two pairs")
            taken.add(cell)
        masks.append(1 << first | 1 << second)
    for line in lines:
        if not any(line & mask == mask for mask in masks):
            of_line = ", ".join(str(cell) for cell in range(cells) if line >> cell & 1)
            return PairingReport("wrong", f"no pair is in the line of the cells {of_line}")
    return PairingReport("proven", "a pair is in every line")


def verify_paving(
    shape: Iterable[Place], period: tuple[int, int], pairs: Iterable[tuple[Place, Place]]
) -> PairingReport:
    """Check that repeated pairs in the plane are disjoint, and that one is in every placement of a polyomino.

    A pair is repeated at all distances of a whole number of periods of rows and columns, so that checking the
    placements of one period suffices. On a board, pairs that are not entirely on it are dropped: a placement
    on the board contains none of them.

    >>> verify_paving([(0, 0), (0, 1)], (1, 2), [((0, 0), (0, 1))]).verdict
    'wrong'
    """
    rows, columns = period
    partner: dict[Place, Place] = {}  # from a cell of the first period, the step to the other of its pair
    for first, second in pairs:
        for one, other in ((first, second), (second, first)):
            home = (one[0] % rows, one[1] % columns)
            if home in partner:
                return PairingReport("wrong", f"the cell {home} is in two pairs")
            partner[home] = (other[0] - one[0], other[1] - one[1])
    cells = set(shape)
    for turns in range(8):
        turned = {_turned(cell, turns) for cell in cells}
        for down in range(rows):
            for right in range(columns):
                placed = {(row + down, column + right) for row, column in turned}
                if not any(_other(cell, partner, period) in placed for cell in placed):
                    return PairingReport("wrong", f"no pair is in {sorted(placed)}")
    return PairingReport("proven", "a pair is in every placement")


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
