"""Where a table is: in a folder, or on a web server; and where its plies of nearly full boards are.

Outcomes alone do not show the way to a win, and on nearly full boards these ways are long: a search loses
itself there. So a table of outcomes has the plies of these boards in a folder of its own; on 5×5 they take a
fiftieth of the space of all outcomes.
"""

from __future__ import annotations

import re
from pathlib import Path

from inarow.quixo.rules import Quixo

NEARLY_FULL = "nearly-full"  # a table with plies, in the folder of the table of outcomes
_EMPTY_TILES = 3  # at most, of a nearly full board

Location = str | Path  # a folder, or the URL of one


def parse_location(text: Location) -> Location:
    """The folder that a text names, unless it is a URL.

    >>> parse_location("https://example.org/quixo/"), parse_location("tables/4x4")
    ('https://example.org/quixo/', PosixPath('tables/4x4'))
    """
    return text if isinstance(text, str) and is_url(text) else Path(text)


def is_url(location: Location) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", str(location)) is not None


def nearly_full_marks(rules: Quixo) -> int:
    """The fewest marks of a nearly full board."""
    return max(0, rules.cells - _EMPTY_TILES)


def nearly_full_of(table: Location) -> Location:
    """Where the plies of nearly full boards belong, whether they are there or not."""
    return table / NEARLY_FULL if isinstance(table, Path) else f"{table.rstrip('/')}/{NEARLY_FULL}"


def solve_command(rules: Quixo, path: Location) -> str:
    """The command that makes a table of these rules."""
    return f"inarow quixo solve {rules.options} --out {path}"
