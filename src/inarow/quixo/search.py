"""Quixo without a table: wins and losses that can be forced within a few plies."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

from inarow._native.quixo import Search
from inarow.quixo.rules import Position, Quixo
from inarow.values import Outcome

_UNKNOWN = 2

_one_at_a_time = Lock()  # searches share what they have proven, and run outside the interpreter's own lock


def search_plies(rules: Quixo) -> int:
    """How many plies are searched in about a second; two more take some twenty times as long.

    >>> search_plies(Quixo(5)), search_plies(Quixo(2, 12))
    (8, 6)
    """
    return 8 if len(rules.moves) <= 44 else 6  # 5×5 has 44 moves, 2×12 has 68


def search(position: Position, plies: int | None = None) -> Outcome | None:
    """The exact outcome of a position that is decided within so many plies; None says nothing about it.

    Threads may call it; their searches run one after the other.

    >>> search(Position.parse("xxxx./oo.../o..../o..../..... x"))
    Outcome(value='win', plies=1)
    """
    with _one_at_a_time:
        plies = search_plies(position.rules) if plies is None else plies
        value, found = _search(position.rules).find(position.mover_word, plies)
    return None if value == _UNKNOWN else Outcome("win" if value > 0 else "loss", found)


@lru_cache(maxsize=1)
def _search(rules: Quixo) -> Search:
    """Kept between calls, because it remembers what it has proven."""
    return Search(rules.native)
