"""How entries leave a GPU and come back: as the pieces of a table, or as planes that wait on the host.

A table has two bits for each entry, and the plies of losses. A plane that waits has one byte for each entry
if it has few values. Nothing else is copied between the GPU and the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.solver.engines.gpu_board import Device
from inarow.quixo.solver.engines.gpu_pairs import ENTRY
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP, packed_size
from inarow.quixo.table.files import Content
from inarow.quixo.table.pieces import PIECE, Run, pieces_of_plane, whole_and_rest

AT_ONCE = 1 << 26  # entries that are copied: 4096 pieces, enough to keep many threads packing

_NARROW = 256  # the most values that one byte tells apart


def cut(device: Device, planes: Iterable[Any], width: int) -> Content:
    """The pieces of planes of entries, with so many bytes for the plies of a loss."""
    xp = device.xp
    values: list[Run] = []
    plies: list[Run] = []
    for entries in (some for plane in planes for some in _in_parts(plane)):
        count = np.uint32(entries.size)
        packed = xp.empty(packed_size(entries.size), np.uint8)
        lost = xp.empty(pieces_of_plane(entries.size), np.uint32)
        device.run("pack_outcomes", entries, count, packed, lost)
        values.append(Run(device.fetch(packed), whole_and_rest(packed.size, packed_size(PIECE))))
        counts = device.host(lost)
        gathered = xp.empty(int(counts.sum()) * width, np.uint8)
        device.run("gather_plies", entries, count, xp.asarray(_begins(counts)), gathered, np.uint32(width))
        plies.append(Run(device.fetch(gathered), counts * np.uint32(width)))
    return Content(width, values, plies, sum(run.data.nbytes for run in (*values, *plies)))


def restore(device: Device, runs: Iterable[tuple[Run, Run]], width: int, plane: Any) -> None:
    """Put the entries of a plane together, all wins as if in 0 plies."""
    asarray, first = device.xp.asarray, 0
    for values, plies in runs:
        begins = asarray(_begins(plies.sizes // np.uint32(width)))
        entries = plane[first : first + values.sizes.size * PIECE]
        losses = begins, asarray(plies.data), np.uint32(width)
        device.run("restore_entries", asarray(values.data), np.uint32(entries.size), *losses, entries)
        first += entries.size


@dataclass(frozen=True, slots=True)
class HostPlane:
    """A plane in parts: entries of two bytes, or numbers of one byte that `values` has the entries for."""

    parts: list[NDArray[np.uint8] | NDArray[np.uint16]]
    values: NDArray[np.uint16]


def from_device(device: Device, entries: Any, counts: ClassCounts) -> HostPlane:
    """A copy of a plane. Its counts tell which values it has: if they are few, it takes a byte for each."""
    values = _values(counts)
    if width_of(counts) > 1:
        return HostPlane([device.fetch(some) for some in _in_parts(entries)], values)
    numbers = np.zeros(1 << 16, np.uint8)
    numbers[values] = np.arange(values.size)
    on_device = device.xp.asarray(numbers)
    parts = []
    for some in _in_parts(entries):
        narrow = device.xp.empty(some.size, np.uint8)
        device.run("narrow", some, np.uint64(some.size), on_device, narrow)
        parts.append(device.fetch(narrow))
    return HostPlane(parts, values)


def to_device(device: Device, plane: HostPlane) -> Any:
    """The plane on the device. Its parts are given up on the way."""
    xp, first = device.xp, 0
    entries = xp.empty(sum(part.size for part in plane.parts), ENTRY)
    values = xp.asarray(plane.values)
    plane.parts.reverse()
    while plane.parts:
        part = plane.parts.pop()
        into = entries[first : first + part.size]
        if part.dtype == ENTRY:
            device.send(part, into)
        else:
            narrow = xp.empty(part.size, np.uint8)
            device.send(part, narrow)
            device.run("widen", narrow, np.uint64(part.size), values, into)
        first += part.size
    return entries


def width_of(counts: ClassCounts) -> int:
    """The bytes that an entry of a plane with these counts takes on the host."""
    return 1 if _values(counts).size <= _NARROW else ENTRY.itemsize


def width_of_losses(classes: Iterable[ClassCounts]) -> int:
    """The bytes that the plies of a loss take in a table."""
    lost_in = (plies or 0 for counts in classes for plies, _, lost in counts.by_plies if lost)
    return 1 if max(lost_in, default=0) < 256 else 2


def _values(counts: ClassCounts) -> NDArray[np.uint16]:
    """The entries that a plane with these counts has."""
    found = [WIDE_DRAW] if counts.draw else []
    for plies, won, lost in counts.by_plies:
        assert plies is not None
        found += [entry for entry, count in ((plies, lost), (WIDE_TOP - plies, won)) if count]
    return np.array(found, np.uint16)


def _in_parts(entries: Any) -> Iterator[Any]:
    return (entries[first : first + AT_ONCE] for first in range(0, entries.size, AT_ONCE))


def _begins(counts: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Where the losses of each piece begin."""
    return np.cumsum(counts, dtype=np.uint32) - counts
