"""Numbers and lists in messages."""

from __future__ import annotations

from collections.abc import Sequence

_PLURALS = {"class": "classes", "loss": "losses", "ply": "plies", "reply": "replies"}


def counted(number: int, what: str) -> str:
    """A number and what it counts.

    >>> counted(1, "line"), counted(2929, "line"), counted(0, "ply")
    ('1 line', '2,929 lines', '0 plies')
    """
    return f"{number:,} {what if number == 1 else _PLURALS.get(what, f'{what}s')}"


def listed(words: Sequence[str], last: str) -> str:
    """Words in a row, with one of their own before the last.

    >>> listed(["a1", "b1", "c1"], "or"), listed(["a1"], "or")
    ('a1, b1 or c1', 'a1')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def size_text(size: int) -> str:
    """A number of bytes, in a unit in which it is not nothing.

    >>> size_text(700), size_text(34_500), size_text(209_715_200), size_text(48_300_000_000)
    ('700 bytes', '34.5 kB', '209.7 MB', '48.3 GB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return counted(size, "byte")


def duration_text(seconds: float) -> str:
    """A time, rounded.

    >>> duration_text(20.3), duration_text(5000), duration_text(9000)
    ('20 s', '83 min', '2 h')
    """
    if round(seconds) < 90:
        return f"{round(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.0f} h"


def duration_range_text(least: float, most: float) -> str:
    """A time between two, rounded.

    >>> duration_range_text(20, 30), duration_range_text(500, 1000), duration_range_text(5000, 10000)
    ('20 to 30 s', '8 to 17 min', '83 min to 3 h')
    """
    first, last = duration_text(least), duration_text(most)
    if first == last:
        return first
    number, unit = first.split()
    return f"{number} to {last}" if last.endswith(unit) else f"{first} to {last}"
