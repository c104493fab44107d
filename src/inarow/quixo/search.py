"""Quixo without a table: wins and losses that can be forced within a few plies."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from inarow._native.quixo import Search
from inarow.quixo.rules import Position, Quixo
from inarow.values import Outcome

SEARCH_PLIES = 8  # takes a fraction of a second on 5×5; each two more take twenty times as long

_UNKNOWN = 2

_one_at_a_time = Lock()  # searches share what they have proven, and run outside the interpreter's own lock


def search(position: Position, plies: int = SEARCH_PLIES) -> Outcome | None:
    """The exact outcome of a position that is decided within so many plies; None says nothing about it.

    Threads may call it; their searches run one after the other.

    >>> search(Position.parse("xxxx./oo.../o..../o..../..... x"))
    Outcome(value='win', plies=1)
    """
    with _one_at_a_time:
        value, found = _search(position.rules).find(position.mover_word, plies)
    return None if value == _UNKNOWN else Outcome("win" if value > 0 else "loss", found)


@lru_cache(maxsize=1)
def _search(rules: Quixo) -> Search:
    """Kept between calls, because it remembers what it has proven."""
    return Search(rules.native)
