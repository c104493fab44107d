"""Openings of Quixo: the book as a tree of lines, with names of our own.

A mark on the border is a *tower* in a corner, a *gate* in the middle of a side and a *wall* elsewhere. A line
is named after the first mark of each side, and after where the second stands: beside the first on a side of
the board, opposite, or around the corner. Further lines of a name have numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.files import write_atomically
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Move, Position, Quixo

FORMAT, VERSION = "inarow-quixo-openings", 1
WIDTHS = (6, 6, 3, 2)  # how many moves are followed after each ply, those after which most replies lose first


def make_openings(prober: Prober) -> dict[str, Any]:
    """The tree of lines from the start, as docs/explorer.md describes it.

    `MissingTable` if the prober does not know the values of openings.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": prober.rules.to_json(),
        "lines": _lines(prober, prober.rules.start(), ()),
    }


def _lines(prober: Prober, position: Position, played: tuple[Move, ...]) -> list[dict[str, Any]]:
    if len(played) == len(WIDTHS):
        return []
    probe = prober.with_replies(prober.probe(position))
    if probe.value is None:
        raise MissingTable(f"{position} is not known: {probe.reason}")
    first: dict[int, Any] = {}
    for move, alike in zip(probe.moves, probe.alike, strict=True):
        first.setdefault(alike, move)
    kept = sorted(
        (move for move in first.values() if move.value == probe.value),
        key=lambda move: -(move.losing_replies or 0),
    )
    followed = kept[: WIDTHS[len(played)]]
    names = _numbered([_name(prober.rules, (*played, move.move)) for move in followed])
    return [
        {
            "move": move.text,
            "name": name,
            "position": str(move.position),
            "value": move.value,
            "losing_replies": move.losing_replies,
            "replies": move.replies,
            "lines": _lines(prober, move.position, (*played, move.move)),
        }
        for move, name in zip(followed, names, strict=True)
    ]


def _numbered(names: list[str | None]) -> list[str | None]:
    """The names, with a number where one was there before."""
    times = [names[: nth + 1].count(name) for nth, name in enumerate(names)]
    return [name if name is None or n == 1 else f"{name} {n}" for name, n in zip(names, times, strict=True)]


def _name(rules: Quixo, moves: tuple[Move, ...]) -> str | None:
    """Of a line of one or two moves; longer ones have none."""
    if len(moves) > 2:
        return None
    name = _place(rules, moves[0].pushed).capitalize()
    if len(moves) == 1:
        return name
    sides = _sides(rules, moves[0].pushed), _sides(rules, moves[1].pushed)
    across = {("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top")}
    if sides[0] & sides[1]:
        where = "beside" if moves[0].pushed != moves[1].pushed else "displaced"
    elif all(any((one, other) in across for other in sides[1]) for one in sides[0]):
        where = "opposite"
    else:
        where = "around the corner"
    return f"{name}, {_place(rules, moves[1].pushed)} {where}"


def _sides(rules: Quixo, cell: int) -> set[str]:
    row, column = divmod(cell, rules.columns)
    at = {"bottom": row == 0, "top": row == rules.rows - 1}
    at |= {"right": column == 0, "left": column == rules.columns - 1}
    return {side for side, there in at.items() if there}


def _place(rules: Quixo, cell: int) -> str:
    sides = _sides(rules, cell)
    row, column = divmod(cell, rules.columns)
    if len(sides) == 2:
        return "tower"
    along, length = (row, rules.rows) if sides & {"left", "right"} else (column, rules.columns)
    return "gate" if 2 * along == length - 1 else "wall"


def write_openings(path: Path, openings: Mapping[str, Any]) -> None:
    write_atomically(path, [json.dumps(openings, separators=(",", ":")).encode() + b"\n"])


@lru_cache(maxsize=2)
def shipped_openings(rules: Quixo) -> Mapping[str, Any]:
    """The tree that comes with the package; `MissingTable` if there is none of these rules."""
    path = files("inarow") / "data" / "quixo" / "openings" / f"{rules.name}.json"
    if not path.is_file():
        raise MissingTable(f"no openings of {rules} come with inarow; those of 5×5 do")
    data: dict[str, Any] = json.loads(path.read_bytes())
    if (data.get("format"), data.get("version")) != (FORMAT, VERSION):
        raise DamagedFile(f"{path} holds no openings of version {VERSION}")
    return data
