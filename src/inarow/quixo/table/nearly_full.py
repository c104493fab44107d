"""The plies of nearly full boards, which a table of outcomes has in a folder of its own.

Outcomes alone do not show the way to a win, and on nearly full boards these ways are long: a search loses
itself there. Their plies take a fiftieth of the space of all outcomes of 5×5.
"""

from __future__ import annotations

from pathlib import Path

from inarow.quixo.rules import Quixo
from inarow.quixo.table.location import Location

NEARLY_FULL = "nearly-full"  # a table with plies, in the folder of the table of outcomes
_EMPTY_TILES = 3  # at most


def nearly_full_marks(rules: Quixo) -> int:
    """The fewest marks of a nearly full board."""
    return max(0, rules.cells - _EMPTY_TILES)


def nearly_full_of(table: Location) -> Location:
    """Where the plies of nearly full boards belong, whether they are there or not."""
    return table / NEARLY_FULL if isinstance(table, Path) else f"{table.rstrip('/')}/{NEARLY_FULL}"
