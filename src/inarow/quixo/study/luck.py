"""How long a win takes by luck: the winner chooses any winning move at random, as the paper's §4.4 suggests.

The expected number of plies solves a linear equation for each position, 1 more than the mean over the moves.
Marks never disappear, so the equations are solved class by class from full boards down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board, class_words
from inarow.errors import MissingTable
from inarow.quixo.arrays import class_size
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Words, images, one_of_each
from inarow.quixo.table.table import Table

__all__ = ["DEFENCES", "ClassLuck", "Defence", "Games", "Luck", "play_with_luck", "study_luck"]

Floats = NDArray[np.float64]

Defence = Literal["random", "longest", "worst"]
DEFENCES: dict[Defence, str] = {
    "random": "any move at random",
    "longest": "a move after which the fastest win takes longest, at random among these",
    "worst": "the move after which the expected number of plies is largest",
}

MOST_PLIES = 1000  # of a game that is played
_TOLERANCE = 1e-11  # of the change in a sweep, as a share of the largest expectation


@dataclass(frozen=True, slots=True)
class ClassLuck:
    """The won positions of a class that are not over: expected plies to the end."""

    x: int
    o: int
    won: int
    mean: float
    longest: float


@dataclass(frozen=True, slots=True)
class Luck:
    """Expected plies from every won position that is not over.

    No equation is wrong by more than `residual`; so no expectation is by more than `residual` times
    `longest`, but for rounding.
    """

    rules: Quixo
    defence: Defence
    start: float | None  # from the empty board; None if it is not won
    won: int
    mean: float
    optimum: float  # the mean number of plies in perfect play
    longest: float
    position: Position  # where it takes so long
    residual: float
    sweeps: int
    classes: tuple[ClassLuck, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "defence": self.defence,
            "start": self.start,
            "won": self.won,
            "mean": self.mean,
            "optimum": self.optimum,
            "longest": self.longest,
            "position": str(self.position),
            "residual": self.residual,
            "sweeps": self.sweeps,
            "classes": [asdict(its) for its in self.classes],
        }


class _Solved(NamedTuple):
    """Positions that are not over, sorted, with expectations: won by one side, and lost to it."""

    won: Words
    won_plies: Floats
    lost: Words
    lost_plies: Floats


class _Equations(NamedTuple):
    """Of each position 1 + the mean, or the maximum, over its moves.

    A move leads to an unknown of the other side's equations, or, where `unknown` is −1, to what is `known`.
    """

    rows: NDArray[np.int64]  # the position of each move, ascending
    counts: NDArray[np.int64]  # how many moves each position has
    unknown: NDArray[np.int64]
    known: Floats

    def solve_for(self, others: Floats, worst: bool) -> Floats:
        plies = self.known.copy()
        inside = self.unknown >= 0
        plies[inside] = others[self.unknown[inside]]
        if worst:
            begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts)[:-1]])
            return 1 + (np.maximum.reduceat(plies, begins) if self.counts.size else np.zeros(0))
        return 1 + np.bincount(self.rows, plies, self.counts.size) / self.counts


def study_luck(table: Table, defence: Defence = "random") -> Luck:
    """Solve for the expected number of plies from every won position.

    The table must be complete and have plies (`MissingTable`).

    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> found = study_luck(table_in_memory(Quixo(2)), "worst")
    >>> found.start, found.mean
    (3.0, 1.2352941176470589)
    """
    _require(table, defence)
    rules, board = table.rules, Board(table.rules.native)
    solved: dict[tuple[int, int], _Solved] = {}
    classes: list[ClassLuck] = []
    optimum, most, residual, sweeps = 0.0, (-1.0, 0), 0.0, 0
    for marks in range(rules.cells, -1, -1):
        above, solved = solved, {}
        for x in range(marks, -1, -1):
            o = marks - x
            won, won_best = _of_value(table, board, x, o, 1)
            lost, _ = _of_value(table, board, o, x, -1)
            more = above.get((x + 1, o)), above.get((x, o + 1))
            for_won = _equations(table, board, won, -1, lost, more[0] and more[0][2:], False)
            for_lost = _equations(table, board, lost, 1, won, more[1] and more[1][:2], defence == "longest")
            found, wrong, count = _solve(for_won, for_lost, defence == "worst")
            solved[x, o] = _Solved(won, found[0], lost, found[1])
            residual, sweeps = max(residual, wrong), sweeps + count
            if won.size:
                weights = images(rules, won)
                longest = int(np.argmax(found[0]))
                most = max(most, (float(found[0][longest]), int(won[longest])))
                total = int(weights.sum())
                optimum += float((weights * won_best).sum())
                mean = float((weights * found[0]).sum()) / total
                classes.append(ClassLuck(x, o, total, mean, float(found[0][longest])))
    start = solved[0, 0].won_plies
    won_in_all = sum(its.won for its in classes)
    return Luck(
        rules,
        defence,
        float(start[0]) if start.size else None,
        won_in_all,
        sum(its.won * its.mean for its in classes) / won_in_all,
        optimum / won_in_all,
        most[0],
        rules.from_word(most[1]),
        residual,
        sweeps,
        tuple(reversed(classes)),
    )


def _require(table: Table, defence: str) -> None:
    if defence not in DEFENCES:
        raise ValueError(f"defence {defence!r}: must be one of {', '.join(DEFENCES)}")
    if not (table.manifest.plies and table.manifest.complete):
        raise MissingTable(f"the table in {table.path} does not know the plies of all positions")


def _of_value(table: Table, board: Board, x: int, o: int, value: int) -> tuple[Words, NDArray[np.int32]]:
    """The positions of a class that have a value and are not over, up to symmetry, and their plies."""
    words = class_words(table.rules.native, x, o, 0, class_size(table.rules, x, o))
    words = np.sort(words[board.canonical(words) == words])
    words = words[~board.over(words)]
    values, plies = table.probe_many(words)
    return words[values == value], plies[values == value]


def _equations(
    table: Table,
    board: Board,
    words: Words,
    value: int,
    unknown: Words,
    solved: tuple[Words, Floats] | None,
    longest: bool,
) -> _Equations:
    """The equations of positions whose chosen moves lead to positions of a value.

    These are among the unknown ones, or solved with one more mark, or over.
    """
    offsets, _, after = board.moves(words)
    rows = np.repeat(np.arange(words.size), np.diff(offsets))
    values, plies = table.probe_many(after)
    chosen = values == value
    if longest:
        most = np.zeros(words.size, np.int32)
        np.maximum.at(most, rows, plies)
        chosen &= plies == most[rows]
    rows, after = rows[chosen], board.canonical(after[chosen])
    over = board.over(after)
    here, is_here = _places(unknown, after)
    known = np.zeros(after.size)
    if solved is not None:
        there, is_there = _places(solved[0], after)
        known[is_there] = solved[1][there[is_there]]
        assert np.array_equal(is_here | is_there, ~over)
    return _Equations(rows, np.bincount(rows, minlength=words.size), np.where(is_here, here, -1), known)


def _places(among: Words, words: Words) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where words are in a sorted array, and whether they are."""
    if not among.size:
        return np.zeros(words.size, np.int64), np.zeros(words.size, bool)
    places = np.minimum(np.searchsorted(among, words), among.size - 1)
    return places, among[places] == words


