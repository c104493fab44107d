"""Is it ever bad to have the move? Counts positions where passing would be better than every move."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.quixo.arrays import class_size
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Scope, swapped
from inarow.values import Value

__all__ = ["ClassPassing", "Passing", "study_passing"]

_EXAMPLES = 24
_VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True, slots=True)
class ClassPassing:
    """A class, by what its positions are to the side to move, and what they would be if it passed."""

    x: int
    o: int
    states: int
    looked_at: int
    unfinished: int  # of those looked at
    loss_to_draw: int
    loss_to_win: int
    draw_to_win: int

    @property
    def better(self) -> int:
        """Positions where passing would be better than every move."""
        return self.loss_to_draw + self.loss_to_win + self.draw_to_win


@dataclass(frozen=True, slots=True)
class Example:
    """A position where passing would be better: its value, and that after passing."""

    position: Position
    value: Value
    passing: Value


@dataclass(frozen=True, slots=True)
class Passing:
    rules: Quixo
    classes: tuple[ClassPassing, ...]
    examples: tuple[Example, ...]  # up to symmetry, those with fewest marks first

    def total(self, field: str) -> int:
        """A field of all classes together."""
        return sum(getattr(its, field) for its in self.classes)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "better": self.total("better"),
            "looked_at": self.total("looked_at"),
            "classes": [{**asdict(its), "better": its.better} for its in self.classes],
            "examples": [
                {"position": str(its.position), "value": its.value, "passing": its.passing}
                for its in self.examples
            ],
        }


def study_passing(scope: Scope) -> Passing:
    """Compare every position that is not over with the same board and the other side to move.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     study_passing(Scope(prober)).total("better")
    0
    """
    classes: list[ClassPassing] = []
    examples: list[Example] = []
    for x, o in scope.classes():
        counts = dict.fromkeys(("unfinished", "loss_to_draw", "loss_to_win", "draw_to_win"), 0)
        for words, weights in scope.positions(x, o):
            here, passing = scope.values(words), -scope.values(swapped(words))
            counts["unfinished"] += int(weights.sum())
            for value, passed in ((-1, 0), (-1, 1), (0, 1)):
                found = (here == value) & (passing == passed)
                counts[f"{_VALUES[value]}_to_{_VALUES[passed]}"] += int(weights[found].sum())
                wanted = max(0, _EXAMPLES - len(examples))
                examples += [
                    Example(scope.rules.from_word(word), _VALUES[value], _VALUES[passed])
                    for word in np.unique(scope.board.canonical(words[found]))[:wanted].tolist()
                ]
        classes.append(ClassPassing(x, o, class_size(scope.rules, x, o), scope.looked_at(x, o), **counts))
    return Passing(scope.rules, tuple(classes), tuple(examples))
