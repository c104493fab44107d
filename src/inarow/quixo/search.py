"""Quixo without a table: what is won or lost by force, found by a search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from inarow._native import quixo as _native
from inarow.errors import MissingTable
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.store import outcomes_of
from inarow.stopping import stoppable
from inarow.values import Outcome

SECONDS = 2.0  # that a search may take
PLIES = 8  # that are searched for everything; two more take some ten times as long
NODES = 1 << 20  # of a proof
_NEVER = 1 << 12


def search(position: Position, plies: int = PLIES, seconds: float = SECONDS) -> Outcome | None:
    """The outcome of a position that is decided within so many plies; None says nothing about it.

    >>> search(Position.parse("xxxx./oo.../o..../o..../..... x"))
    Outcome(value='win', plies=1)
    """
    return search_all([position], plies, seconds)[0]


def search_all(
    positions: Sequence[Position], plies: int = PLIES, seconds: float = SECONDS
) -> list[Outcome | None]:
    """The outcomes of positions of one game that are decided within so many plies, while there is time.

    Beyond them a value may be known all the same; a win or a loss then has no plies.
    """
    if not positions:
        return []
    native = _native.Search(positions[0].rules.native, class_facts(positions[0].rules))
    movers = np.array([position.mover for position in positions], np.uint64)
    others = np.array([position.other for position in positions], np.uint64)
    with stoppable(native.stop):
        return list(outcomes_of(*native.find(movers, others, plies, seconds)))


@lru_cache(maxsize=16)
def class_facts(rules: Quixo) -> list[tuple[int, int, bool, int]]:
    """What the shipped results say about every class of positions; nothing if there are none.

    For m marks of the side to move and o of the other, at m × (cells + 1) + o: the plies of the longest win
    and of the longest loss, whether there are draws, and how good the class is, from −1000 to 1000.
    """
    try:
        classes = results(rules).statistics.classes
    except MissingTable:
        return []
    side = rules.cells + 1
    facts = [(_NEVER, _NEVER, True, 0)] * side**2
    for counts in classes:
        if not counts.has_plies:
            continue
        rows = [(plies or 0, won, lost) for plies, won, lost in counts.by_plies]
        longest_win = max((plies for plies, won, _ in rows if won), default=0)
        longest_loss = max((plies for plies, _, lost in rows if lost), default=0)
        score = 1000 * (counts.win - counts.loss) // max(1, counts.win + counts.draw + counts.loss)
        facts[counts.x * side + counts.o] = (longest_win, longest_loss, counts.draw > 0, score)
    return facts
