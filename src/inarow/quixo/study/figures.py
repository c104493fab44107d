"""The positions that the captions of Figures 7 and 9 of "Quixo Is Solved" describe, all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inarow.errors import MissingTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Scope, Words
from inarow.values import Value

__all__ = ["Figure", "Figures", "study_figures"]

_EXAMPLES = 24
_AT_ONCE = 1 << 18  # positions whose moves are listed together


@dataclass(frozen=True, slots=True)
class Figure:
    """The positions that fit a caption, up to symmetry: how many there are, and the first of them.

    `marks` is the number of marks in each where the caption asks for the fewest.
    """

    caption: str
    value: Value | None
    marks: int | None
    count: int
    positions: tuple[Position, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "caption": self.caption,
            "value": self.value,
            "marks": self.marks,
            "count": self.count,
            "positions": list(map(str, self.positions)),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """None of a figure if nothing that was looked at fits its caption.

    `decided` is that of 7b, the fewest marks of a position that is won or lost and arises if both sides take
    blank tiles only. `balanced_loss` is that of 7c, with as many marks of either side: the fewest of any
    that is lost; `balanced_loss_from_blanks`, as the Japanese text has it (7b there), the fewest of one that
    arises if both sides take blank tiles only. `returning` is that of 9d: draws to which, whatever move keeps
    the draw, the other side can return, perhaps turned or mirrored.
    """

    rules: Quixo
    decided: Figure | None
    balanced_loss: Figure | None
    balanced_loss_from_blanks: Figure | None
    returning: Figure | None

    def to_json(self) -> dict[str, Any]:
        figures = ("decided", "balanced_loss", "balanced_loss_from_blanks", "returning")
        found = {name: getattr(self, name) for name in figures}
        return {
            "game": "quixo",
            **self.rules.to_json(),
            **{name: figure and figure.to_json() for name, figure in found.items()},
        }


def study_figures(scope: Scope) -> Figures:
    """Find the positions of the captions among those that a scope looks at.

    Those with fewest marks are looked for in whole classes, those of 9d in samples if the scope asks for it.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(2, 4)) as prober:
    ...     found = study_figures(Scope(prober))
    >>> found.decided and (found.decided.marks, found.decided.count)
    (6, 14)
    """
    decided, lost = _from_blanks(scope)
    everything = replace(scope, sample=None)  # what has fewest marks is found before there are too many
    return Figures(scope.rules, decided, _balanced_loss(everything), lost, _returning(scope))


def _figure(scope: Scope, caption: str, value: Value | None, marks: int | None, words: Words) -> Figure:
    first = tuple(scope.rules.from_word(word) for word in words[:_EXAMPLES].tolist())
    return Figure(caption, value, marks, words.size, first)


def _from_blanks(scope: Scope) -> tuple[Figure | None, Figure | None]:
    """What is decided with fewest marks, and what is balanced and lost, where only blank tiles were taken."""
    rules = scope.rules
    decided: Figure | None = None
    here = np.array([rules.start().mover_word], np.uint64)
    most = rules.cells if scope.most_marks is None else min(scope.most_marks, rules.cells)
    for marks in range(most + 1):
        here = here[~scope.board.over(here)]
        values = scope.values(here)
        if decided is None and values.any():
            worth: Value | None = "win" if (values >= 0).all() else "loss" if (values <= 0).all() else None
            caption = "decided, with fewest marks, if both sides take blank tiles only"
            decided = _figure(scope, caption, worth, marks, here[values != 0])
        if marks % 2 == 0 and (values < 0).any():
            caption = "lost with as many marks of either side, if both sides take blank tiles only"
            return decided, _figure(scope, caption, "loss", marks, here[values < 0])
        here = _after_taking_blanks(scope, here)
    return decided, None


def _after_taking_blanks(scope: Scope, words: Words) -> Words:
    """The positions after all moves that take a blank tile, each once up to symmetry."""
    taken = np.array([move.taken for move in scope.rules.moves], np.uint64)
    found = [np.zeros(0, np.uint64)]
    for first in range(0, words.size, _AT_ONCE):
        here = words[first : first + _AT_ONCE]
        moves = scope.moves(here)
        mover = np.repeat(here, np.diff(moves.offsets))
        blank = (mover | mover >> np.uint64(32)) >> taken[moves.moves] & np.uint64(1) == 0
        found.append(np.unique(scope.board.canonical(moves.words[blank])))
    return np.unique(np.concatenate(found))


def _balanced_loss(scope: Scope) -> Figure | None:
    for x, o in scope.classes():
        if x != o or not _has_losses(scope, x, o):
            continue
        lost = [words[scope.values(words) < 0] for words, _ in scope.positions(x, o)]
        found = np.unique(scope.board.canonical(np.concatenate([np.zeros(0, np.uint64), *lost])))
        if found.size:
            return _figure(scope, "lost with as many marks of either side", "loss", x + o, found)
    return None


def _has_losses(scope: Scope, x: int, o: int) -> bool:
    """Whether any position of a class is lost, as far as that is known without looking."""
    try:
        return scope.prober.statistics[x, o].loss > 0
    except MissingTable:
        return True


def _returning(scope: Scope) -> Figure | None:
    found = [np.zeros(0, np.uint64)]
    for x, o in scope.classes():
        for words, _ in scope.positions(x, o):
            drawn = np.unique(scope.board.canonical(words[scope.values(words) == 0]))
            moves = scope.moves(drawn)
            keeps = scope.values(moves.words) == 0
            mover = np.repeat(np.arange(drawn.size), np.diff(moves.offsets))[keeps]
            replies = scope.moves(moves.words[keeps])
            nth = np.repeat(np.arange(mover.size), np.diff(replies.offsets))
            back = scope.board.canonical(replies.words) == drawn[mover[nth]]
            returns = np.zeros(mover.size, bool)
            returns[nth[back]] = True
            missed = np.zeros(drawn.size, bool)
            missed[mover[~returns]] = True
            found.append(drawn[~missed])
    words = np.concatenate(found)
    if not words.size:
        return None
    return _figure(scope, "draws to which the other side can always return", "draw", None, words)
