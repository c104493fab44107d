"""Cuts the entries on a GPU into the pieces of a table, and puts them together again.

Only what a table stores is copied between the GPU and the host: two bits for each entry, and the
plies of losses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.files import Content
from inarow.quixo.table.pieces import PIECE, Run, pieces_of_plane, whole_and_rest

_ENTRIES_AT_ONCE = 1 << 26  # 4096 pieces: enough to keep many threads packing


class PieceDevice(Protocol):
    """The part of a device that pieces need. Arrays have the interface of NumPy's."""

    xp: Any  # numpy, or a module with its interface

    def host(self, array: Any) -> NDArray[Any]: ...
    def fetch(self, array: Any) -> NDArray[Any]:
        """A copy in memory of the host that may be kept."""

    def pack_outcomes(self, entries: Any, packed: Any, lost: Any) -> None: ...
    def gather_plies(self, entries: Any, begins: Any, plies: Any, width: int) -> None: ...
    def restore_entries(self, packed: Any, begins: Any, plies: Any, width: int, entries: Any) -> None: ...


def cut(device: PieceDevice, planes: Iterable[Any], width: int) -> Content:
    """The pieces of planes of entries, with so many bytes for the plies of a loss."""
    xp = device.xp
    values: list[Run] = []
    plies: list[Run] = []
    for entries in _cut(planes):
        packed = xp.empty(packed_size(entries.size), np.uint8)
        lost = xp.empty(pieces_of_plane(entries.size), np.uint32)
        device.pack_outcomes(entries, packed, lost)
        values.append(Run(device.fetch(packed), whole_and_rest(packed.size, packed_size(PIECE))))
        counts = device.host(lost)
        gathered = xp.empty(int(counts.sum()) * width, np.uint8)
        device.gather_plies(entries, xp.asarray(_begins(counts)), gathered, width)
        plies.append(Run(device.fetch(gathered), counts * np.uint32(width)))
    return Content(width, values, plies, sum(run.data.nbytes for run in (*values, *plies)))


def restore(device: PieceDevice, runs: Iterable[tuple[Run, Run]], width: int, plane: Any) -> None:
    """Put the entries of a plane together, all wins as if in 0 plies."""
    xp, first = device.xp, 0
    for values, plies in runs:
        begins = xp.asarray(_begins(plies.sizes // np.uint32(width)))
        entries = plane[first : first + values.sizes.size * PIECE]
        device.restore_entries(xp.asarray(values.data), begins, xp.asarray(plies.data), width, entries)
        first += entries.size


def _cut(planes: Iterable[Any]) -> Iterable[Any]:
    for plane in planes:
        for first in range(0, plane.size, _ENTRIES_AT_ONCE):
            yield plane[first : first + _ENTRIES_AT_ONCE]


def _begins(counts: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Where the losses of each piece begin."""
    return np.cumsum(counts, dtype=np.uint32) - counts
