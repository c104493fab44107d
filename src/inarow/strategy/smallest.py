"""The fewest lines that a dictionary for a game can have: moves and lines chosen together.

Which answers X gives decides which positions it needs answers to, and which of them can share a line. For
small games all of it is one integer program: a column for each position, each of its answers and each line.
Where there are too many positions, the first levels alone (of positions with few marks) still give a bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from inarow import _positional
from inarow.games.positional import Game
from inarow.games.symmetry import Symmetry
from inarow.search.integer_program import Row, minimise
from inarow.strategy.dictionary import Entry, cells_of

__all__ = ["Smallest", "TooMany", "smallest"]

_UNLIMITED = _positional.UNLIMITED

At: TypeAlias = tuple[int, int]  # X's mask and O's
Group: TypeAlias = tuple[int, int, int]  # a line: X's mask, O's without one mark, the answer


class TooMany(Exception):
    """More answers than an integer program would be good for."""


@dataclass(frozen=True, slots=True)
class Smallest:
    """A strategy, if the program had all levels and found one, and a bound on the lines of any strategy."""

    entries: tuple[Entry, ...] | None
    lines: int  # of the strategy, or at least of any if there is none
    lower_bound: int
    seconds: float


@dataclass(slots=True)
class _Node:
    """A position: its answers up to its own symmetries, with the positions they lead to and their lines."""

    answers: list[tuple[int, list[At], list[Group], bool]] = field(default_factory=list)


class _Graph:
    def __init__(
        self,
        game: Game,
        solver: _positional.Solver,
        symmetries: tuple[Symmetry, ...],
        moves: int,
        levels: int,
        most: int,
        progress: Callable[[], None] | None,
    ) -> None:
        self._game = game
        self._solver = solver
        self._images = [_table(to) for to in symmetries]
        self.nodes: dict[At, _Node] = {}
        answers = 0
        waiting: list[At] = [(0, 0)]
        while waiting:
            at = waiting.pop()
            if at in self.nodes:
                continue
            if progress is not None:
                progress()
            level = at[0].bit_count()
            left = moves if moves == _UNLIMITED else moves - level
            self.nodes[at] = node = self._node(at, left, expand=level + 1 < levels)
            answers += len(node.answers)
            if answers > most:
                raise TooMany
            waiting += (child for _, children, _, _ in node.answers for child in children)

    def _node(self, at: At, left: int, *, expand: bool) -> _Node:
        x, o = at
        node = _Node()
        seen: set[Group] = set()
        for move in cells_of(self._solver.winning_moves(x, o, left)):
            key = self._least(x, o, move)
            if key in seen:
                continue
            seen.add(key)
            after = x | 1 << move
            over = self._game.wins(after)
            children = []
            if expand and not over:
                empty = ((1 << self._game.cells) - 1) & ~(after | o)
                children = sorted({self._least(after, o | 1 << reply)[:2] for reply in cells_of(empty)})
            groups = sorted({self._least(x, o & ~(1 << mark), move) for mark in cells_of(o)}) or [key]
            node.answers.append((move, children, groups, over))
        return node

    def _least(self, x: int, o: int, move: int = 0) -> Group:
        return min((_image(x, to), _image(o, to), to[1 << move]) for to in self._images)


def smallest(
    game: Game,
    solver: _positional.Solver,
    symmetries: tuple[Symmetry, ...],
    moves: int,
    fewest: int,
    *,
    levels: int | None = None,
    most: int = 60_000,
    time_limit: float | None = None,
    progress: Callable[[], None] | None = None,
) -> Smallest:
    """The strategy with the fewest lines among those that win within `moves` moves, or in any number.

    `fewest` are the moves in which X can win: games last as long, if O plays well. With `levels`, only
    positions with fewer marks of X's are looked at; what comes later costs a line for each level at least.

    :raises TooMany: if there are more than `most` answers.
    """
    began = time.monotonic()
    depth = (fewest if moves == _UNLIMITED else moves) if levels is None else levels
    graph = _Graph(game, solver, symmetries, moves, depth, most, progress)
    columns: dict[object, int] = {}
    costs: list[float] = []

    def column(what: object, cost: float = 0) -> int:
        if what not in columns:
            columns[what] = len(costs)
            costs.append(cost)
        return columns[what]

    rows = [Row([column((0, 0))], least=1)]
    beyond: list[Row] = []
    later = column("later", max(1, fewest - depth))
    for at, node in graph.nodes.items():
        chosen = [column((at, "answer", move)) for move, _, _, _ in node.answers]
        rows.append(Row(chosen, [column(at)]))
        for answer, (_, children, groups, over) in zip(chosen, node.answers, strict=True):
            rows.append(Row([column(("line", group), 1) for group in groups], [answer]))
            rows += [Row([column(child)], [answer]) for child in children]
            if not over and not children:
                beyond.append(Row([later], [answer]))
    found = minimise(costs, rows + beyond, time_limit)
    seconds = time.monotonic() - began
    if found is None:
        return Smallest(None, 0, 0, seconds)
    lines = round(sum(costs[c] for c in found.chosen))
    entries = None
    if columns["later"] not in found.chosen:
        answers: dict[At, tuple[int, list[At]]] = {}
        for at, node in graph.nodes.items():
            for move, children, _, _ in node.answers:
                if columns[at, "answer", move] in found.chosen:
                    answers[at] = (move, children)
        entries = tuple(_walk(answers))
    return Smallest(entries, lines, int(found.bound), seconds)


def _walk(answers: dict[At, tuple[int, list[At]]]) -> list[Entry]:
    """The positions that games come to, those of fewer marks first."""
    reached = {(0, 0)}
    waiting = [(0, 0)]
    for at in waiting:
        for child in answers[at][1]:
            if child not in reached:
                reached.add(child)
                waiting.append(child)
    return [Entry(*at, answers[at][0]) for at in waiting]


def _table(to: Symmetry) -> dict[int, int]:
    return {1 << cell: 1 << place for cell, place in enumerate(to)}


def _image(mask: int, to: dict[int, int]) -> int:
    moved = 0
    while mask:
        low = mask & -mask
        moved |= to[low]
        mask ^= low
    return moved
