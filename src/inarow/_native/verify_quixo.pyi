"""The checker of Quixo tables; native/bindings/verify.cpp is its source.

Values are told as entries of two bytes, whatever the width of the file.
"""

import numpy as np
from numpy.typing import NDArray

DRAW: int
NOT_AN_ENTRY: int
NO_VALUE: int

def entry_count(size: int, a: int, b: int) -> int: ...
def orbits(size: int, a: int) -> list[int]: ...
def check(
    size: int,
    line: int,
    double_line_wins: bool,
    a: int,
    b: int,
    entries: NDArray[np.uint8] | NDArray[np.uint16],
    larger: NDArray[np.uint8] | NDArray[np.uint16] | None,
    smaller: NDArray[np.uint8] | NDArray[np.uint16] | None,
    first: int,
    last: int,
    threads: int,
    packed: bool = False,
) -> tuple[int, tuple[int, int, int, int, int, int, int] | None]:
    """How many entries were checked, and the first wrong one: plane, block, rank, A, B, stored, expected.

    If packed, the arrays hold outcomes at two bits an entry, each plane packed on its own.
    """

def derive_wins(
    size: int,
    line: int,
    double_line_wins: bool,
    a: int,
    b: int,
    entries: NDArray[np.uint16],
    larger: NDArray[np.uint16] | None,
    smaller: NDArray[np.uint16] | None,
    first: int,
    last: int,
    threads: int,
) -> None:
    """Give wins the plies that the losses after them say, or NOT_AN_ENTRY."""

def count_outcomes(
    size: int, a: int, b: int, packed: NDArray[np.uint8], plane: bool, first_block: int, last_block: int
) -> list[int]:
    """Losses, draws and wins in some blocks of a plane, symmetric positions one by one."""

def positions(size: int, a: int, b: int, plane: bool, indices: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What is stored there: a word has the marks of the side to move above, the other's below."""

def places(size: int, words: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Where positions are stored: a << 6 | b << 1 | plane, and the entry in that plane."""

def ends(size: int, line: int, double_line_wins: bool, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """What each is worth if the game is over; otherwise NO_VALUE."""

def successors(size: int, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The positions after each, one behind the other, and where those of each end."""
