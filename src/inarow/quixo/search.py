"""Quixo without a table: what is won or lost by force, found by a search, and a guess for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from inarow._native import quixo as _native
from inarow.errors import MissingTable
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.store import MISSING, outcomes_of
from inarow.stopping import stoppable
from inarow.values import Outcome, Value

__all__ = ["NODES", "PLIES", "SECONDS", "Found", "Search", "class_facts", "is_complete", "search"]

SECONDS = 2.0  # that a search may take
PLIES = 8  # that are searched for everything; two more take some ten times as long
NODES = 1 << 20  # of a proof
_GUESSED_PLIES = 3
_NEVER = 1 << 12
Oracle = Callable[[NDArray[np.uint64]], NDArray[np.int8]]
_NUMBERS: dict[Value, int] = {"win": 1, "draw": 0, "loss": -1}


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: the outcomes of positions, None where nothing is proven.

    Everything that is decided within `plies` has been found, with its plies. Beyond them a value may be
    known all the same; a win or a loss then has no plies.
    """

    outcomes: tuple[Outcome | None, ...]
    plies: int


def is_complete(outcome: Outcome | None) -> bool:
    """Whether everything is known."""
    return outcome is not None and (outcome.value == "draw" or outcome.plies is not None)


class Search:
    """A search in the positions of one game. It remembers what it has proven.

    With an oracle, which tells the values of words as `Table.values` does, its proofs are about new marks:
    the winner forces one, or the end of the game, and does not give the win away.

    Where all positions of a class are won, or all are lost, that proves each of them, but shows no way to
    win. With `by_class=False` nothing is proven in this way.

    One thread at a time may use it; any may call `stop`. A search that a `Stop` ends raises `Stopped`.
    """

    def __init__(self, rules: Quixo, oracle: Oracle | None = None, *, by_class: bool = True) -> None:
        # What is true of a whole class does not show the way to a new mark.
        facts = [] if oracle else class_facts(rules)
        self._native = _native.Search(rules.native, facts, by_class, oracle)

    def find(
        self,
        positions: Sequence[Position],
        known: Sequence[Outcome | None],
        plies: int = PLIES,
        seconds: float = SECONDS,
        *,
        enough: Callable[[Sequence[Outcome | None]], bool] = lambda _: False,
    ) -> Found:
        """What can be proven about positions to some depth, and within some time.

        Outcomes that are `known` are taken for granted, and their plies found if they are missing. All
        positions are searched to the same depth, one after the other, until all of them are answered or
        what has been found is `enough`. With enough time the answer depends on the depth alone.
        """
        sides = _sides(positions)
        values = np.array([MISSING if it is None else _NUMBERS[it.value] for it in known], np.int8)
        counts = np.array([-1 if it is None or it.plies is None else it.plies for it in known], np.int32)
        deadline = monotonic() + seconds
        outcomes = tuple(known)
        depth = 0
        with stoppable(self.stop):
            while depth <= plies and not all(map(is_complete, outcomes)) and not enough(outcomes):
                left = deadline - monotonic()
                values, counts, finished = self._native.deepen(*sides, values, counts, depth, left)
                outcomes = tuple(outcomes_of(values, counts))
                if not finished:
                    break
                depth += 1
        return Found(outcomes, plies if all(map(is_complete, outcomes)) else depth - 1)

    def prove(
        self,
        position: Position,
        known: Outcome | None = None,
        nodes: int = NODES,
        seconds: float = SECONDS,
    ) -> Outcome | None:
        """Whether a position can be proven to be won or lost, however many plies that takes.

        The plies of the answer are an upper bound. If the outcome is `known`, that is what is proven.
        """
        expected = MISSING if known is None else _NUMBERS[known.value]
        with stoppable(self.stop):
            return _outcome(*self._native.prove(position.mover, position.other, expected, nodes, seconds))

    def proven(self, position: Position) -> Outcome | None:
        """What has been proven so far: a proof has a smaller bound of plies after each of its moves."""
        return _outcome(*self._native.proven(position.mover, position.other))

    def left_to_prove(self, position: Position) -> int:
        """How many positions must be won, at the least, to prove that this one is lost."""
        return self._native.left_to_prove(position.mover, position.other)

    def guess(self, positions: Sequence[Position]) -> list[int]:
        """How good positions look for the side to move, in games that are not over."""
        return self._native.guess(*_sides(positions), _GUESSED_PLIES)

    def stop(self) -> None:
        """End the search that is running, and all later ones, as if their time was up."""
        self._native.stop()

    @property
    def nodes(self) -> int:
        """How many positions were searched."""
        return self._native.nodes


def _outcome(value: int, plies: int) -> Outcome | None:
    if value == MISSING:
        return None
    return Outcome("draw", None) if value == 0 else Outcome("win" if value > 0 else "loss", plies)


def search(position: Position, plies: int = PLIES, seconds: float = SECONDS) -> Outcome | None:
    """The outcome of a position that is decided within so many plies; None says nothing about it.

    >>> search(Position.parse("xxxx./oo.../o..../o..../..... x"))
    Outcome(value='win', plies=1)
    """
    return Search(position.rules).find([position], [None], plies, seconds).outcomes[0]


def _sides(positions: Sequence[Position]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The masks of the sides to move, and of the others."""
    movers = np.array([position.mover for position in positions], np.uint64)
    return movers, np.array([position.other for position in positions], np.uint64)


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
