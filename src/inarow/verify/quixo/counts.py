"""Counts the positions of each class, and compares them with the manifest and with known results."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile
from inarow.verify.quixo.json_fields import field
from inarow.verify.quixo.manifest import ClassCounts, ListedPair
from inarow.verify.quixo.rules import Rules

_NARROW_PLIES = 126  # the most plies that an entry of one byte holds


def class_counts(x: int, o: int, of_value: NDArray[np.uint64], *, has_plies: bool) -> ClassCounts:
    """The counts of a class, given how many positions have each value as an entry of two bytes."""
    loss, win = of_value[: native.DRAW], of_value[: native.NOT_AN_ENTRY : -1]
    by_plies = [[int(p), int(win[p]), int(loss[p])] for p in np.flatnonzero(win + loss) if has_plies]
    return ClassCounts(x, o, int(win.sum()), int(loss.sum()), int(of_value[native.DRAW]), by_plies)


def manifest_fault(listed: ListedPair, counts: list[ClassCounts]) -> str | None:
    """Where the manifest disagrees with the entries of a pair."""
    name, stated = listed.file.name, {(c.x, c.o): c for c in listed.classes}
    if len(stated) != len(listed.classes) or stated.keys() != {(c.x, c.o) for c in counts}:
        return f"{name}: the classes in the manifest are {[(c.x, c.o) for c in listed.classes]}"
    for found in counts:
        said = stated[found.x, found.o]
        where = f"{name}, class of {found.x} and {found.o} marks"
        for what in ("win", "loss", "draw"):
            in_manifest, in_entries = getattr(said, what), getattr(found, what)
            if in_manifest != in_entries:
                return f"{where}: {what} is {in_manifest} in the manifest, {in_entries} in the entries"
        if said.by_plies != found.by_plies:
            return f"{where}: by_plies in the manifest does not agree with the entries"
    return _width_fault(listed, counts)


def _width_fault(listed: ListedPair, counts: list[ClassCounts]) -> str | None:
    """A pair has wide entries only if its plies need them."""
    rows = [row for found in counts for row in found.by_plies]
    if listed.plies is not None:  # only those of losses are stored
        width, most = listed.plies.width, 255
        longest = max((plies for plies, _, losses in rows if losses), default=0)
    elif listed.file.width:
        width, most = listed.file.width, _NARROW_PLIES
        longest = max((plies for plies, _, _ in rows), default=0)
    else:
        return None
    if (width == 2) != (longest > most):
        return f"{listed.file.name}: entries of {width} bytes for at most {longest} plies"
    return None


def shipped_draws(rules: Rules) -> dict[tuple[int, int], int] | None:
    """The draws of each class (marks of the side to move, of the other) in the results shipped with inarow.

    None if there are no results for these rules.
    """
    name = f"{rules.rows}x{rules.columns}-line{rules.line}-{rules.double_line}.json"
    try:
        text = files("inarow").joinpath("data", "quixo", name).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    data = json.loads(text)
    if Rules.from_json(data, name) != rules:
        raise DamagedFile(f"{name} is of other rules than its name says")
    return {
        (field(counts, "x", int, name), field(counts, "o", int, name)): field(counts, "draw", int, name)
        for counts in field(data, "classes", list, name)
    }
