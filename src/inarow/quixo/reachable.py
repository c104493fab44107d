"""Which positions of Quixo are reachable from the empty board, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow._native import quixo as _native
from inarow.errors import InarowError
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.needs import QUICK_CELLS
from inarow.quixo.table.pairs import pairs_of

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
    """Walk forward from the empty board, and find out of each position left whether any move leads to it."""
    if rules.cells > QUICK_CELLS:
        raise InarowError(f"reachable positions are counted on boards of up to {QUICK_CELLS} cells")
    walk = _native.Reachable(rules.native)
    classes = []
    examples: dict[str, Position] = {}
    for a, b in pairs_of(rules):
        for plane, (x, o) in enumerate([(a, b)] if a == b else [(a, b), (b, a)]):
            counts = walk.counts(a, b, plane)
            classes.append(
                ClassReach(x, o, counts[REACHABLE], counts[NO_PREDECESSOR], counts[UNREACHABLE_PREDECESSOR])
            )
            # The last example found has the fewest marks, and shows best what is wrong with it.
            for number, kind in enumerate(KINDS):
                word = walk.example(a, b, plane, number) if counts[number] else None
                if word is not None:
                    examples[kind] = rules.from_word(word)
    return Reachability(rules, tuple(sorted(classes, key=lambda c: (c.x + c.o, c.x))), examples)
