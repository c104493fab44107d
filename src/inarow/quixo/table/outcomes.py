"""Outcomes at two bits an entry, as the compact form has them: see docs/tablebase-format.md."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.table.entries import Entries

LOSS, DRAW, WIN = 0, 1, 2

Packed = NDArray[np.uint8]  # four entries a byte, the first in the lowest bits

_AT_ONCE = 1 << 20  # entries, a multiple of four: what is made on the way stays small


def packed_size(entries: int) -> int:
    """The bytes that so many entries take."""
    return -(-entries // 4)


def pack(entries: Entries) -> Packed:
    """The outcomes of entries of one or two bytes.

    >>> pack(np.array([0, 127, 255, 3, 250], np.uint8)).tolist()
    [36, 2]
    """
    top = int(np.iinfo(entries.dtype).max)
    codes = np.full(top + 1, WIN, np.uint8)
    codes[: top // 2] = LOSS
    codes[top // 2] = DRAW
    packed = np.zeros(packed_size(entries.size), np.uint8)
    for first in range(0, entries.size, _AT_ONCE):
        some = codes[entries[first : first + _AT_ONCE]]
        for place in range(4):
            part = some[place::4] << np.uint8(2 * place)
            packed[first // 4 : first // 4 + part.size] |= part
    return packed


def unpack(packed: Packed, entries: int) -> NDArray[np.uint8]:
    """The outcome of each entry, one a byte.

    >>> unpack(np.array([36, 2], np.uint8), 5).tolist()
    [0, 1, 2, 0, 2]
    """
    codes = np.empty(4 * packed.size, np.uint8)
    for place in range(4):
        np.bitwise_and(packed >> np.uint8(2 * place), 3, out=codes[place::4])
    return codes[:entries]
