"""Looks positions of Quixo up in everything at hand: tables, the book, shipped results and a search.

What is known where, and what follows from it, is decided in native/quixo/prober.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow._native import quixo as _native
from inarow.errors import DamagedFile, WrongTable
from inarow.quixo.probe import SOURCES, Known, LaterMoves, MoveProbe, Probe, count_of, moves_of, wrong_table
from inarow.quixo.results import class_values, kept_outcomes, results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import NODES, PLIES, SECONDS, class_facts, search
from inarow.quixo.solver.plan import QUICK_CELLS
from inarow.quixo.solver.user_table import open_user_table
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.manifest import make_command
from inarow.quixo.table.store import Progress
from inarow.quixo.table.table import Table, open_table
from inarow.stopping import stoppable
from inarow.values import NUMBERS, OPPOSITE, VALUES, Outcome

Default = TypeVar("Default")


def open_prober(
    rules: Quixo,
    tables: Iterable[Table | str | Path] = (),
    *,
    search_plies: int = PLIES,
    search_nodes: int = NODES,
    search_seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Prober:
    """A prober of these rules; use it in a ``with`` statement, or close it.

    `tables` are open tables, which stay open, or their folders. Several may be of different rules; a single
    one of other rules is a mistake, and raises `WrongTable`.

    Where they do not know everything about a board of up to `QUICK_CELLS` cells, the user's own table is
    opened as well, and solved first if it does not exist yet; `progress` hears about that.

    What they do not know is searched: everything that is decided within `search_plies`, then proofs of longer
    wins of up to `search_nodes` each, all in up to `search_seconds`. With enough of these the answers depend
    on plies and nodes alone.

    >>> with open_prober(Quixo(5)) as prober:
    ...     prober.probe(Quixo(5).start()).value
    'draw'
    """
    with ExitStack() as opened:
        found = [
            opened.enter_context(open_table(table)) if isinstance(table, str | Path) else table
            for table in tables
        ]
        usable = [table for table in found if table.rules == rules]
        if len(found) == 1 and not usable:
            raise WrongTable(f"{found[0].path} is a table of {found[0].rules}, not of {rules}")
        if rules.cells <= QUICK_CELLS and not any(map(_knows_everything, usable)):
            usable.append(opened.enter_context(open_user_table(rules, progress)))
        limits = SearchLimits(search_plies, search_nodes, search_seconds)
        return Prober(rules, usable, opened.pop_all(), limits)


def _knows_everything(table: Table) -> bool:
    return table.manifest.plies and table.manifest.complete


class SearchLimits(NamedTuple):
    """How far a prober searches, as `open_prober` explains."""

    plies: int
    nodes: int
    seconds: float


class Prober(AbstractContextManager["Prober"]):
    """Answers questions about the positions of one game, from `open_prober`.

    Threads may share it. The latest answers that took a search are kept.

    >>> with open_prober(Quixo(5)) as prober:
    ...     probe = prober.probe(Quixo(5).start())
    >>> print(f"{probe}, from the {probe.source}")
    draw, from the book
    """

    def __init__(
        self, rules: Quixo, tables: Sequence[Table], opened: ExitStack, limits: SearchLimits
    ) -> None:
        self.rules = rules
        self._tables = tables
        self._opened = opened
        self._whole = next(filter(_knows_everything, tables), None)
        self._book: Book | None = None if self._whole else shipped_book(rules)
        self.limits = limits
        kept = {word: _numbers(outcome) for word, outcome in kept_outcomes(rules).items()}
        classes = {marks: NUMBERS[value] for marks, value in class_values(rules).items()}
        self._native = _native.Prober(
            rules.native, list(self._sources()), classes, kept, class_facts(rules), *limits
        )

    def _sources(self) -> Iterator[_native.Source]:
        """The sources, nearest first, as the core asks them."""
        yield from (table.native for table in self.tables if not table.is_remote)
        if self._book:
            yield self._book.native
        yield from (table.native for table in self.tables if table.is_remote)

    def close(self) -> None:
        """End searches that are running, and close the tables that `open_prober` opened."""
        self._native.stop()
        self._opened.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def within(self, seconds: float) -> Prober:
        """A prober of the same tables, with so many seconds for a search; to close it closes no table."""
        return Prober(self.rules, self._tables, ExitStack(), self.limits._replace(seconds=seconds))

    @property
    def is_fast(self) -> bool:
        """Whether a table on this machine knows everything, so that a probe takes a few milliseconds at most.

        Otherwise it may search, or wait for a server, for some seconds.
        """
        return self._whole is not None and not self._whole.is_remote

    @property
    def knows_everything(self) -> bool:
        """Whether a table knows the value and the plies of every position."""
        return self._whole is not None

    @property
    def knows_outcomes(self) -> bool:
        """Whether a table knows the value of every position, with or without plies."""
        return any(table.manifest.complete for table in self._tables)

    @property
    def tables(self) -> Sequence[Table]:
        """Those that it looks positions up in, one that knows everything first."""
        return sorted(self._tables, key=lambda table: table is not self._whole)

    @property
    def native(self) -> _native.Prober:
        """The prober of the core."""
        return self._native

    @property
    def has_book(self) -> bool:
        return self._book is not None

    @property
    def statistics(self) -> Statistics:
        """The counts of all positions of the game; `MissingTable` if they are not known."""
        return self._whole.statistics if self._whole else results(self.rules).statistics

    def describe(self) -> str:
        """What is known, in words."""
        if self._whole:
            return "A table knows the value and the plies of every position."
        sentences = ["There is no table here."]
        if self._tables:
            whole = self._tables[0].manifest.complete
            known = "who wins every position, but not how fast" if whole else "some of the positions"
            sentences = [f"A table knows {known}."]
        if self._book:
            sentences.append(f"A book knows all positions of up to {self._book.outcome_marks} marks.")
        sentences.append(
            f"Otherwise a search of up to {self.limits.seconds:g} seconds finds all that is decided within "
            f"{self.limits.plies} plies, and some longer wins."
        )
        return " ".join(sentences)

    # --- Questions ---

    def probe(self, position: Position) -> Probe:
        """The value and plies of a position and of its moves, best first, as far as they are known."""
        self._require(position)
        stop = _native.Stop()
        with stoppable(stop.ask):
            known, searched, contradiction, moves = self._native.probe(position.mover, position.other, stop)
        if contradiction is not None:
            raise self._contradiction(position, *contradiction)
        value, plies, source = known
        reason = self._reason(position, known, searched)
        later = LaterMoves(lambda: moves_of(position, moves()))
        return Probe(position, VALUES.get(value), count_of(plies), later, SOURCES[source], reason)

    def get(self, position: Position, default: Default) -> Probe | Default:
        """Like `probe`, with a default where the value is not known."""
        probe = self.probe(position)
        return default if probe.value is None else probe

    def with_replies(self, probe: Probe) -> Probe:
        """The probe of a draw with the number of losing replies to each move that keeps it.

        That takes a thousand look-ups in a table or the book, and no search. A table at a URL is not asked.
        """
        if probe.value != "draw":
            return probe
        drawn = [move for move in probe.moves if move.value == "draw"]
        counts = self._native.count_replies(_sides(probe.position), [_sides(move.position) for move in drawn])
        counted = {
            move.move: replace(move, losing_replies=count_of(losing), replies=replies)
            for move, (losing, replies) in zip(drawn, counts, strict=True)
            if replies >= 0
        }
        return replace(probe, moves=tuple(counted.get(move.move, move) for move in probe.moves))

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """What the book, results and the tables on this machine know, as `Table.values` has it."""
        return self._native.outcomes(words)

    def outcomes(self, positions: Sequence[Position]) -> list[Outcome | None]:
        """What is known about positions without a search, in their order."""
        for position in positions:
            self._require(position)
        known = self._native.stored(list(map(_sides, positions)))
        return [_outcome(value, plies) for value, plies, _ in known]

    def line(self, position: Position) -> Iterator[MoveProbe]:
        """Optimal play from here, as far as it is known; nothing from a draw.

        The winner takes the shortest way, the loser the longest.
        """
        self._require(position)
        if self._whole:
            yield from self._whole.line(position)
            return
        here = self.probe(position).outcome
        while here is not None and here.plies:
            after = Outcome(OPPOSITE[here.value], here.plies - 1)
            best = self._move_to(position, after)
            if best is None:
                return
            yield best
            position, here = best.position, after

    # --- Sources ---

    def _require(self, position: Position) -> None:
        if position.rules != self.rules:
            raise WrongTable(f"a position of {position.rules}; this prober is of {self.rules}")

    def _contradiction(self, position: Position, first: Known, second: Known, move: int) -> DamagedFile:
        """What two sources, or a table and the moves of a position, say differently."""
        if move >= 0 or (first[2] == second[2] and position.is_over):
            return wrong_table(self._whole.path if self._whole else self.rules, position, first, second, move)
        one, other = (_outcome(value, plies) for value, plies, _ in (first, second))
        names = SOURCES[first[2]], SOURCES[second[2]]
        return DamagedFile(f"the {names[0]} says {one}, the {names[1]} {other}: one of them is wrong")

    def _move_to(self, position: Position, after: Outcome) -> MoveProbe | None:
        """A move to a position of this outcome, if one can be found."""
        successors = position.successors()
        stored = self._native.stored([_sides(child) for child, _ in successors])
        for (child, move), (value, plies, source) in zip(successors, stored, strict=True):
            if _outcome(value, plies) == after:
                return MoveProbe.of(move, child, after, SOURCES[source])
        assert after.plies is not None
        if after.plies < self.limits.plies:
            for child, move in successors:
                if search(child, after.plies, self.limits.seconds) == after:
                    return MoveProbe.of(move, child, after, "search")
        return None

    def _reason(self, position: Position, known: Known, searched: int) -> str | None:
        """Why something is not known, after a search of so many plies."""
        value, plies, source = known
        if plies >= 0 or value == NUMBERS["draw"]:
            return None
        if value in VALUES:
            more = f"it takes more than {searched} plies"
            if SOURCES[source] == "book" and self._book:
                booked = f"the book has plies of up to {self._book.plies_marks} marks"
                return f"{booked}, the board has {sum(position.counts)}; {more}"
            if all(table.manifest.plies for table in self._tables):
                return f"not all of its moves are known, and {more}"
            return f"the table holds outcomes only, without plies, and {more}"
        where = f"the book ends at {self._book.outcome_marks} marks" if self._book else "there is no book"
        for table in self._tables:
            # It has a gap, or it would know.
            where = (
                f"the table lacks it (complete it with '{make_command(table.manifest, table.path)}'), {where}"
            )
        return f"{where}, and nobody wins by force within {searched} plies"


def _sides(position: Position) -> tuple[int, int]:
    """The marks of the side to move, and of the other."""
    return position.mover, position.other


def _numbers(outcome: Outcome) -> tuple[int, int]:
    return NUMBERS[outcome.value], -1 if outcome.plies is None else outcome.plies


def _outcome(value: int, plies: int) -> Outcome | None:
    return Outcome(VALUES[value], count_of(plies)) if value in VALUES else None
