"""Which positions of Quixo are reachable from the empty board, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inarow._native import quixo as _native
from inarow.errors import InarowError
from inarow.quixo.arrays import as_words
from inarow.quixo.rules import Position, Quixo

MOST_CELLS = 16  # of boards whose positions a CPU walks through

# As the core numbers them.
NO_PREDECESSOR, UNREACHABLE_PREDECESSOR, REACHABLE = 0, 1, 2

KINDS = {
    "no_predecessor": "no move of an unfinished game leads here",
    "unreachable_predecessor": "moves lead here, but only from unreachable positions",
}


@dataclass(frozen=True, slots=True)
class ClassReach:
    """The positions with x marks of the side to move and o of the other."""

    x: int
    o: int
    reachable: int
    no_predecessor: int
    unreachable_predecessor: int

    @property
    def states(self) -> int:
        return self.reachable + self.no_predecessor + self.unreachable_predecessor

    def to_json(self) -> dict[str, int]:
        return {
            "x": self.x,
            "o": self.o,
            "reachable": self.reachable,
            "no_predecessor": self.no_predecessor,
            "unreachable_predecessor": self.unreachable_predecessor,
        }


@dataclass(frozen=True, slots=True)
class Reachability:
    """Counts over all positions with X to move, symmetric ones counted one by one."""

    rules: Quixo
    classes: tuple[ClassReach, ...]
    examples: dict[str, Position]  # of each kind that is not reachable, where there is one

    @property
    def reachable(self) -> int:
        return sum(c.reachable for c in self.classes)

    @property
    def states(self) -> int:
        return sum(c.states for c in self.classes)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "reachable": self.reachable,
            "states": self.states,
            "classes": [c.to_json() for c in self.classes],
            "unreachable": {
                kind: {
                    "states": sum(getattr(c, kind) for c in self.classes),
                    "example": str(self.examples[kind]) if kind in self.examples else None,
                }
                for kind in KINDS
            },
        }


def reachable(rules: Quixo) -> Reachability:
    """Walk forward from the empty board, and find out of each position left whether any move leads to it.

    >>> found = reachable(Quixo(2))
    >>> found.reachable <= found.states == 3**4
    True
    """
    walk = _walk(rules)
    classes = []
    examples: dict[str, Position] = {}
    # The last example found has the fewest marks, and shows best what is wrong with it.
    for marks in range(rules.cells, -1, -1):
        for x in range(marks, -1, -1):
            place = max(x, marks - x), min(x, marks - x), int(x < marks - x)
            counts = walk.counts(*place)
            classes.append(
                ClassReach(
                    x, marks - x, counts[REACHABLE], counts[NO_PREDECESSOR], counts[UNREACHABLE_PREDECESSOR]
                )
            )
            for number, kind in enumerate(KINDS):
                word = walk.example(*place, number) if counts[number] else None
                if word is not None:
                    examples[kind] = rules.from_word(word)
    return Reachability(rules, tuple(sorted(classes, key=lambda c: (c.x + c.o, c.x))), examples)


def reachable_many(rules: Quixo, words: ArrayLike) -> NDArray[np.bool_]:
    """Whether each position, a word as `Position.mover_word` gives it, is reachable from the empty board.

    The first call for some rules walks through all positions: ten seconds for 4×4.

    >>> rules = Quixo(3)
    >>> reachable_many(rules, [rules.start().mover_word, rules.parse(".../.x./... x").mover_word])
    array([ True, False])
    """
    array = as_words(words)
    return _walk(rules).reached(array.ravel()).reshape(array.shape)


@lru_cache(maxsize=1)
def _walk(rules: Quixo) -> _native.Reachable:
    if rules.cells > MOST_CELLS:
        raise InarowError(
            f"reachable positions are counted on boards of up to {MOST_CELLS} cells; a GPU takes larger ones"
        )
    return _native.Reachable(rules.native)
