"""Looks positions of Quixo up in everything at hand: tables, the book, shipped results and a search.

A position passes through the sources in that order until its value and plies are known; each answer says
which source it is from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Self, TypeVar

from inarow.errors import DamagedFile, WrongTable
from inarow.quixo.probe import MoveProbe, Probe, Source, best_first
from inarow.quixo.results import kept_outcomes, results
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.search import search, search_plies
from inarow.quixo.solver.needs import QUICK_CELLS
from inarow.quixo.solver.solve import solve
from inarow.quixo.solver.user_table import ensure_table
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.store import Progress
from inarow.quixo.table.table import Table, make_command, open_table
from inarow.values import OPPOSITE, Outcome

__all__ = ["QUICK_CELLS", "Prober", "heuristic_score", "open_prober"]


Default = TypeVar("Default")


def open_prober(
    rules: Quixo, tables: Iterable[Table | str | Path] = (), *, progress: Progress | None = None
) -> Prober:
    """A prober of these rules; use it in a ``with`` statement, or close it.

    `tables` are open tables, which stay open, or their folders. Several may be of different rules; a single
    one of other rules is a mistake, and raises `WrongTable`.

    Where they do not know everything about a board of up to `QUICK_CELLS` cells, the user's own table is
    opened as well, and solved first if it does not exist yet; `progress` hears about that.

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
            usable.append(opened.enter_context(_own_table(rules, opened, progress)))
        return Prober(rules, usable, opened.pop_all())


def _own_table(rules: Quixo, opened: ExitStack, progress: Progress | None) -> Table:
    """The user's own table, solved first if need be; in a temporary folder if there is no other."""
    try:
        return open_table(ensure_table(rules, progress=progress))
    except OSError:
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="inarow-"))) / "table"
        solve(rules, folder, progress=progress)
        return open_table(folder)


def _knows_everything(table: Table) -> bool:
    return table.manifest.plies and table.manifest.complete


class _Known(NamedTuple):
    """What is known about a position so far; a position that no source knows has been searched last."""

    outcome: Outcome | None = None
    source: Source = "search"

    @property
    def complete(self) -> bool:
        return self.outcome is not None and (self.outcome.value == "draw" or self.outcome.plies is not None)


class Prober:
    """Answers questions about the positions of one game, from `open_prober`.

    Threads may share it; searches run one at a time. The latest answers that took a search are kept.
    """

    def __init__(self, rules: Quixo, tables: Sequence[Table], opened: ExitStack) -> None:
        self.rules = rules
        self._tables = tables
        self._opened = opened
        self._whole = next(filter(_knows_everything, tables), None)
        self._book: Book | None = None if self._whole else shipped_book(rules)
        self._plies = search_plies(rules)
        self._merge = lru_cache(maxsize=1024)(self._merge_sources)

    def close(self) -> None:
        """Close the tables that `open_prober` opened."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def is_fast(self) -> bool:
        """Whether a table on this machine knows everything, so that a probe takes a few milliseconds at most.

        Otherwise it may search, or wait for a server, for up to a second.
        """
        return self._whole is not None and not self._whole.is_remote

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
        sentences.append(f"Otherwise a search finds what is won or lost within {self._plies} plies, no more.")
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
        (stored,) = self._stored([position])
        here = _searched(position, stored, self._plies).outcome
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
        moves = position.legal_moves()
        children = [position.play(move) for move in moves]
        here, *there = self._stored([position, *children])
        here = _searched(position, here, self._plies)
        probed = []
        for move, child, stored in zip(moves, children, there, strict=True):
            probed.append(MoveProbe.of(move, child, *_searched(child, stored, self._plies - 1)))
        if not here.complete:
            here = _merged(here, _implied(probed))
        if here.outcome and here.outcome.value == "loss":
            # Every move loses, whether its own position is known or not.
            probed = [
                replace(move, value="loss", source=here.source) if move.value is None else move
                for move in probed
            ]
        probed.sort(key=lambda move: _best_first(move, here.outcome))
        value, plies = (None, None) if here.outcome is None else (here.outcome.value, here.outcome.plies)
        return Probe(position, value, plies, tuple(probed), here.source, self._reason(position, here))

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
        return [kept.get(position.canonical().mover_word) if kept else None for position in positions]

    def _move_to(self, position: Position, after: Outcome) -> MoveProbe | None:
        """A move to a position of this outcome, if one can be found."""
        moves = position.legal_moves()
        children = [position.play(move) for move in moves]
        for move, child, known in zip(moves, children, self._stored(children), strict=True):
            if known.outcome == after:
                return MoveProbe.of(move, child, *known)
        assert after.plies is not None
        if after.plies <= self._plies:
            for move, child in zip(moves, children, strict=True):
                if search(child, after.plies) == after:
                    return MoveProbe.of(move, child, after, "search")
        return None

    def _reason(self, position: Position, known: _Known) -> str | None:
        """Why something is not known."""
        if known.complete:
            return None
        if known.outcome is not None:
            more = f"it takes more than {self._plies} plies"
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
        return f"{where}, and nobody wins by force within {self._plies} plies"


def _searched(position: Position, known: _Known, plies: int) -> _Known:
    """What a search adds where something is missing."""
    return known if known.complete else _merged(known, _Known(search(position, plies), "search"))


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


def _implied(moves: Sequence[MoveProbe]) -> _Known:
    """What follows about a position from what is known about its moves."""
    best = min(moves, key=best_first)
    # An unknown move may be better than a draw, and faster than a win; losses sort behind unknown moves.
    rivals = [move for move in moves if move.value in (best.value, None)]
    if best.value is None or (best.value == "draw" and any(move.value is None for move in rivals)):
        return _Known()
    plies = [move.plies for move in rivals if move.plies is not None]
    known = best.value != "draw" and len(plies) == len(rivals)
    return _Known(
        Outcome(best.value, (min if best.value == "win" else max)(plies) if known else None), best.source
    )


def _best_first(move: MoveProbe, here: Outcome | None) -> tuple[int, bool, float, int, Move]:
    """The sort key of moves that are not all known: equals by how they look, since one must be played."""
    group, plies, _ = best_first(move)
    # A loss of unknown length is not longer than one that is known to be the longest.
    optimal = (
        here is not None and here.plies is not None and (move.value, move.plies) == (here.value, here.plies)
    )
    return group, not optimal, plies, -heuristic_score(move.position), move.move


def heuristic_score(position: Position) -> int:
    """How good a position looks for the side that has just moved: open lines count, by the marks in them."""
    score = 0
    for line in position.rules.lines:
        mine, theirs = (line & position.other).bit_count(), (line & position.mover).bit_count()
        if not theirs:
            score += mine * mine
        if not mine:
            score -= theirs * theirs
    return score
