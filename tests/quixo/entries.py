"""Entries of one and two bytes, as the core has them: plies for a loss, the top less the plies for a win."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.table.entries import Packed, pack

Entries = NDArray[np.uint8] | NDArray[np.uint16]


def widened(entries: Entries) -> NDArray[np.uint16]:
    """The same values with two bytes for each entry."""
    if entries.dtype == np.uint16:
        return entries  # type: ignore[return-value]
    wide = entries.astype(np.uint16)
    wide[entries > 127] += np.uint16(65535 - 255)
    wide[entries == 127] = 32767
    return wide


def narrowed(entries: Entries) -> NDArray[np.uint8]:
    """The same values, which fit, with one byte for each entry."""
    if entries.dtype == np.uint8:
        return entries  # type: ignore[return-value]
    narrow = entries.astype(np.uint8)
    narrow[entries == 32767] = 127
    return narrow


def outcomes(entries: NDArray[Any]) -> Packed:
    """The outcomes of entries, packed."""
    draw = int(np.iinfo(entries.dtype).max) // 2
    return pack((entries >= draw).astype(np.uint8) + (entries > draw).astype(np.uint8))


def plies(entries: NDArray[Any]) -> NDArray[Any]:
    """The plies of entries, 0 for a draw."""
    top = int(np.iinfo(entries.dtype).max)
    found = np.where(entries > top // 2, top - entries, np.where(entries == top // 2, 0, entries))
    return found.astype(entries.dtype)
