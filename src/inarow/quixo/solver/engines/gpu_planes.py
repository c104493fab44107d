"""Planes of solved pairs in the host's memory, narrow, for a GPU that has no room for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.solver.engines.gpu_pairs import ENTRY
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP

AT_ONCE = 1 << 26  # entries of a part

_NARROW = 256  # the most values that one byte tells apart


class PlaneDevice(Protocol):
    """The part of a device that copies of planes need. Arrays have the interface of NumPy's."""

    xp: Any  # numpy, or a module with its interface

    def fetch(self, array: Any) -> NDArray[Any]:
        """A copy in memory of the host that may be kept."""

    def send(self, array: NDArray[Any], into: Any) -> None:
        """Copy from memory of the host."""

    def narrow(self, entries: Any, numbers: Any, narrow: Any) -> None: ...
    def widen(self, narrow: Any, values: Any, entries: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class HostPlane:
    """A plane in parts: entries of two bytes, or numbers of one byte that `values` has the entries for."""

    parts: list[NDArray[np.uint8] | NDArray[np.uint16]]
    values: NDArray[np.uint16]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)


def from_device(device: PlaneDevice, entries: Any, counts: ClassCounts) -> HostPlane:
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
        device.narrow(some, on_device, narrow)
        parts.append(device.fetch(narrow))
    return HostPlane(parts, values)


def width_of(counts: ClassCounts) -> int:
    """The bytes that an entry of a plane with these counts takes on the host."""
    return 1 if _values(counts).size <= _NARROW else ENTRY.itemsize


def to_device(device: PlaneDevice, plane: HostPlane) -> Any:
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
            device.widen(narrow, values, into)
        first += part.size
    return entries


def _values(counts: ClassCounts) -> NDArray[np.uint16]:
    """The entries that a plane with these counts has."""
    found = [WIDE_DRAW] if counts.draw else []
    for plies, won, lost in counts.by_plies:
        assert plies is not None
        found += [entry for entry, count in ((plies, lost), (WIDE_TOP - plies, won)) if count]
    return np.array(found, np.uint16)


def _in_parts(entries: Any) -> Iterable[Any]:
    return (entries[first : first + AT_ONCE] for first in range(0, entries.size, AT_ONCE))
