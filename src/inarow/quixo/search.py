"""Quixo without a table: a win or a loss that is forced within a few plies."""

from __future__ import annotations

from functools import lru_cache

from inarow._native.quixo import Search
from inarow.quixo.rules import Position, Quixo
from inarow.values import Outcome

SEARCH_PLIES = 8  # takes a fraction of a second on 5×5; each two more take twenty times as long

_UNKNOWN = 2


def search(position: Position, plies: int = SEARCH_PLIES) -> Outcome | None:
    """The exact outcome of a position if it is decided within so many plies; else None, which is no claim.

    >>> search(Position.parse("xxxx./oo.../o..../o..../..... x"))
    Outcome(value='win', plies=1)
    """
    value, found = _search(position.rules).find(position.mover_word, plies)
    return None if value == _UNKNOWN else Outcome("win" if value > 0 else "loss", found)


@lru_cache(maxsize=1)
def _search(rules: Quixo) -> Search:
    """Kept, since it remembers what it proved."""
    return Search(rules.size, rules.line, rules.double_line == "wins")
