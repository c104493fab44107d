"""Pairs of entries in memory for the checker, without files."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]


def pair_of(
    game: native.Game, a: int, b: int, entries: Entries, larger: Entries | None, smaller: Entries | None
) -> native.Pair:
    """A pair, given all entries of it, of {a + 1, b} and of {a, b + 1}, of any width."""
    given = [entries, larger, smaller]
    wide = any(found is not None and found.dtype == np.uint16 for found in given)
    planes: list[list[native.Plane]] = []
    for found, is_single in zip(given, (a == b, False, a == b + 1), strict=True):
        if found is None:
            planes.append([])
            continue
        if wide and found.dtype == np.uint8:
            found = widened(found)
        cut: list[Any] = np.split(found, 1 if is_single else 2)
        planes.append([native.Plane(some.copy(), native.Codes.PLAIN) for some in cut])
    if a == b:
        mirrored: Any = np.empty(entries.size, np.uint16 if wide else np.uint8)
        planes[0].append(native.Plane(mirrored, planes[0][0]))
    above = [planes[1][1] if planes[1] else None, planes[2][0] if planes[2] else None]
    pair = native.Pair(game, a, b, planes[0], cast(Any, above), True)
    if a == b:
        pair.mirror(0, game.orbits(a).size, 1)
    return pair


def widened(entries: NDArray[Any]) -> NDArray[np.uint16]:
    return np.asarray(native.Plane(entries, native.Codes.PLAIN).values()[entries])


def check_all(game: native.Game, a: int, b: int, pair: native.Pair) -> tuple[int, native.Wrong | None]:
    """How many entries were checked, and the first wrong one."""
    checked, wrong = 0, None
    for plane in range(1 if a == b else 2):
        some, wrong = pair.check(plane, 0, game.orbits(a).size, False, 1)
        checked += some
        if wrong is not None:
            break
    return checked, wrong
