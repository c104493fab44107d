"""Can a draw be kept by rules of thumb? How often each of six fails, and how long they hold in games.

    python studies/thumb.py --size 5 --table DIR --sample 2000 --games 200

Each rule keeps those of the moves left that it likes best; of what is left in the end, any move is made. The
rules were found by a greedy search among some fifty candidates, on drawn positions of 5x5. For each class:
`fails` is in how many drawn positions any move at all, and then one left after each rule, loses, as expected;
`hopeless`, in how many every move left does. Then the second player plays by the rules against three
opponents: `random` makes any move, `drawing` any that keeps the draw, `traps`, of five such moves, the one
after which most of eight replies lose. In rounds of more games against traps, the exceptions met so far are
learned by heart.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import numpy as np
from common import (
    HALF,
    Chosen,
    Counts,
    Words,
    any_of,
    arguments,
    main,
    opened,
    positions,
    progress,
    rows_of,
    sampled,
    swapped,
    totals,
    whole,
)

import inarow
from inarow.quixo.arrays import Moves

OPPONENTS = ("random", "drawing", "traps")
MOST_PLIES = 200  # of a game
TRAPS, REPLIES = 5, 8
LOWER = np.uint64((1 << 32) - 1)
POPULATION = np.array([mask.bit_count() for mask in range(1 << 13)], np.int64)
AT_ONCE = 1 << 14  # positions whose moves are listed together


class Sight:
    """What a person sees on many boards at once: marks on lines, and wins within three plies.

    Words are of positions after a move: the other side is to move.
    """

    def __init__(self, table: inarow.Table) -> None:
        self.table = table
        self.lines = [np.uint64(line) for line in table.rules.lines]
        self.edge = np.uint64(sum({1 << move.taken for move in table.rules.moves}))

    def marks(self, masks: Words, cells: np.uint64) -> Counts:
        inside = masks & cells
        found: Counts = POPULATION[inside & np.uint64(8191)] + POPULATION[inside >> np.uint64(13)]
        return found

    def result(self, after: Words) -> Counts:
        """1 if the last move won the game, −1 if it lost it, 0 if the game goes on."""
        values, plies = self.table.probe_many(after)
        return np.where(plies == 0, -values, 0)

    def wins(self, words: Words, most: int) -> Counts:
        """1 if the side to move wins within so many plies."""
        values, plies = self.table.probe_many(words)
        return np.where((values == 1) & (plies > 0) & (plies <= most), 1, 0)

    def safe(self, after: Words) -> Counts:
        return -self.wins(after, 1) - self.wins(after, 3)

    def threat(self, after: Words) -> Counts:
        return self.wins(swapped(after), 1)

    def border(self, after: Words) -> Counts:
        most: Counts = np.max([self.marks(after >> HALF, line) for line in self.lines], axis=0)
        return self.marks(after & LOWER, self.edge) - most

    def blanks(self, after: Words) -> Counts:
        return -self.marks(~(after | after >> HALF), self.edge)

    def squares(self, after: Words) -> Counts:
        sums: Counts = np.sum([self.marks(after & LOWER, line) ** 2 for line in self.lines], axis=0)
        return sums


# Of the moves left, keep those with the largest score, by the positions after them.
RULES = {
    "Complete a line if you can, but none of the opponent's.": Sight.result,
    "Leave the opponent no line to complete at once, nor a threat that you could not answer.": Sight.safe,
    "Have as many marks on the border as you can, less the most the opponent has on one line.": Sight.border,
    "Leave as few blank tiles on the border as you can.": Sight.blanks,
    "Threaten to complete a line.": Sight.threat,
    "Count your marks on each line, and add up the squares: have as many as you can.": Sight.squares,
}


def left_by(sight: Sight, moves: Moves, left: Chosen) -> Iterator[Chosen]:
    """Of some moves, at least one of every position, those that are left after each rule in turn."""
    rows = rows_of(moves)
    for score in RULES.values():
        which = np.flatnonzero(left)
        scores = score(sight, moves.words[which])
        best = np.full(moves.offsets.size - 1, np.iinfo(np.int64).min)
        np.maximum.at(best, rows[which], scores)
        left = np.zeros_like(left)
        left[which[scores == best[rows[which]]]] = True
        yield left


def _last(lefts: Iterator[Chosen]) -> Chosen:
    *_, left = lefts
    return left


def look_at(table: inarow.Table, sight: Sight, words: Words, weights: Counts) -> tuple[int, Any, Any]:
    """Of some positions: how many are drawn, in how many the rules fail, and in how many they must."""
    drawn = table.values(words) == 0
    words, weights = words[drawn], weights[drawn]
    fails, hopeless = np.zeros(len(RULES) + 1), np.zeros(len(RULES) + 1, np.int64)
    for first in range(0, words.size, AT_ONCE):
        weight = weights[first : first + AT_ONCE]
        moves = inarow.moves_many(table.rules, words[first : first + AT_ONCE])
        keeps = table.values(moves.words) == 0
        every = np.ones(keeps.size, bool)
        for nth, left in enumerate((every, *left_by(sight, moves, every))):
            saving, count = totals(moves, left & keeps), totals(moves, left)
            fails[nth] += (weight * (count - saving) / count).sum()
            hopeless[nth] += weight[saving == 0].sum()
    return int(weights.sum()), fails, hopeless


def look_at_classes(
    table: inarow.Table, most_marks: int, sample: int | None, random: np.random.Generator
) -> list[dict[str, Any]]:
    rules, sight, classes = table.rules, Sight(table), []
    for x, o in [(x, marks - x) for marks in range(most_marks + 1) for x in range(marks + 1)]:
        progress(x + o, most_marks)
        size = comb(rules.cells, x) * comb(rules.cells - x, o)
        if sample is not None and sample < size:
            parts = iter([(sampled(rules, x, o, sample, random), np.ones(sample, np.int64))])
        else:
            parts = positions(rules, x, o)
        found = [look_at(table, sight, *part) for part in parts]
        drawn, fails, hopeless = (np.sum(its, axis=0) for its in zip(*found, strict=True))
        if drawn:
            counts = {"drawn": int(drawn), "fails": fails.tolist(), "hopeless": hopeless.tolist()}
            classes.append({"x": x, "o": o, "states": size, "looked_at": min(size, sample or size), **counts})
    return classes


class Played(NamedTuple):
    """Games up to the move that fails, if one does; `plies` is the mean length of those."""

    games: int
    held: int
    won: int
    plies: float | None
    failures: Words  # the positions where they did: canonical, sorted, each once


class Match:
    """Games between an opponent, who begins, and a player who follows the rules."""

    def __init__(self, table: inarow.Table, opponent: str, random: np.random.Generator) -> None:
        self.table, self.rules, self.opponent, self.random = table, table.rules, opponent, random
        self.sight = Sight(table)
        self.learned = self.answers = np.zeros(0, np.uint64)  # exceptions, sorted, and the positions after

    def play(self, games: int) -> Played:
        """Play games in step, all at once."""
        words = np.zeros(games, np.uint64)
        won, lengths, failures = 0, list[int](), [np.zeros(0, np.uint64)]
        for ply in range(MOST_PLIES):
            if ply % 2 == 0:
                words = self.opponents_move(words)
            else:
                after = self.players_move(words)
                failed = self.table.values(after) > 0
                failures.append(inarow.canonical_many(self.rules, words[failed]))
                lengths += [ply + 1] * int(failed.sum())
                words = after[~failed]
            over = self.sight.result(words) != 0
            won += int(over.sum())
            words = words[~over]
            if not words.size:
                break
        mean = float(np.mean(lengths)) if lengths else None
        return Played(games, games - len(lengths), won, mean, np.unique(np.concatenate(failures)))

    def players_move(self, words: Words) -> Words:
        moves = inarow.moves_many(self.rules, words)
        left = np.ones(moves.words.size, bool)
        if self.learned.size:
            here = inarow.canonical_many(self.rules, words)
            places = np.minimum(np.searchsorted(self.learned, here), self.learned.size - 1)
            after = inarow.canonical_many(self.rules, moves.words)
            rows = rows_of(moves)
            left = (self.learned[places] != here)[rows] | (self.answers[places][rows] == after)
        return self._any_of(moves, _last(left_by(self.sight, moves, left)))

    def learn(self, words: Words) -> None:
        """Take from the table, of the moves of each position that keep the draw, what the rules choose."""
        moves = inarow.moves_many(self.rules, words)
        left = _last(left_by(self.sight, moves, self.table.values(moves.words) <= 0))
        _, first = np.unique(rows_of(moves)[left], return_index=True)
        self.learned, self.answers = words, inarow.canonical_many(self.rules, moves.words[left][first])

    def opponents_move(self, words: Words) -> Words:
        moves = inarow.moves_many(self.rules, words)
        if self.opponent == "random":
            return self._any_of(moves, np.ones(moves.words.size, bool))
        drawing = self._some(moves, 1 if self.opponent == "drawing" else TRAPS, drawing=True)
        if self.opponent == "traps":
            replies = inarow.moves_many(self.rules, moves.words[drawing])
            tried = self._some(replies, REPLIES, drawing=False)
            tried[tried] = self.table.values(replies.words[tried]) > 0
            share = np.full(drawing.size, -1.0)
            share[drawing] = totals(replies, tried) / np.clip(np.diff(replies.offsets), 1, REPLIES)
            best = np.maximum.reduceat(share, moves.offsets[:-1])
            drawing = share == np.repeat(best, np.diff(moves.offsets))
        return self._any_of(moves, drawing)

    def _some(self, moves: Moves, most: int, drawing: bool) -> Chosen:
        """Up to so many moves of each position, at random; if `drawing`, that keep the draw or the win."""
        rows, counts = rows_of(moves), np.diff(moves.offsets)
        order = np.lexsort((self.random.random(rows.size), rows))
        found = np.zeros(order.size, bool)
        missing = np.full(counts.size, most)
        for nth in range(int(counts.max(initial=0))):  # looks up few: one more of each position at a time
            searched = np.flatnonzero((missing > 0) & (counts > nth))
            tried = order[moves.offsets[searched] + nth]
            wanted = self.table.values(moves.words[tried]) <= 0 if drawing else np.ones(tried.size, bool)
            found[tried[wanted]] = True
            missing[searched[wanted]] -= 1
        return found

    def _any_of(self, moves: Moves, left: Chosen) -> Words:
        """The position after one of the moves left, for each position."""
        after: Words = moves.words[left][any_of(self.random, rows_of(moves)[left], moves.offsets.size - 1)]
        return after


def exceptions(table: inarow.Table, words: Words) -> list[dict[str, str]]:
    """Those with fewest marks, with all moves that keep the draw."""
    few = sorted(words.tolist(), key=lambda word: (word.bit_count(), word))[:6]
    found = []
    for position in map(table.rules.from_word, few):
        saving = [
            table.rules.move_text(its.move) for its in table.probe(position).moves if its.value != "loss"
        ]
        found.append({"position": str(position), "saved_by": " ".join(saving)})
    return found


def games(table: inarow.Table, count: int, rounds: int, random: np.random.Generator) -> dict[str, Any]:
    """Games against each opponent, and rounds until all games of one are held."""
    matches = {opponent: Match(table, opponent, random) for opponent in OPPONENTS}
    played = {opponent: match.play(count) for opponent, match in matches.items()}

    def row(its: Played) -> dict[str, Any]:
        return {**its._asdict(), "failures": its.failures.size}

    last, learned, later = played["traps"], np.zeros(0, np.uint64), list[dict[str, Any]]()
    while last.failures.size and len(later) < rounds:
        learned = np.union1d(learned, last.failures)
        matches["traps"].learn(learned)
        last = matches["traps"].play(count)
        later.append({"learned": learned.size, **row(last)})
    return {
        "games": [{"opponent": opponent, **row(its)} for opponent, its in played.items()],
        "rounds": later,
        "exceptions": {opponent: exceptions(table, its.failures) for opponent, its in played.items()},
    }


def thumb(
    table: inarow.Table, marks: int | None, sample: int | None, count: int, rounds: int, seed: int = 0
) -> dict[str, Any]:
    """There are no games unless all positions are looked at, and the game is a draw."""
    random = np.random.default_rng(seed)
    classes = look_at_classes(table, table.rules.cells if marks is None else marks, sample, random)
    drawn = marks is None and table.values(np.zeros(1, np.uint64))[0] == 0
    return {
        "game": "quixo",
        **table.rules.to_json(),
        "rules": list(RULES),
        "drawn": sum(its["drawn"] for its in classes),
        "fails": np.sum([its["fails"] for its in classes], axis=0).tolist(),
        "hopeless": np.sum([its["hopeless"] for its in classes], axis=0).tolist(),
        "classes": classes,
        **(games(table, count, rounds, random) if drawn else {}),
    }


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--marks", type=int, metavar="N", help="only positions with up to N marks, no games")
    parser.add_argument("--sample", type=int, metavar="N", help="of a class with more, N positions at random")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="against each opponent (100)")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="of games, at most (4)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    options = parser.parse_args()

    def study() -> dict[str, Any]:
        with opened(options) as prober:
            return thumb(
                whole(prober), options.marks, options.sample, options.games, options.rounds, options.seed
            )

    main(study, options.json)
