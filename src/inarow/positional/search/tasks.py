"""The tasks that a search on a small board is split into, and a worker that settles them in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from inarow._native.positional import UNLIMITED, WinSearch
from inarow.positional.rules import Game
from inarow.symmetry import Symmetry
from inarow.words import counted

__all__ = [
    "MEMORY",
    "UNLIMITED",
    "LocalWorker",
    "OnProgress",
    "SearchProgress",
    "Task",
    "Workers",
    "search_symmetries",
    "win_search",
]

MEMORY = 4_000_000_000
"""Bytes for the positions that a search keeps, by default."""

_MOST_SYMMETRIES = 512  # more take longer to try than they save


@dataclass(slots=True)
class SearchProgress:
    """How far a search has come."""

    moves: int = 0  # in which a win is being looked for; `UNLIMITED` for any number
    none_within: int = 0  # moves in which there is no win
    nodes: int = 0
    kept: int = 0  # positions in memory
    settled: int = 0  # tasks
    refuted: int = 0  # of X's first moves
    firsts: int = 0  # X's first moves up to symmetry

    def describe(self) -> str:
        return (
            f"searching: no win in {counted(self.none_within, 'move')}; {counted(self.nodes, 'node')}, "
            f"{counted(self.kept, 'position')} kept, {self.refuted} of "
            f"{counted(self.firsts, 'first move')} refuted"
        )


OnProgress: TypeAlias = Callable[[SearchProgress], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A position after O's first reply, which X is to win within some number of moves."""

    x: int
    o: int
    moves: int
    nodes: int | None  # the most to search; None for any number


class Workers(Protocol):
    """Settle tasks in any order: True if X wins, False if not, None if the nodes did not suffice."""

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]: ...


class LocalWorker:
    """Settles tasks one after another in this process."""

    def __init__(self, game: Game, memory: int, state: SearchProgress, progress: OnProgress | None) -> None:
        self._limit: int | None = None
        self._state = state
        self._progress = progress
        self._search = win_search(game, memory)

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]:
        for task in tasks:
            before = self._search.nodes
            self._limit = None if task.nodes is None else before + task.nodes
            won: bool | None
            try:
                won = self._search.solve(task.x, task.o, task.moves, self._report) is not None
            except _OutOfNodes:
                won = None
            self._state.nodes, self._state.kept = self._search.nodes, self._search.kept
            yield task, won, self._search.nodes - before

    def _report(self, nodes: int, kept: int) -> None:
        self._state.nodes, self._state.kept = nodes, kept
        if self._progress is not None:
            self._progress(self._state)
        if self._limit is not None and nodes > self._limit:
            raise _OutOfNodes


class _OutOfNodes(Exception):
    pass


def win_search(game: Game, memory: int = MEMORY) -> WinSearch:
    """The C++ search for a game, with at most `memory` bytes for positions."""
    symmetries = [list(to) for to in search_symmetries(game)]
    return WinSearch(game.cells, list(game.lines), game.maker_breaker, symmetries, memory)


@lru_cache(maxsize=64)
def search_symmetries(game: Game) -> tuple[Symmetry, ...]:
    """All symmetries, or the geometric ones where there are too many to try."""
    try:
        full = game.symmetries("full")
    except ValueError:
        return game.symmetries("geometric")
    return full if len(full) <= _MOST_SYMMETRIES else game.symmetries("geometric")
