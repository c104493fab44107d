"""What is known of the positions of a plane: outcomes, four to a byte, and plies beside them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LOSS, DRAW, WIN = 0, 1, 2

Packed = NDArray[np.uint8]  # four outcomes in a byte, the first in the lowest bits
Plies = NDArray[np.uint8] | NDArray[np.uint16]

# Entries, as the GPU and books have them: plies for a loss, and for a win the top less its plies.
WIDE_DRAW, WIDE_TOP = 32767, 65535

_AT_ONCE = 1 << 20  # entries, a multiple of four: keeps temporary arrays small


class Plane(NamedTuple):
    """The outcomes of a plane, packed, and the plies of each entry, 0 for a draw, if they are known."""

    outcomes: Packed
    plies: Plies | None

    @property
    def nbytes(self) -> int:
        return self.outcomes.nbytes + (0 if self.plies is None else self.plies.nbytes)


def packed_size(entries: int) -> int:
    """The number of bytes that so many outcomes take."""
    return -(-entries // 4)


def pack(codes: NDArray[np.uint8]) -> Packed:
    """Outcomes, four to a byte.

    >>> pack(np.array([0, 1, 2, 0, 2], np.uint8)).tolist()
    [36, 2]
    """
    packed = np.zeros(packed_size(codes.size), np.uint8)
    for place in range(4):
        part = codes[place::4] << np.uint8(2 * place)
        packed[: part.size] |= part
    return packed


def unpack(packed: Packed, entries: int) -> NDArray[np.uint8]:
    """The outcome of each entry, one in a byte.

    >>> unpack(np.array([36, 2], np.uint8), 5).tolist()
    [0, 1, 2, 0, 2]
    """
    codes = np.empty(4 * packed.size, np.uint8)
    for place in range(4):
        np.bitwise_and(packed >> np.uint8(2 * place), 3, out=codes[place::4])
    return codes[:entries]


def wide_entries(plane: Plane, entries: int) -> NDArray[np.uint16]:
    """The entries of a plane; without plies, as if the games were over."""
    wide = np.zeros(entries, np.uint16)
    for first in range(0, entries, _AT_ONCE):
        some = wide[first : first + _AT_ONCE]
        codes = unpack(plane.outcomes[first // 4 : packed_size(first + some.size)], some.size)
        if plane.plies is not None:
            some[:] = plane.plies[first : first + some.size]
        some[codes == DRAW] = WIDE_DRAW
        np.subtract(WIDE_TOP, some, out=some, where=codes == WIN)
    return wide
