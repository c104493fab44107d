"""The fewest lines that a dictionary for a game can have: answers and lines chosen together.

X's answers decide which positions need answers, and which of them can share a line. For small games, one
integer program covers all of it: it has a column for each position, each of its answers and each line. Where
there are too many positions, those with few marks alone still give a lower bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inarow._native.positional import UNLIMITED, WinSearch
from inarow.integer_program import Row, minimise
from inarow.positional.dictionary.text import Entry, Line
from inarow.positional.rules import Game, cells_of
from inarow.symmetry import Symmetry

At: TypeAlias = tuple[int, int]  # X's mask and O's
Group: TypeAlias = tuple[int, int, int]  # a line: X's mask, O's without one mark, the answer


class TooManyAnswers(Exception):
    """More answers than an integer program can handle, or than could be found in time."""


@dataclass(frozen=True, slots=True)
class FewestLines:
    """A strategy, if the program had all levels and found one, and a bound on the lines of any strategy."""

    entries: tuple[Entry, ...] | None
    lines: int  # of the strategy; without one, of the best solution of the levels
    lower_bound: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer to a position, the positions it leads to, and the lines that can contain it."""

    key: Group
    move: int
    children: list[At]
    groups: list[Group]
    over: bool  # it completes a line


class _Graph:
    def __init__(self, game: Game, search: WinSearch, symmetries: tuple[Symmetry, ...]) -> None:
        self._game = game
        self._search = search
        self._images = [{1 << cell: 1 << place for cell, place in enumerate(to)} for to in symmetries]
        self.nodes: dict[At, list[_Answer]] = {}  # answers up to the symmetries of the position

    def expand(self, moves: int, levels: int, most: int, check: Callable[[int, int], None]) -> None:
        """Find the positions that games reach; `check` raises once the time is over."""
        answers = 0
        waiting: list[At] = [(0, 0)]
        while waiting:
            at = waiting.pop()
            if at in self.nodes:
                continue
            check(self._search.nodes, self._search.kept)
            level = at[0].bit_count()
            left = moves if moves == UNLIMITED else moves - level
            winning = self._search.winning_moves(*at, left, check)
            self.nodes[at] = found = self._answers(at, winning, expand=level + 1 < levels)
            answers += len(found)
            if answers > most:
                raise TooManyAnswers
            waiting += (child for answer in found for child in answer.children)

    def _answers(self, at: At, winning: int, *, expand: bool) -> list[_Answer]:
        x, o = at
        found: dict[Group, _Answer] = {}
        for move in cells_of(winning):
            key = self.least(x, o, move)
            if key in found:
                continue
            after = x | 1 << move
            over = self._game.wins(after)
            children = []
            if expand and not over:
                empty = ((1 << self._game.cells) - 1) & ~(after | o)
                children = sorted({self.least(after, o | 1 << reply)[:2] for reply in cells_of(empty)})
            groups = sorted({self.least(x, o & ~(1 << mark), move) for mark in cells_of(o)}) or [key]
            found[key] = _Answer(key, move, children, groups, over)
        return list(found.values())

    def of(self, lines: Iterable[Line]) -> Iterator[object]:
        """The columns of a strategy's lines: positions, answers and lines."""
        for line in lines:
            for entry in line.entries():
                yield self.least(entry.x, entry.o)[:2]
                yield self.least(entry.x, entry.o, entry.move)
            rest = line.o if line.options or not line.o else line.o & (line.o - 1)
            yield "line", self.least(line.x, rest, line.move)

    def least(self, x: int, o: int, move: int = 0) -> Group:
        return min((_image(x, to), _image(o, to), to[1 << move]) for to in self._images)


def fewest_lines(
    game: Game,
    search: WinSearch,
    symmetries: tuple[Symmetry, ...],
    moves: int,
    *,
    fewest: int | None = None,
    levels: int | None = None,
    most: int = 60_000,
    time_limit: float | None = None,
    known: Iterable[Line] = (),
    progress: Callable[[int, int], None] | None = None,
) -> FewestLines:
    """The strategy with the fewest lines among those that win within `moves` moves, which may be `UNLIMITED`.

    `fewest` is the number of moves in which X can force a win, by default `moves`. With `levels`, only
    positions with fewer marks of X are considered; each later level is counted as one line. `known` are the
    lines of a strategy to start from. `progress` is called with the nodes of the search for answers and the
    positions it keeps.

    :raises TooManyAnswers: if there are more than `most` answers, or they are not found in time.
    """
    began = time.monotonic()
    end = math.inf if time_limit is None else began + time_limit

    def check(nodes: int, kept: int) -> None:
        if time.monotonic() >= end:
            raise TooManyAnswers
        if progress is not None:
            progress(nodes, kept)

    fewest = moves if fewest is None else fewest
    depth = (fewest if moves == UNLIMITED else moves) if levels is None else levels
    graph = _Graph(game, search, symmetries)
    graph.expand(moves, depth, most, check)
    columns: dict[object, int] = {}
    costs: list[float] = []

    def column(what: object, cost: float = 0) -> int:
        if what not in columns:
            columns[what] = len(costs)
            costs.append(cost)
        return columns[what]

    rows = [Row([column((0, 0))], least=1)]
    later = column("later", max(1, fewest - depth))
    for at, answers in graph.nodes.items():
        rows.append(Row([column(answer.key) for answer in answers], [column(at)]))
        for answer in answers:
            this = column(answer.key)
            rows.append(Row([column(("line", group), 1) for group in answer.groups], [this]))
            rows += [Row([column(child)], [this]) for child in answer.children]
            if not answer.over and not answer.children:
                rows.append(Row([later], [this]))
    start = frozenset(columns[what] for what in graph.of(known) if what in columns)
    if start and depth < fewest:
        start |= {later}
    found = minimise(costs, rows, None if time_limit is None else end - time.monotonic(), start or None)
    seconds = time.monotonic() - began
    if found is None:
        return FewestLines(None, 0, 0, seconds)
    lines = round(sum(costs[chosen] for chosen in found.chosen))
    entries = None
    if later not in found.chosen:
        every = ((at, answer) for at, answers in graph.nodes.items() for answer in answers)
        taken = {at: answer for at, answer in every if columns[answer.key] in found.chosen}
        entries = tuple(_walk(taken))
    return FewestLines(entries, lines, found.bound, seconds)


def _walk(answers: dict[At, _Answer]) -> list[Entry]:
    """The entries for the positions that games reach, those with fewer marks first."""
    reached, waiting = {(0, 0)}, [(0, 0)]
    for at in waiting:
        new = [child for child in answers[at].children if child not in reached]
        reached.update(new)
        waiting += new
    return [Entry(*at, answers[at].move) for at in waiting]


def _image(mask: int, to: dict[int, int]) -> int:
    moved = 0
    while mask:
        low = mask & -mask
        moved |= to[low]
        mask ^= low
    return moved
