"""Answers about positions of Quixo, from what is at hand: a table, or else the book and a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from inarow.errors import WrongTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import SEARCH_PLIES, search
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.pair_file import describe
from inarow.quixo.table.table import MoveProbe, Probe, Source, best_first
from inarow.values import Outcome


class Prober(Protocol):
    """What positions can be looked up in: a `Table`, or a `Bookworm`."""

    @property
    def rules(self) -> Quixo: ...
    def probe(self, position: Position) -> Probe:
        """The position's value, plies and moves, best first."""

    def line(self, position: Position) -> Iterator[MoveProbe]:
        """Optimal play from here, as far as it is known; nothing from a draw."""


class Bookworm:
    """Looks into the book first, and past it searches; it never claims more than is proven.

    >>> Bookworm(Quixo(5)).probe(Quixo(5).start()).value
    'draw'
    """

    def __init__(self, rules: Quixo, book: Book | None = None, plies: int = SEARCH_PLIES) -> None:
        self.rules = rules
        self.book = shipped_book(rules) if book is None else book
        self.search_plies = plies

    @property
    def abilities(self) -> str:
        """What is known, in words."""
        searched = f"what is won or lost within {self.search_plies} plies is found by search, no more"
        if self.book is None:
            return f"There is neither table nor book here: {searched}."
        return (
            f"There is no table here. A book knows all positions of up to {self.book.outcome_marks} marks; "
            f"past it, {searched}."
        )

    def probe(self, position: Position) -> Probe:
        if position.rules != self.rules:
            raise WrongTable(f"asked of {describe(position.rules)}, but this is {describe(self.rules)}")
        outcome, source = self._outcome(position, self.search_plies)
        moves = []
        for move in position.legal_moves():
            child = position.play(move)
            moves.append(MoveProbe.of(move, child, *self._outcome(child, self.search_plies - 1)))
        # What is not known is sorted by how it looks: someone has to choose a move.
        moves.sort(key=lambda move: (best_first(move)[:2], -promise(move.position), move.move))
        value, plies = (None, None) if outcome is None else (outcome.value, outcome.plies)
        return Probe(position, value, plies, tuple(moves), source, self._reason(position, outcome))

    def line(self, position: Position) -> Iterator[MoveProbe]:
        """Optimal play from here, as far as it is known; nothing from a draw."""
        probe = self.probe(position)
        while probe.moves and probe.plies is not None and probe.moves[0].plies == probe.plies:
            best = probe.moves[0]
            yield best
            probe = self.probe(best.position)

    def _outcome(self, position: Position, plies: int) -> tuple[Outcome | None, Source]:
        booked = self.book.get(position.mover_word) if self.book else None
        if booked is not None and (booked.value == "draw" or booked.plies is not None):
            return booked, "book"
        found = search(position, plies)
        return (booked, "book") if found is None and booked is not None else (found, "search")

    def _reason(self, position: Position, outcome: Outcome | None) -> str | None:
        """Why something is not known."""
        if outcome is not None and (outcome.value == "draw" or outcome.plies is not None):
            return None
        marks = (position.x | position.o).bit_count()
        if outcome is not None and self.book is not None:
            return (
                f"the book has plies of up to {self.book.plies_marks} marks, the board has {marks}; "
                f"it takes more than {self.search_plies} plies"
            )
        where = f"the book ends at {self.book.outcome_marks} marks" if self.book else "there is no book"
        return f"{where}, and nobody wins by force within {self.search_plies} plies"


def promise(position: Position) -> int:
    """How a position looks, without proof, to who is not to move in it: lines that are still open count."""
    score = 0
    for line in position.rules.lines:
        mine, theirs = (line & position.other).bit_count(), (line & position.mover).bit_count()
        if not theirs:
            score += mine * mine
        if not mine:
            score -= theirs * theirs
    return score
