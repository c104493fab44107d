"""Rules of thumb for the player who wants a draw: how often each fails, and which exceptions remain.

Each rule keeps those of the moves that are left which it likes best; of what is left in the end, any move
is made. The rules were found by a greedy search among some fifty candidates, on drawn positions of 5×5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board
from inarow.quixo.arrays import Moves, class_size
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Scope, Words, one_of_each, swapped, totals

__all__ = [
    "MOST_PLIES",
    "OPPONENTS",
    "RULES",
    "ClassThumb",
    "Example",
    "Games",
    "Opponent",
    "Round",
    "Rule",
    "Sight",
    "Thumb",
    "study_thumb",
]

Scores = NDArray[np.int64]
Chosen = NDArray[np.bool_]

Opponent = Literal["random", "drawing", "traps"]
OPPONENTS: dict[Opponent, str] = {
    "random": "any move",
    "drawing": "any move that keeps the draw",
    "traps": "traps: of five such moves, the one after which most of eight replies lose",
}

MOST_PLIES = 200  # of a game that is played
_TRAPS = 5  # moves among which the opponent who sets traps chooses, and replies to each that are looked up:
_REPLIES = 8  # with all of them, most of the time would go into traps
_EXAMPLES = 12
_HALF = np.uint64(32)
_LOWER = np.uint64((1 << 32) - 1)
_PART = 13  # bits of a mask whose marks are counted together: two parts make up the largest board
_FIELD = 5  # bits for the count of a line, which has twelve cells at most
_FULL = 1 << (_FIELD - 1)
_PACKED = 12  # lines that are counted together
_AT_ONCE = 1 << 16  # positions whose moves are listed together


class Sight:
    """What a person sees on a board, of many positions at once.

    A mask is of the marks of one side. Positions are as after a move: the other side is to move, and its
    marks are above.
    """

    def __init__(self, rules: Quixo) -> None:
        self.rules = rules
        self._board = Board(rules.native)

    def counts(self, masks: Words, cells: int) -> Scores:
        """How many of some cells are in each mask."""
        inside = masks & np.uint64(cells)
        part = np.uint64((1 << _PART) - 1)
        found: Scores = _POPULATION[inside & part] + _POPULATION[inside >> np.uint64(_PART)]
        return found

    def longest(self, masks: Words) -> Scores:
        """The most marks that a mask has on one line."""
        return sum(
            (self.reaches(masks, count).astype(np.int64) for count in range(1, self.rules.line + 1)),
            np.zeros(masks.size, np.int64),
        )

    def reaches(self, masks: Words, count: int) -> Chosen:
        """Whether a mask has so many marks on some line."""
        if count <= 0:
            return np.ones(masks.size, bool)
        found = np.zeros(masks.size, np.uint64)
        part = np.uint64((1 << _PART) - 1)
        short = np.uint64(self._fields * (_FULL - count))
        for low, high in self._lines:
            found |= low[masks & part] + high[masks >> np.uint64(_PART)] + short
        reached: Chosen = found & np.uint64(self._fields * _FULL) != 0
        return reached

    @cached_property
    def border(self) -> int:
        """The cells whose tiles can be taken."""
        return sum({1 << move.taken for move in self.rules.moves})

    @property
    def _fields(self) -> int:
        return sum(1 << (_FIELD * nth) for nth in range(_PACKED))

    @cached_property
    def _lines(self) -> tuple[tuple[Words, Words], ...]:
        """By the low bits of a mask, and by the others: how many are on each line, a field for each."""

        def counts(lines: Sequence[int], shift: int) -> Words:
            parts = np.arange(1 << _PART, dtype=np.uint64)
            packed = np.zeros_like(parts)
            for nth, line in enumerate(lines):
                on_line = _POPULATION[parts & np.uint64(line >> shift & ((1 << _PART) - 1))]
                packed += on_line.astype(np.uint64) << np.uint64(_FIELD * nth)
            return packed

        lines = self.rules.lines
        groups = [lines[first : first + _PACKED] for first in range(0, len(lines), _PACKED)]
        return tuple((counts(group, 0), counts(group, _PART)) for group in groups)

    def result(self, after: Words) -> Scores:
        """1 if the last move won the game, −1 if it lost it, 0 if the game goes on."""
        found = np.zeros(after.size, np.int64)
        over = np.flatnonzero(self._board.over(after))
        own, other = (
            self.reaches(mask, self.rules.line) for mask in (after[over] & _LOWER, after[over] >> _HALF)
        )
        both = 1 if self.rules.double_line == "wins" else -1
        found[over] = np.where(own & other, both, own.astype(np.int64) - other)
        return found

    def wins_at_once(self, words: Words) -> Chosen:
        """Whether the side to move can win with its next move."""
        found = np.zeros(words.size, bool)
        # A push changes at most one cell of a line that it does not shift, and adds one mark to one it does.
        able = np.flatnonzero(self.reaches(words >> _HALF, self.rules.line - 1))
        for first in range(0, able.size, _AT_ONCE):
            after, rows = self._after(words, able[first : first + _AT_ONCE])
            found[rows[self.result(after) > 0]] = True
        return found

    def wins_in_three(self, words: Words) -> Chosen:
        """Whether the side to move can win with its next move, or whatever the reply with the one after."""
        found = self.wins_at_once(words)
        able = np.flatnonzero(~found & self.reaches(words >> _HALF, self.rules.line - 2))
        for first in range(0, able.size, _AT_ONCE // 4):
            after, rows = self._after(words, able[first : first + _AT_ONCE // 4])
            threatens = self.result(after) == 0
            threatens[threatens] = self.wins_at_once(swapped(after[threatens]))
            after, which = np.unique(after[threatens], return_inverse=True)
            found[rows[threatens][self._all_replies_lose(after)[which]]] = True
        return found

    def _all_replies_lose(self, words: Words) -> Chosen:
        """Whether every move loses at once, or lets the other side win at once."""
        lose = np.ones(words.size, bool)
        after, rows = self._after(words, np.arange(words.size))
        result = self.result(after)
        # What has no line but for one mark saves without a closer look.
        saves = (result > 0) | (result == 0) & ~self.reaches(after >> _HALF, self.rules.line - 1)
        lose[rows[saves]] = False
        unclear = lose[rows] & (result == 0)
        lose[rows[unclear][~self.wins_at_once(after[unclear])]] = False
        return lose

    def _after(self, words: Words, chosen: NDArray[np.int64]) -> tuple[Words, NDArray[np.int64]]:
        """The positions after all moves of those chosen, and of which of all positions each is."""
        after, ends = self._board.successors(words[chosen])
        return after, np.repeat(chosen, np.diff(ends, prepend=0))


_POPULATION = np.array([mask.bit_count() for mask in range(1 << _PART)], np.int64)


# --- The rules ---


@dataclass(frozen=True, slots=True)
class Rule:
    """Of the moves that are left keep those with the largest score, by the positions after them."""

    name: str
    text: str
    score: Callable[[Sight, Words], Scores]


def _safe(sight: Sight, after: Words) -> Scores:
    return -sight.wins_at_once(after).astype(np.int64) - sight.wins_in_three(after)


def _threat(sight: Sight, after: Words) -> Scores:
    return sight.wins_at_once(swapped(after)).astype(np.int64)


def _border(sight: Sight, after: Words) -> Scores:
    return sight.counts(after & _LOWER, sight.border) - sight.longest(after >> _HALF)


def _blanks(sight: Sight, after: Words) -> Scores:
    return -sight.counts(~(after | after >> _HALF), sight.border)


def _squares(sight: Sight, after: Words) -> Scores:
    marks = (sight.counts(after & _LOWER, line) for line in sight.rules.lines)
    return sum((count * count for count in marks), np.zeros(after.size, np.int64))


RULES: tuple[Rule, ...] = (
    Rule("complete", "Complete a line if you can, but none of the opponent's.", Sight.result),
    Rule(
        "safe",
        "Leave the opponent no line to complete at once, nor a threat that you could not answer.",
        _safe,
    ),
    Rule(
        "border",
        "Have as many marks on the border as you can, less the most that the opponent has on one line.",
        _border,
    ),
    Rule("blanks", "Leave as few blank tiles on the border as you can.", _blanks),
    Rule("threat", "Threaten to complete a line.", _threat),
    Rule(
        "squares",
        "Count your marks on each line, and add up the squares: have as many as you can.",
        _squares,
    ),
)


def left_by(sight: Sight, moves: Moves, rules: Sequence[Rule], left: Chosen) -> Iterator[Chosen]:
    """Of some moves, those that are left after each rule in turn.

    At least one move of every position is needed to begin with.
    """
    rows = _rows(moves)
    for rule in rules:
        which = np.flatnonzero(left)
        scores = rule.score(sight, moves.words[which])
        begins = np.flatnonzero(np.diff(rows[which], prepend=-1))
        best = np.maximum.reduceat(scores, begins) if begins.size else scores
        left = np.zeros_like(left)
        left[which[scores == best[rows[which]]]] = True
        yield left


def _last(lefts: Iterator[Chosen]) -> Chosen:
    *_, left = lefts
    return left


# --- Positions ---


@dataclass(frozen=True, slots=True)
class ClassThumb:
    """A class: its drawn positions, and how the rules do there.

    `fails` and `hopeless` have a number for any move at all, and one after each rule: in how many positions
    a move at random among those left loses, as expected, and in how many every move left does.
    """

    x: int
    o: int
    states: int
    looked_at: int
    drawn: int  # of those looked at
    fails: tuple[float, ...]
    hopeless: tuple[int, ...]


def _study_class(scope: Scope, sight: Sight, x: int, o: int) -> ClassThumb:
    drawn = 0
    fails, hopeless = np.zeros(len(RULES) + 1), np.zeros(len(RULES) + 1, np.int64)
    for words, weights in scope.positions(x, o):
        draws = scope.values(words) == 0
        words, weights = words[draws], weights[draws]
        drawn += int(weights.sum())
        moves = scope.moves(words)
        keeps = scope.values(moves.words) == 0
        every = np.ones(keeps.size, bool)
        for nth, left in enumerate((every, *left_by(sight, moves, RULES, every))):
            saving, count = totals(moves, left & keeps), totals(moves, left)
            fails[nth] += float((weights * (count - saving) / count).sum())
            hopeless[nth] += int(weights[saving == 0].sum())
    return ClassThumb(
        x,
        o,
        class_size(scope.rules, x, o),
        scope.looked_at(x, o),
        drawn,
        tuple(fails.tolist()),
        tuple(hopeless.tolist()),
    )


# --- Games ---


@dataclass(frozen=True, slots=True)
class Example:
    """A position where the rules lose the draw, and the moves that would have kept it."""

    position: Position
    saving: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"position": str(self.position), "saving": list(self.saving)}


@dataclass(frozen=True, slots=True)
class Games:
    """Games in which the second player follows the rules, up to the move that loses, if one does.

    `plies` is the mean length of those that fail, None if none does. `exceptions` counts the positions
    where they do, up to symmetry; the examples have the fewest marks.
    """

    opponent: Opponent
    games: int
    held: int
    won: int  # of those held
    plies: float | None
    exceptions: int
    examples: tuple[Example, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "opponent": self.opponent,
            "games": self.games,
            "held": self.held,
            "won": self.won,
            "plies": self.plies,
            "exceptions": self.exceptions,
            "examples": [its.to_json() for its in self.examples],
        }


@dataclass(frozen=True, slots=True)
class Round:
    """Games against the opponent who sets traps, by a player who knows so many exceptions by heart."""

    learned: int
    games: int
    held: int
    plies: float | None  # the mean length of those that fail


class Learned(NamedTuple):
    """Exceptions and an answer to each: canonical positions, sorted, and those after the answers."""

    words: Words
    answers: Words

    def among(self, board: Board, words: Words, moves: Moves) -> Chosen:
        """Which moves are the answers to exceptions; in other positions, all."""
        rows = _rows(moves)
        if not self.words.size:
            return np.ones(rows.size, bool)
        canonical = board.canonical(words)
        places = np.minimum(np.searchsorted(self.words, canonical), self.words.size - 1)
        known = (self.words[places] == canonical)[rows]
        chosen: Chosen = ~known
        chosen[known] = board.canonical(moves.words[known]) == self.answers[places][rows[known]]
        return chosen


NOTHING = Learned(np.zeros(0, np.uint64), np.zeros(0, np.uint64))


class Played(NamedTuple):
    """How games went."""

    held: int
    won: int
    lengths: NDArray[np.int64]  # of the games that failed
    failures: Words  # where they did: canonical, sorted, each once

    @property
    def plies(self) -> float | None:
        return float(self.lengths.mean()) if self.lengths.size else None


class Match:
    """Games between an opponent, who begins, and a player who follows the rules."""

    def __init__(
        self,
        scope: Scope,
        opponent: Opponent,
        random: np.random.Generator,
        sight: Sight | None = None,
        rules: Sequence[Rule] = RULES,
    ) -> None:
        self.scope, self.opponent, self.random = scope, opponent, random
        self.sight = sight or Sight(scope.rules)
        self.rules = rules

    def play(self, games: int, learned: Learned, most_plies: int = MOST_PLIES) -> Played:
        """Play games in step, all at once."""
        words = np.full(games, self.scope.rules.start().mover_word, np.uint64)
        won, lengths, failures = 0, [], []
        for ply in range(most_plies):
            if ply % 2 == 0:
                words = self.opponents_move(words)
            else:
                after = self.players_move(words, learned)
                failed = self.scope.values(after) > 0
                failures.append(self.scope.board.canonical(words[failed]))
                lengths += [ply + 1] * int(failed.sum())
                words = after[~failed]
            over = self.scope.board.over(words)
            won += int(over.sum())
            words = words[~over]
            if not words.size:
                break
        where = np.unique(np.concatenate([*failures, np.zeros(0, np.uint64)]))
        return Played(games - len(lengths), won, np.array(lengths, np.int64), where)

    def players_move(self, words: Words, learned: Learned) -> Words:
        moves = self.scope.moves(words)
        left = learned.among(self.scope.board, words, moves)
        return _any_of(self.random, moves, _last(left_by(self.sight, moves, self.rules, left)))

    def opponents_move(self, words: Words) -> Words:
        moves = self.scope.moves(words)
        if self.opponent == "random":
            return _any_of(self.random, moves, np.ones(moves.words.size, bool))
        if self.opponent == "drawing":
            return _any_of(self.random, moves, self._drawing(moves, 1))
        traps = self._drawing(moves, _TRAPS)
        share = np.full(traps.size, -1.0)  # of moves that are not looked at
        share[traps] = self._losing_replies(moves.words[traps])
        best = np.maximum.reduceat(share, moves.offsets[:-1])
        return _any_of(self.random, moves, share == np.repeat(best, np.diff(moves.offsets)))

    def _drawing(self, moves: Moves, most: int) -> Chosen:
        """Up to so many moves of each position that keep the draw, or the win, at random.

        Few moves are looked up: one more of each position at a time.
        """
        order = _shuffled(self.random, moves)
        counts = np.diff(moves.offsets)
        found = np.zeros(order.size, bool)
        missing = np.full(counts.size, most)
        for nth in range(int(counts.max())):
            searched = np.flatnonzero((missing > 0) & (counts > nth))
            tried = order[moves.offsets[searched] + nth]
            keeps = self.scope.values(moves.words[tried]) <= 0
            found[tried[keeps]] = True
            missing[searched[keeps]] -= 1
        return found

    def _losing_replies(self, words: Words) -> NDArray[np.float64]:
        """The share of moves that lose, among a few of each position."""
        moves = self.scope.moves(words)
        counts = np.minimum(np.diff(moves.offsets), _REPLIES)
        rows = np.repeat(np.arange(words.size), counts)
        nth = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
        tried = _shuffled(self.random, moves)[moves.offsets[rows] + nth]
        loses = self.scope.values(moves.words[tried]) > 0
        return np.bincount(rows, loses, words.size) / np.maximum(counts, 1)


def _rows(moves: Moves) -> NDArray[np.int64]:
    """Of each move, which position it is of."""
    return np.repeat(np.arange(moves.offsets.size - 1), np.diff(moves.offsets))


def _shuffled(random: np.random.Generator, moves: Moves) -> NDArray[np.int64]:
    """All moves, those of each position in any order."""
    rows = _rows(moves)
    return np.lexsort((random.random(rows.size), rows))


def _any_of(random: np.random.Generator, moves: Moves, left: Chosen) -> Words:
    """The position after one of the moves left, for each position."""
    rows = _rows(moves)[left]
    return moves.words[left][one_of_each(random, rows, moves.offsets.size - 1)]


def learn(scope: Scope, sight: Sight, words: Words) -> Learned:
    """Answers from the table: of the moves of each position that keep the draw, what the rules choose."""
    moves = scope.moves(words)
    left = _last(left_by(sight, moves, RULES, scope.values(moves.words) <= 0))
    first = np.searchsorted(np.cumsum(left), np.cumsum(totals(moves, left)) - totals(moves, left) + 1)
    return Learned(words, scope.board.canonical(moves.words[first]))


def _examples(scope: Scope, words: Words) -> tuple[Example, ...]:
    """Those with fewest marks, with all moves that keep the draw."""
    few = sorted(words.tolist(), key=lambda word: (word.bit_count(), word))[:_EXAMPLES]
    moves = scope.moves(np.array(few, np.uint64))
    saves = scope.values(moves.words) <= 0
    rules = scope.rules
    texts = [rules.move_text(rules.moves[number]) for number in moves.moves.tolist()]
    return tuple(
        Example(rules.from_word(word), tuple(texts[at] for at in range(begin, end) if saves[at]))
        for word, begin, end in zip(few, moves.offsets[:-1].tolist(), moves.offsets[1:].tolist(), strict=True)
    )


# --- The study ---


@dataclass(frozen=True, slots=True)
class Thumb:
    """How the rules do: in drawn positions of each class, in games, and with exceptions learned by heart.

    There are no games if not all positions are looked at, or if the game is no draw.
    """

    rules: Quixo
    classes: tuple[ClassThumb, ...]
    games: tuple[Games, ...]
    rounds: tuple[Round, ...]

    @property
    def drawn(self) -> int:
        return sum(its.drawn for its in self.classes)

    @property
    def fails(self) -> tuple[float, ...]:
        """In how many drawn positions any move, and one that is left after each rule, loses."""
        return tuple(map(sum, zip(*(its.fails for its in self.classes), strict=True)))

    @property
    def hopeless(self) -> tuple[int, ...]:
        """In how many drawn positions every move that is left loses."""
        return tuple(map(sum, zip(*(its.hopeless for its in self.classes), strict=True)))

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "rules": [{"name": rule.name, "text": rule.text} for rule in RULES],
            "drawn": self.drawn,
            "fails": list(self.fails),
            "hopeless": list(self.hopeless),
            "classes": [asdict(its) for its in self.classes],
            "games": [its.to_json() for its in self.games],
            "rounds": [asdict(its) for its in self.rounds],
        }


def study_thumb(scope: Scope, games: int = 100, rounds: int = 4) -> Thumb:
    """Try the rules in drawn positions, and in so many games against each opponent and in each round.

    There are fewer rounds if all games of one are held.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(2, 4)) as prober:
    ...     found = study_thumb(Scope(prober), games=20, rounds=1)
    >>> found.drawn, found.hopeless[0], [its.held for its in found.games]
    (4655, 0, [20, 20, 20])
    """
    sight = Sight(scope.rules)
    classes = tuple(_study_class(scope, sight, x, o) for x, o in scope.classes())
    every = scope.most_marks is None or scope.most_marks >= scope.rules.cells
    start = np.array([scope.rules.start().mover_word], np.uint64)
    if not every or scope.values(start)[0] != 0:
        return Thumb(scope.rules, classes, (), ())
    random = np.random.default_rng(scope.seed)
    matches = {opponent: Match(scope, opponent, random, sight) for opponent in OPPONENTS}
    played = {opponent: match.play(games, NOTHING) for opponent, match in matches.items()}
    return Thumb(
        scope.rules,
        classes,
        tuple(_games(scope, opponent, games, its) for opponent, its in played.items()),
        tuple(_rounds(matches["traps"], games, rounds, played["traps"])),
    )


def _games(scope: Scope, opponent: Opponent, games: int, played: Played) -> Games:
    return Games(
        opponent,
        games,
        played.held,
        played.won,
        played.plies,
        played.failures.size,
        _examples(scope, played.failures),
    )


def _rounds(match: Match, games: int, rounds: int, played: Played) -> Iterator[Round]:
    """Rounds of games before which the exceptions of those before are learned, until there are none."""
    words = played.failures
    for _ in range(rounds):
        if not played.failures.size:
            break
        played = match.play(games, learn(match.scope, match.sight, words))
        yield Round(words.size, games, played.held, played.plies)
        words = np.union1d(words, played.failures)
