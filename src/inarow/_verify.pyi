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
) -> tuple[int, tuple[int, int, int, int, int, int, int] | None]:
    """How many entries were checked, and the first wrong one: plane, block, rank, A, B, stored, expected."""
