"""Entries of one and of two bytes, and the way from one to the other: see docs/tablebase-format.md."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Entries = NDArray[np.uint8] | NDArray[np.uint16]

_TOP, _DRAW = {1: 255, 2: 65535}, {1: 127, 2: 32767}
_NARROW_PLIES = 126


def widened(entries: Entries) -> NDArray[np.uint16]:
    """The same values with two bytes an entry."""
    if entries.dtype == np.uint16:
        return entries  # type: ignore[return-value]
    wide = entries.astype(np.uint16)
    wide[entries > _DRAW[1]] += np.uint16(_TOP[2] - _TOP[1])
    wide[entries == _DRAW[1]] = _DRAW[2]
    return wide


def narrowed(entries: Entries) -> Entries:
    """The same values with one byte an entry if all fit: the width depends on the values alone."""
    if entries.dtype == np.uint8:
        return entries
    lost, won = entries < _DRAW[2], entries > _DRAW[2]
    if np.any(entries[lost] > _NARROW_PLIES) or np.any(entries[won] < _TOP[2] - _NARROW_PLIES):
        return entries
    narrow = entries.astype(np.uint8)  # a win's low byte is right as it is
    narrow[~lost & ~won] = _DRAW[1]
    return narrow
