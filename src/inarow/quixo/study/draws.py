"""How hard is it to draw? Moves that keep a draw, replies that lose it, and sequences of only moves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.quixo.arrays import Moves, class_size
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Scope, Words, totals

__all__ = ["ClassDraws", "Draws", "Forced", "study_draws"]

_EXAMPLES = 24


@dataclass(frozen=True, slots=True)
class ClassDraws:
    """A class: its drawn positions, their moves, and the replies to those that keep the draw."""

    x: int
    o: int
    states: int
    looked_at: int
    drawn: int  # of those looked at
    moves: int
    kept: int  # moves that keep the draw; the others lose
    single: int  # drawn positions of which a single move keeps the draw
    replies: int  # to moves that keep the draw
    losing: int  # of these replies


@dataclass(frozen=True, slots=True)
class Forced:
    """Sequences in which each side in turn has a single move that keeps the draw.

    `plies` is the length of the longest that ends, and `positions` are those where one begins. Others repeat
    themselves for ever: `repeating` counts the positions on their loops, up to symmetry, and `loops` are the
    lengths of these in plies, each with a position on one.
    """

    plies: int
    positions: tuple[Position, ...]
    repeating: int
    loops: tuple[tuple[int, Position], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "plies": self.plies,
            "positions": list(map(str, self.positions)),
            "repeating": self.repeating,
            "loops": [{"plies": plies, "position": str(position)} for plies, position in self.loops],
        }


@dataclass(frozen=True, slots=True)
class Draws:
    rules: Quixo
    classes: tuple[ClassDraws, ...]
    single: tuple[Position, ...]  # positions of which a single move keeps the draw, with fewest marks
    forced: Forced | None  # None if no position looked at has a single saving move

    def total(self, field: str) -> int:
        """A field of all classes together."""
        return sum(getattr(its, field) for its in self.classes)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "drawn": self.total("drawn"),
            "classes": [asdict(its) for its in self.classes],
            "single": list(map(str, self.single)),
            "forced": self.forced and self.forced.to_json(),
        }


def study_draws(scope: Scope) -> Draws:
    """Look at every move of drawn positions, and at every reply to those that keep the draw.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(2, 4)) as prober:
    ...     found = study_draws(Scope(prober))
    >>> found.total("drawn"), found.total("kept"), found.total("moves")
    (4655, 52980, 59864)
    """
    classes = []
    single: list[Words] = []
    for x, o in scope.classes():
        counts = dict.fromkeys(("drawn", "moves", "kept", "single", "replies", "losing"), 0)
        for words, weights in scope.positions(x, o):
            drawn = scope.values(words) == 0
            words, weights = words[drawn], weights[drawn]
            moves, keeps = _moves(scope, words)
            kept = totals(moves, keeps)
            mover = np.repeat(np.arange(words.size), np.diff(moves.offsets))
            replies, reply_keeps = _moves(scope, moves.words[keeps])
            reply_weights = np.repeat(weights[mover[keeps]], np.diff(replies.offsets))
            for name, count in (("drawn", 1), ("moves", np.diff(moves.offsets)), ("kept", kept)):
                counts[name] += int((weights * count).sum())
            counts["single"] += int(weights[kept == 1].sum())
            counts["replies"] += int(reply_weights.sum())
            counts["losing"] += int(reply_weights[~reply_keeps].sum())
            single.append(scope.board.canonical(words[kept == 1]))
        classes.append(ClassDraws(x, o, class_size(scope.rules, x, o), scope.looked_at(x, o), **counts))
    forced = _forced(scope, np.unique(np.concatenate(single)))
    few = np.unique(next((words for words in single if words.size), np.zeros(0, np.uint64)))
    return Draws(scope.rules, tuple(classes), _positions(scope, few), forced)


def _moves(scope: Scope, words: Words) -> tuple[Moves, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The moves of drawn positions, and which of them keep the draw."""
    moves = scope.moves(words)
    return moves, scope.values(moves.words) == 0


def _forced(scope: Scope, single: Words) -> Forced | None:
    """Follow only moves from positions that have one, as long as the position after them has one too."""
    if not single.size:
        return None
    here, begin, plies = single, single, 0
    ended, longest = single, 0
    while here.size:
        moves, keeps = _moves(scope, here)
        after, plies = scope.board.canonical(moves.words[keeps]), plies + 1
        moves, keeps = _moves(scope, after)
        goes_on = totals(moves, keeps) == 1
        if not goes_on.all():
            ended, longest = begin[~goes_on], plies
        elif np.array_equal(np.unique(after), np.unique(here)):
            break  # they repeat themselves: every position that could drop out has
        here, begin = after[goes_on], begin[goes_on]
    repeating = np.unique(here)
    return Forced(longest, _positions(scope, ended), repeating.size, _loops(scope, repeating))


def _loops(scope: Scope, words: Words) -> tuple[tuple[int, Position], ...]:
    """The lengths of loops of only moves through these positions, sorted, which are all there are."""
    if not words.size:
        return ()
    moves, keeps = _moves(scope, words)
    after = np.searchsorted(words, scope.board.canonical(moves.words[keeps])).tolist()
    lengths: dict[int, int] = {}
    seen = set[int]()
    for first in range(words.size):
        length, at = 0, first
        while at not in seen:
            seen.add(at)
            length, at = length + 1, after[at]
        if length:
            lengths.setdefault(length, first)
    return tuple((length, scope.rules.from_word(int(words[at]))) for length, at in sorted(lengths.items()))


def _positions(scope: Scope, words: Words) -> tuple[Position, ...]:
    return tuple(scope.rules.from_word(word) for word in words[:_EXAMPLES].tolist())
