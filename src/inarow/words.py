"""Numbers in messages."""

from __future__ import annotations

__all__ = ["counted"]

_PLURALS = {"ply": "plies"}


def counted(number: int, what: str) -> str:
    """A number and what it counts.

    >>> counted(1, "line"), counted(2929, "line"), counted(0, "ply")
    ('1 line', '2,929 lines', '0 plies')
    """
    return f"{number:,} {what if number == 1 else _PLURALS.get(what, f'{what}s')}"
