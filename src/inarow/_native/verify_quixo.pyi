"""The checker of Quixo tables; native/bindings/verify_quixo.cpp is its source.

Values are given as entries of two bytes, whatever the width of the file.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DRAW: int
NOT_AN_ENTRY: int
NO_VALUE: int

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
Wrong: TypeAlias = tuple[int, int, int, int, int, int, int]  # plane, block, rank, A, B, stored, expected

class Game:
    """The rules on their board, and where positions are stored.

    A position is a word: the marks of the side to move in the upper half, the other's in the lower.
    """

    def __init__(self, rows: int, columns: int, line: int, double_line_wins: bool) -> None: ...
    @property
    def lines(self) -> list[int]: ...
    @property
    def move_count(self) -> int: ...
    def entry_count(self, a: int, b: int) -> int:
        """The number of entries of the pair {a, b}, in both planes if it has two."""

    def orbits(self, a: int) -> NDArray[np.uint8]:
        """For each block of a pair with this a, how many masks are its A or an image of it."""

    def positions(self, a: int, b: int, plane: bool, indices: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The positions stored at these entries of a plane."""

    def places(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Where positions are stored: a << 6 | b << 1 | plane, and the entry in that plane."""

    def ends(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """The value of each position where the game is over; otherwise NO_VALUE."""

    def successors(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The positions after each, concatenated, and where those of each end."""

class Pair:
    """A pair of classes and those that a new mark leads to: {a + 1, b} and, unless a = b, {a, b + 1}.

    If packed, the arrays hold outcomes at two bits an entry, each plane packed on its own. Entries are
    numbered through both planes.
    """

    def __init__(
        self,
        game: Game,
        a: int,
        b: int,
        entries: Entries,
        larger: Entries | None,
        smaller: Entries | None,
        packed: bool = False,
    ) -> None: ...
    def check(self, first: int, last: int, threads: int) -> tuple[int, Wrong | None]:
        """How many entries were checked, and the first wrong one."""

    def derive(self, derived: NDArray[np.uint8], first: int, last: int, threads: int) -> int:
        """Mark what follows from the pairs above and from marked entries, one bit each; count new marks."""

    def find_underived(self, derived: NDArray[np.uint8]) -> Wrong | None:
        """The first win or loss without a mark."""

    def fill_win_plies(self, entries: NDArray[np.uint16], first: int, last: int, threads: int) -> None:
        """Give wins the plies that follow from the losses after them, or NOT_AN_ENTRY."""

    def count_outcomes(self, plane: bool, first_block: int, last_block: int) -> list[int]:
        """Losses, draws and wins in some blocks of a plane, counting symmetric positions one by one."""
