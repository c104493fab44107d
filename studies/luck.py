"""How long does a win take by luck, if the winner chooses any winning move (§4.4 of "Quixo Is Solved")?

    python studies/luck.py --size 4 --defence worst

The expected number of plies is, for each position, 1 more than the mean over the moves. Marks never
disappear, so these equations are solved class by class from full boards down. The loser moves at random, or
so that the fastest win takes longest, or (worst) so that the lucky win takes longest. With --games N, N
games from random won positions are played instead; boards of more than 16 cells need that, and a table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from common import (
    Chosen,
    Counts,
    Words,
    any_of,
    arguments,
    canonical,
    main,
    opened,
    positions,
    rows_of,
    whole,
)
from numpy.typing import NDArray

import inarow

Floats = NDArray[np.float64]

DEFENCES = ("random", "longest", "worst")
MOST_PLIES = 1000  # of a game that is played
TOLERANCE = 1e-11  # of the change in a sweep, as a share of the largest expectation


class Solved(NamedTuple):
    """Positions that are not over, sorted, with expectations: won by one side, and lost to it."""

    won: Words
    won_plies: Floats
    lost: Words
    lost_plies: Floats


class Equations(NamedTuple):
    """Of each position 1 + the mean, or the maximum, over its moves.

    A move leads to an unknown of the other side's equations, or, where `unknown` is −1, to what is `known`.
    """

    rows: Counts  # the position of each move, ascending
    counts: Counts  # how many moves each position has
    unknown: Counts
    known: Floats

    def solve_for(self, others: Floats, worst: bool) -> Floats:
        plies = self.known.copy()
        inside = self.unknown >= 0
        plies[inside] = others[self.unknown[inside]]
        if worst and self.counts.size:
            found: Floats = np.maximum.reduceat(plies, np.cumsum(self.counts) - self.counts)
        else:
            found = np.bincount(self.rows, plies, self.counts.size) / self.counts
        return 1 + found


def luck(table: inarow.Table, defence: str = "random") -> dict[str, Any]:
    """No expectation is wrong by more than `residual` times `longest`, but for rounding."""
    rules = table.rules
    solved: dict[tuple[int, int], Solved] = {}
    classes = []
    optimum, most, residual, sweeps = 0.0, (-1.0, 0), 0.0, 0
    for marks in range(rules.cells, -1, -1):
        above, solved = solved, {}
        for x in range(marks, -1, -1):
            o = marks - x
            won, best, weights = _of_value(table, x, o, 1)
            lost, _, _ = _of_value(table, o, x, -1)
            more, less = above.get((x + 1, o)), above.get((x, o + 1))
            for_won = _equations(table, won, -1, lost, more and more[2:], False)
            for_lost = _equations(table, lost, 1, won, less and less[:2], defence == "longest")
            plies, lost_plies, wrong, count = _solve(for_won, for_lost, defence == "worst")
            solved[x, o] = Solved(won, plies, lost, lost_plies)
            residual, sweeps = max(residual, wrong), sweeps + count
            if won.size:
                longest, states = int(np.argmax(plies)), int(weights.sum())
                most = max(most, (float(plies[longest]), int(won[longest])))
                optimum += float((weights * best).sum())
                mean = float((weights * plies).sum()) / states
                classes.append(
                    {"x": x, "o": o, "won": states, "mean": mean, "longest": float(plies[longest])}
                )
    won_in_all = sum(its["won"] for its in classes)
    return {
        "game": "quixo",
        **rules.to_json(),
        "defence": defence,
        "start": next(map(float, solved[0, 0].won_plies), None),
        "won": won_in_all,
        "mean": sum(its["won"] * its["mean"] for its in classes) / won_in_all,
        "optimum": optimum / won_in_all,
        "longest": most[0],
        "position": str(rules.from_word(most[1])),
        "residual": residual,
        "sweeps": sweeps,
        "classes": classes[::-1],
    }


def _of_value(table: inarow.Table, x: int, o: int, value: int) -> tuple[Words, NDArray[np.int32], Counts]:
    """The positions of a class that have a value and are not over, up to symmetry, their plies and images."""
    every, images = map(np.concatenate, zip(*positions(table.rules, x, o), strict=True))
    words, weights = canonical(table.rules, every, images)
    values, plies = table.probe_many(words)
    chosen = (values == value) & (plies != 0)
    return words[chosen], plies[chosen], weights[chosen]


def _equations(
    table: inarow.Table, words: Words, value: int, unknown: Words, solved: Any, longest: bool
) -> Equations:
    """The equations of positions whose chosen moves lead to positions of a value.

    These are among the unknown ones, or solved with one more mark, or over.
    """
    moves = inarow.moves_many(table.rules, words)
    rows = rows_of(moves)
    values, plies = table.probe_many(moves.words)
    chosen = _longest(plies, rows, words.size) if longest else values == value
    rows, over = rows[chosen], plies[chosen] == 0
    after = inarow.canonical_many(table.rules, moves.words[chosen])
    here, is_here = _places(unknown, after)
    known = np.zeros(after.size)
    if solved is not None:
        there, is_there = _places(solved[0], after)
        known[is_there] = solved[1][there[is_there]]
        assert np.array_equal(is_here | is_there, ~over)
    return Equations(rows, np.bincount(rows, minlength=words.size), np.where(is_here, here, -1), known)


def _longest(plies: NDArray[np.int32], rows: Counts, count: int) -> Chosen:
    """The moves after which the fastest win takes longest."""
    most = np.zeros(count, np.int32)
    np.maximum.at(most, rows, plies)
    chosen: Chosen = plies == most[rows]
    return chosen


def _places(among: Words, words: Words) -> tuple[Counts, Chosen]:
    """Where words are in a sorted array, and whether they are."""
    if not among.size:
        return np.zeros(words.size, np.int64), np.zeros(words.size, bool)
    places = np.minimum(np.searchsorted(among, words), among.size - 1)
    return places, among[places] == words


def _solve(won: Equations, lost: Equations, worst: bool) -> tuple[Floats, Floats, float, int]:
    """The expectations of both sides, by how much an equation is wrong at most, and the sweeps it took."""
    lost_plies = np.zeros(lost.counts.size)
    won_plies = won.solve_for(lost_plies, False)
    sweeps, change = 0, np.inf
    while change > TOLERANCE * float(np.max(won_plies, initial=1.0)):
        lost_plies = lost.solve_for(won_plies, worst)
        after = won.solve_for(lost_plies, False)
        change = float(np.max(np.abs(after - won_plies), initial=0.0))
        won_plies, sweeps = after, sweeps + 1
    wrong = np.abs(lost.solve_for(won_plies, worst) - lost_plies)
    return won_plies, lost_plies, max(change, float(np.max(wrong, initial=0.0))), sweeps


def play(table: inarow.Table, games: int, defence: str = "random", seed: int = 0) -> dict[str, Any]:
    """Games that are not over after `MOST_PLIES` plies count as so long."""
    if defence == "worst":
        raise ValueError("--defence worst is known where the equations are solved, not in games")
    random = np.random.default_rng(seed)
    words, best = _won_at_random(table, games, seed)
    lengths = np.full(games, MOST_PLIES)
    playing = np.arange(games)
    for ply in range(MOST_PLIES):
        moves = inarow.moves_many(table.rules, words)
        rows = rows_of(moves)
        values, plies = table.probe_many(moves.words)
        chosen = np.ones(rows.size, bool)
        if ply % 2 == 0:
            chosen = values == -1
        elif defence == "longest":
            chosen = _longest(plies, rows, words.size)
        made = np.flatnonzero(chosen)[any_of(random, rows[chosen], words.size)]
        over = plies[made] == 0
        lengths[playing[over]] = ply + 1
        words, playing = moves.words[made[~over]], playing[~over]
        if not words.size:
            break
    return {
        "game": "quixo",
        **table.rules.to_json(),
        "defence": defence,
        "games": games,
        "optimum": float(best.mean()),
        "mean": float(lengths.mean()),
        "error": float(lengths.std(ddof=1) / games**0.5) if games > 1 else None,
        "median": float(np.median(lengths)),
        "longest": int(lengths.max()),
        "unfinished": playing.size,
    }


def _won_at_random(table: inarow.Table, games: int, seed: int) -> tuple[Words, NDArray[np.int32]]:
    words, plies = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    while words.size < games:
        drawn = table.sample(2 * (games - words.size), seed, value="win")
        words = np.concatenate([words, drawn.words[drawn.plies > 0]])
        plies = np.concatenate([plies, drawn.plies[drawn.plies > 0]])
        seed += 1
    return words[:games], plies[:games]


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--defence", choices=DEFENCES, default="random", help="of the loser (random)")
    parser.add_argument("--games", type=int, metavar="N", help="play N games from random won positions")
    parser.add_argument("--seed", type=int, default=0, help="of the games (0)")
    options = parser.parse_args()

    def study() -> dict[str, Any]:
        with opened(options) as prober:
            if options.games is None and prober.rules.cells > 16:
                raise ValueError("equations are solved on boards of up to 16 cells; play with --games N")
            table = whole(prober)
            return (
                luck(table, options.defence)
                if options.games is None
                else play(table, options.games, options.defence, options.seed)
            )

    main(study, options.json)
