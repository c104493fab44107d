"""Entries: what a table stores for a position. docs/tablebase-format.md specifies them.

With plies, an entry has one or two bytes. An outcome alone has two bits, and four outcomes are packed into a
byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# --- With plies ---

Entries = NDArray[np.uint8] | NDArray[np.uint16]

NARROW_PLIES = 126  # the most plies that an entry of one byte holds
WIDE_DRAW, WIDE_TOP = 32767, 65535  # entries of two bytes: a draw, and a win in 0 plies
_DRAW, _TOP = 127, 255  # those of one byte


def widened(entries: Entries) -> NDArray[np.uint16]:
    """The same values with two bytes for each entry."""
    if entries.dtype == np.uint16:
        return entries  # type: ignore[return-value]
    wide = entries.astype(np.uint16)
    wide[entries > _DRAW] += np.uint16(WIDE_TOP - _TOP)
    wide[entries == _DRAW] = WIDE_DRAW
    return wide


def narrowed(entries: Entries) -> Entries:
    """The same values with one byte for each entry if all of them fit: the width depends on nothing else."""
    if entries.dtype == np.uint8:
        return entries
    lost, won = entries < WIDE_DRAW, entries > WIDE_DRAW
    if np.any(entries[lost] > NARROW_PLIES) or np.any(entries[won] < WIDE_TOP - NARROW_PLIES):
        return entries
    narrow = entries.astype(np.uint8)  # the low byte of a win is right as it is
    narrow[~lost & ~won] = _DRAW
    return narrow


# --- Outcomes alone ---

LOSS, DRAW, WIN = 0, 1, 2

Packed = NDArray[np.uint8]  # four outcomes in a byte, the first in the lowest bits

_AT_ONCE = 1 << 20  # entries, a multiple of four: keeps temporary arrays small


def packed_size(entries: int) -> int:
    """The number of bytes that so many outcomes take."""
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
    """The outcome of each entry, one in a byte.

    >>> unpack(np.array([36, 2], np.uint8), 5).tolist()
    [0, 1, 2, 0, 2]
    """
    codes = np.empty(4 * packed.size, np.uint8)
    for place in range(4):
        np.bitwise_and(packed >> np.uint8(2 * place), 3, out=codes[place::4])
    return codes[:entries]
