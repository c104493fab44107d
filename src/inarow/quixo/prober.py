"""Looks positions of Quixo up in everything at hand: tables, the book, shipped results and a search.

A position passes through the sources in that order until its value and plies are known; each answer says
which source it is from. No source hides what another one knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board
from inarow.errors import DamagedFile, WrongTable
from inarow.quixo.probe import MoveProbe, Probe, Source, best_first
from inarow.quixo.results import class_value, kept_outcomes, results
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.search import NODES, PLIES, SECONDS, Found, Search, is_complete, search
from inarow.quixo.solver.needs import QUICK_CELLS
from inarow.quixo.solver.user_table import open_user_table
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.commands import make_command
from inarow.quixo.table.store import MISSING, Progress
from inarow.quixo.table.table import Table, open_table
from inarow.values import OPPOSITE, Outcome, Value

__all__ = ["QUICK_CELLS", "Prober", "SearchLimits", "open_prober"]

_ASIDE = 0.1  # the share of a search's time for moves that cannot change the value or plies of the position
_FEW_NODES = 1 << 10  # of a first attempt at a proof

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


class _Known(NamedTuple):
    """What is known about a position so far; a position that no source knows has been searched last."""

    outcome: Outcome | None = None
    source: Source = "search"

    @property
    def complete(self) -> bool:
        return is_complete(self.outcome)


class Prober:
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
        self._board = Board(rules.native)
        self._searches: set[Search] = set()
        self._merge = lru_cache(maxsize=1024)(self._merge_sources)

    def close(self) -> None:
        """End searches that are running, and close the tables that `open_prober` opened."""
        for running in tuple(self._searches):
            running.stop()
        self._opened.close()

    def __enter__(self) -> Self:
        return self

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
        if self._whole:
            return self._whole.probe(position)
        # Equal positions may differ in their last move.
        return replace(self._merge(position), position=position)

    def get(self, position: Position, default: Default) -> Probe | Default:
        """Like `probe`, with a default where the value is not known."""
        probe = self.probe(position)
        return default if probe.value is None else probe

    def with_replies(self, probe: Probe) -> Probe:
        """The probe of a draw with the number of losing replies to each move that keeps it.

        That takes a thousand look-ups in a table or the book, and no search. A table at a URL is not asked.
        """
        drawn = [move for move in probe.moves if move.value == "draw"]
        # With its last marks a book knows some of the replies only, and would be unpacked for nothing.
        last_marks = self._book.outcome_marks - 2 if self._book else -1
        at_hand = any(not table.is_remote for table in self._tables)
        if probe.value != "draw" or not (at_hand or sum(probe.position.counts) <= last_marks):
            return probe
        words = np.array([move.position.mover_word for move in drawn], np.uint64)
        after, ends = self._board.successors(words)
        values = self.values(after)
        counted = {}
        for move, end, count in zip(drawn, ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True):
            replies = values[end - count : end]
            # A reply loses if the side that made the move wins after it.
            losing = None if np.any(replies == MISSING) else int(np.count_nonzero(replies == 1))
            counted[move.move] = move.with_replies(losing, count)
        return replace(probe, moves=tuple(counted.get(move.move, move) for move in probe.moves))

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """What the book and the tables on this machine know, as `Table.values` has it."""
        found = np.full(words.size, MISSING, np.int8)
        sources: list[Table | Book] = [table for table in self._tables if not table.is_remote]
        sources += [self._book] if self._book else []
        for source in sources:
            missing = np.flatnonzero(found == MISSING)
            if not missing.size:
                break
            found[missing] = source.values(words[missing])
        return found

    def outcomes(self, positions: Sequence[Position]) -> list[Outcome | None]:
        """What is known about positions without a search, in their order."""
        for position in positions:
            self._require(position)
        return [known.outcome for known in self._stored(positions)]

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

    def _merge_sources(self, position: Position) -> Probe:
        """All that is known about a position, where no table knows everything."""
        successors = position.successors()
        children = [child for child, _ in successors]
        stored, *there = self._stored([position, *children])
        searched = self._search(position, children, stored, there)
        here, *there = (
            _merged(before, _Known(outcome, "search"))
            for before, outcome in zip([stored, *there], searched.outcomes, strict=True)
        )
        probed = [
            MoveProbe.of(move, child, *known) for (child, move), known in zip(successors, there, strict=True)
        ]
        if not here.complete and probed:
            here = _merged(here, _implied(probed, searched.plies))
        if here.outcome and here.outcome.value == "loss":
            # Every move loses, whether its own position is known or not.
            probed = [
                replace(move, value="loss", source=here.source) if move.value is None else move
                for move in probed
            ]
        guesses = self._guesses(probed)
        probed.sort(key=lambda move: _best_first(move, here.outcome, guesses.get(move.move, 0)))
        value, plies = (None, None) if here.outcome is None else (here.outcome.value, here.outcome.plies)
        reason = self._reason(position, here, searched.plies)
        return Probe(position, value, plies, tuple(probed), here.source, reason)

    def _guesses(self, moves: Sequence[MoveProbe]) -> dict[Move, int]:
        """How good moves look for the side that makes them, as one of equally good ones must be played."""
        open_ones = [move for move in moves if not move.position.is_over]
        scores = Search(self.rules).guess([move.position for move in open_ones])
        return {move.move: -score for move, score in zip(open_ones, scores, strict=True)}

    def _search(
        self, position: Position, children: Sequence[Position], here: _Known, there: Sequence[_Known]
    ) -> Found:
        """What a search adds about a position and its children, and to how many plies it searched all."""
        outcomes = [known.outcome for known in there]
        if here.complete and all(known.complete for known in there):
            return Found((here.outcome, *outcomes), self.limits.plies)
        search = Search(self.rules)
        self._searches.add(search)
        try:
            if not children:
                return search.find([position], [here.outcome], 0, self.limits.seconds)
            deadline = monotonic() + self.limits.seconds
            depth = 0
            if not here.complete:
                # A move to a lost position is a fastest win, as all moves are searched to the same depth.
                found = search.find(
                    children,
                    outcomes,
                    self.limits.plies - 1,
                    self.limits.seconds,
                    enough=lambda found: any(it.value == "loss" and is_complete(it) for it in found if it),
                )
                outcomes, depth = list(found.outcomes), found.plies + 1
            aside = search.find(children, outcomes, self.limits.plies - 1, self.limits.seconds * _ASIDE)
            outcomes, depth = list(aside.outcomes), max(depth, aside.plies + 1)
            if here.outcome is None or here.outcome.value == "draw":
                self._prove(search, children, outcomes, deadline)
            return Found((here.outcome, *outcomes), depth)
        finally:
            self._searches.discard(search)

    def _prove(
        self, search: Search, children: Sequence[Position], outcomes: list[Outcome | None], deadline: float
    ) -> None:
        """Fill in the values of children that can be proven, until one of them is lost or time is up."""
        nodes = _FEW_NODES
        while nodes <= self.limits.nodes and None in outcomes:
            for nth, child in enumerate(children):
                left = deadline - monotonic()
                if left <= 0 or any(outcome and outcome.value == "loss" for outcome in outcomes):
                    return
                if outcomes[nth] is None and (proven := search.prove(child, None, nodes, left)):
                    outcomes[nth] = Outcome(proven.value, None)
            nodes *= 4

    def _stored(self, positions: Sequence[Position]) -> list[_Known]:
        """What tables, the book and results know about positions, each asked for what is missing."""
        known = [_Known()] * len(positions)
        sources: list[tuple[Source, Callable[[Sequence[Position]], list[Outcome | None]]]]
        sources = [("table", table.outcomes) for table in self._tables]
        if self._book:
            sources.append(("book", self._book.outcomes))
        sources.append(("results", self._of_results))
        for source, ask in sources:
            missing = [nth for nth, found in enumerate(known) if not found.complete]
            if not missing:
                break
            for nth, outcome in zip(missing, ask([positions[nth] for nth in missing]), strict=True):
                known[nth] = _merged(known[nth], _Known(outcome, source))
        return known

    def _of_results(self, positions: Sequence[Position]) -> list[Outcome | None]:
        kept = kept_outcomes(self.rules)

        def known(position: Position) -> Outcome | None:
            value: Value | None = None if position.is_over else class_value(self.rules, *_marks(position))
            found = kept.get(position.canonical().mover_word) if kept else None
            return found or (None if value is None else Outcome(value, None))

        return [known(position) for position in positions]

    def _move_to(self, position: Position, after: Outcome) -> MoveProbe | None:
        """A move to a position of this outcome, if one can be found."""
        successors = position.successors()
        stored = self._stored([child for child, _ in successors])
        for (child, move), known in zip(successors, stored, strict=True):
            if known.outcome == after:
                return MoveProbe.of(move, child, *known)
        assert after.plies is not None
        if after.plies < self.limits.plies:
            for child, move in successors:
                if search(child, after.plies, self.limits.seconds) == after:
                    return MoveProbe.of(move, child, after, "search")
        return None

    def _reason(self, position: Position, known: _Known, searched: int) -> str | None:
        """Why something is not known, after a search of so many plies."""
        if known.complete:
            return None
        if known.outcome is not None:
            more = f"it takes more than {searched} plies"
            if known.source == "book" and self._book:
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


def _marks(position: Position) -> tuple[int, int]:
    """Of the side to move, and of the other."""
    return position.mover.bit_count(), position.other.bit_count()


def _merged(known: _Known, more: _Known) -> _Known:
    """The fuller of two answers about a position."""
    if more.outcome is None:
        return known
    if known.outcome is None:
        return more
    if known.outcome.value != more.outcome.value:
        raise DamagedFile(
            f"the {known.source} says {known.outcome}, the {more.source} {more.outcome}: one of them is wrong"
        )
    return more if more.complete and not known.complete else known


def _implied(moves: Sequence[MoveProbe], searched: int) -> _Known:
    """What follows about a position from its moves, all of which were searched to so many plies from it."""
    best = min(moves, key=best_first)
    # An unknown move may be better than a draw, and faster than a win; losses sort behind unknown moves.
    rivals = [move for move in moves if move.value in (best.value, None)]
    if best.value is None or (best.value == "draw" and any(move.value is None for move in rivals)):
        return _Known()
    plies = [move.plies for move in rivals if move.plies is not None]
    if best.value == "win":
        known = bool(plies) and (len(plies) == len(rivals) or min(plies) <= searched + 1)
    else:
        known = best.value == "loss" and len(plies) == len(rivals)
    return _Known(
        Outcome(best.value, (min if best.value == "win" else max)(plies) if known else None), best.source
    )


def _best_first(move: MoveProbe, here: Outcome | None, guess: int) -> tuple[int, bool, float, int, Move]:
    """The sort key of moves that are not all known: equals by how they look, since one must be played."""
    group, plies, _ = best_first(move)
    # A loss of unknown length is not longer than one that is known to be the longest.
    optimal = (
        here is not None and here.plies is not None and (move.value, move.plies) == (here.value, here.plies)
    )
    return group, not optimal, plies, -guess, move.move
