"""Is it good to take blank tiles? Compares the moves that do with those that move a mark of one's own."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.quixo.arrays import class_size
from inarow.quixo.rules import Quixo
from inarow.quixo.study.scope import Scope, totals

__all__ = ["Blanks", "ClassBlanks", "study_blanks"]


@dataclass(frozen=True, slots=True)
class ClassBlanks:
    """A class: of its positions, those won or drawn with moves of both kinds.

    A move keeps the value if the position is worth as much after it.
    """

    x: int
    o: int
    states: int
    looked_at: int
    positions: int  # of those looked at: won or drawn, with blank tiles and own marks to take
    only_blanks: int  # of these: nothing but taking a blank tile keeps the value
    only_own: int  # nothing but taking an own mark keeps it
    blank_moves: int
    blank_kept: int
    own_moves: int
    own_kept: int


@dataclass(frozen=True, slots=True)
class Blanks:
    rules: Quixo
    classes: tuple[ClassBlanks, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "classes": [asdict(its) for its in self.classes],
        }


def study_blanks(scope: Scope) -> Blanks:
    """Look at every move of positions that are won or drawn, and where there is a choice of what to take.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     first = study_blanks(Scope(prober, most_marks=2)).classes[-2]
    >>> (first.x, first.o), first.positions, first.only_blanks, first.only_own
    ((1, 1), 64, 64, 0)
    """
    taken = np.array([move.taken for move in scope.rules.moves], np.uint64)
    classes = []
    for x, o in scope.classes():
        names = ("positions", "only_blanks", "only_own", "blank_moves", "blank_kept", "own_moves", "own_kept")
        counts = dict.fromkeys(names, 0)
        for words, weights in scope.positions(x, o):
            here = scope.values(words)
            words, weights, here = words[here >= 0], weights[here >= 0], here[here >= 0]
            moves = scope.moves(words)
            mover = np.repeat(np.arange(words.size), np.diff(moves.offsets))
            own = (words[mover] >> (taken[moves.moves] + np.uint64(32)) & np.uint64(1)).astype(bool)
            kept = -scope.values(moves.words) == here[mover]
            own_moves, blank_moves = totals(moves, own), totals(moves, ~own)
            own_kept, blank_kept = totals(moves, own & kept), totals(moves, ~own & kept)
            choice = (own_moves > 0) & (blank_moves > 0)
            for name, count in (
                ("positions", choice),
                ("only_blanks", choice & (own_kept == 0)),
                ("only_own", choice & (blank_kept == 0)),
                ("blank_moves", choice * blank_moves),
                ("blank_kept", choice * blank_kept),
                ("own_moves", choice * own_moves),
                ("own_kept", choice * own_kept),
            ):
                counts[name] += int((weights * count).sum())
        classes.append(ClassBlanks(x, o, class_size(scope.rules, x, o), scope.looked_at(x, o), **counts))
    return Blanks(scope.rules, tuple(classes))