def _solve(won: _Equations, lost: _Equations, worst: bool) -> tuple[tuple[Floats, Floats], float, int]:
    """The expectations of both sides, by how much an equation is wrong at most, and the sweeps it took."""
    lost_plies = np.zeros(lost.counts.size)
    won_plies = won.solve_for(lost_plies, False)
    sweeps, change = 0, np.inf
    while change > _TOLERANCE * float(np.max(won_plies, initial=1.0)):
        lost_plies = lost.solve_for(won_plies, worst)
        after = won.solve_for(lost_plies, False)
        change = float(np.max(np.abs(after - won_plies), initial=0.0))
        won_plies, sweeps = after, sweeps + 1
    wrong = np.abs(lost.solve_for(won_plies, worst) - lost_plies)
    return (won_plies, lost_plies), max(change, float(np.max(wrong, initial=0.0))), sweeps


# --- Games that are played ---


@dataclass(frozen=True, slots=True)
class Games:
    """Games from won positions drawn at random, with the mean of their plies and its standard error.

    Games that are not over after `MOST_PLIES` plies count as so long: then the mean is a lower bound.
    """

    rules: Quixo
    defence: Defence
    games: int
    optimum: float
    mean: float
    error: float
    median: float
    longest: int
    unfinished: int

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "defence": self.defence,
            "games": self.games,
            "optimum": self.optimum,
            "mean": self.mean,
            "error": self.error,
            "median": self.median,
            "longest": self.longest,
            "unfinished": self.unfinished,
        }


def play_with_luck(
    table: Table, games: int, defence: Defence = "random", seed: int = 0, most_plies: int = MOST_PLIES
) -> Games:
    """Play games from won positions that are not over, drawn at random from the table.

    The winner chooses any winning move; the other defends at random, or longest. For boards on which
    `study_luck` takes too long.

    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> found = play_with_luck(table_in_memory(Quixo(2)), 50)
    >>> found.games, found.longest, found.unfinished
    (50, 3, 0)
    """
    _require(table, defence)
    if defence == "worst":
        raise ValueError("defence 'worst': is known where the equations are solved, not in games")
    board, random = Board(table.rules.native), np.random.default_rng(seed)
    words, best = _won_at_random(table, board, games, seed)
    lengths = np.full(games, most_plies)
    playing = np.arange(games)
    for ply in range(most_plies):
        offsets, _, after = board.moves(words)
        values, plies = table.probe_many(after)
        rows = np.repeat(np.arange(words.size), np.diff(offsets))
        if ply % 2 == 0:
            chosen = values == -1
        elif defence == "longest":
            most = np.zeros(words.size, np.int32)
            np.maximum.at(most, rows, plies)
            chosen = plies == most[rows]
        else:
            chosen = np.ones(after.size, bool)
        words = after[chosen][one_of_each(random, rows[chosen], words.size)]
        over = board.over(words)
        lengths[playing[over]] = ply + 1
        words, playing = words[~over], playing[~over]
        if not words.size:
            break
    return Games(
        table.rules,
        defence,
        games,
        float(best.mean()),
        float(lengths.mean()),
        float(lengths.std(ddof=1) / games**0.5) if games > 1 else float("inf"),
        float(np.median(lengths)),
        int(lengths.max()),
        int(playing.size),
    )


def _won_at_random(table: Table, board: Board, games: int, seed: int) -> tuple[Words, NDArray[np.int32]]:
    found: list[Sequence[Any]] = []
    missing = games
    while missing:
        drawn = table.sample(2 * missing, seed + len(found), value="win")
        running = ~board.over(drawn.words)
        found.append((drawn.words[running][:missing], drawn.plies[running][:missing]))
        missing -= found[-1][0].size
    words, plies = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return words, plies
