"""How many positions, counted with X to move, are won, lost and drawn, and in how many plies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.values import Value
from inarow.words import counted


@dataclass(frozen=True, slots=True, repr=False)
class ClassCounts:
    """The positions with x marks of the side to move and o of the other.

    >>> ClassCounts(2, 1, draw=3, by_plies=((1, 20, 0), (4, 0, 7)))
    <ClassCounts x=2 o=1: 20 wins, 7 losses, 3 draws, up to 4 plies>
    """

    x: int
    o: int
    draw: int
    by_plies: tuple[tuple[int | None, int, int], ...]  # plies, wins, losses; one row if plies are not known

    def __repr__(self) -> str:
        states: dict[Value, int] = {"win": self.win, "loss": self.loss, "draw": self.draw}
        return f"<ClassCounts x={self.x} o={self.o}: {_summary(states, self.max_plies)}>"

    @classmethod
    def from_histogram(cls, x: int, o: int, histogram: NDArray[np.uint64]) -> ClassCounts:
        """From the number of positions with each entry; docs/tablebase-format.md defines entries."""
        top = len(histogram) - 1
        draw = top // 2
        losses, wins = histogram[:draw], histogram[:draw:-1]
        rows = np.flatnonzero(losses | wins[:draw])
        return cls(x, o, int(histogram[draw]), tuple((int(p), int(wins[p]), int(losses[p])) for p in rows))

    @classmethod
    def of_outcomes(cls, x: int, o: int, win: int, loss: int, draw: int) -> ClassCounts:
        """Counts without plies."""
        return cls(x, o, draw, ((None, win, loss),))

    def without_plies(self) -> ClassCounts:
        return ClassCounts.of_outcomes(self.x, self.o, self.win, self.loss, self.draw)

    @property
    def has_plies(self) -> bool:
        return all(plies is not None for plies, _, _ in self.by_plies)

    @property
    def win(self) -> int:
        return sum(wins for _, wins, _ in self.by_plies)

    @property
    def loss(self) -> int:
        return sum(losses for _, _, losses in self.by_plies)

    @property
    def states(self) -> int:
        return self.win + self.loss + self.draw

    @property
    def max_plies(self) -> int | None:
        return self.by_plies[-1][0] if self.by_plies else None


@dataclass(frozen=True, slots=True, repr=False)
class Statistics:
    """The counts of all classes of a game, or of those solved so far; classes with many marks come first.

    `statistics[x, o]` are those of the class with x marks of the side to move and o of the other.

    >>> import inarow
    >>> statistics = inarow.solve(inarow.Quixo(3)).statistics
    >>> statistics
    <Statistics of 55 classes: 12,748 wins, 6,935 losses, 0 draws, up to 8 plies>
    >>> statistics[1, 2].win
    92
    """

    classes: tuple[ClassCounts, ...]

    @classmethod
    def of(cls, classes: Iterable[ClassCounts]) -> Statistics:
        return cls(tuple(sorted(classes, key=lambda c: (-c.x - c.o, -c.x))))

    def __getitem__(self, marks: tuple[int, int]) -> ClassCounts:
        """The counts of a class; `KeyError` if it is not there."""
        for counts in self.classes:
            if (counts.x, counts.o) == marks:
                return counts
        raise KeyError(marks)

    def __repr__(self) -> str:
        summary = _summary(self.states, self.max_plies)
        return f"<Statistics of {counted(len(self.classes), 'class')}: {summary}>"

    @property
    def max_plies(self) -> int | None:
        return max((c.max_plies for c in self.classes if c.max_plies is not None), default=None)

    @property
    def states(self) -> dict[Value, int]:
        return {
            "win": sum(c.win for c in self.classes),
            "loss": sum(c.loss for c in self.classes),
            "draw": sum(c.draw for c in self.classes),
        }

    @property
    def by_plies(self) -> Sequence[tuple[int, int, int]]:
        """Rows of plies, wins and losses, without gaps from 0 to the longest, as in Table 3 of the paper.

        There are none if plies are not known.
        """
        rows = 0 if self.max_plies is None else self.max_plies + 1
        wins, losses = [0] * rows, [0] * rows
        for counts in self.classes:
            for plies, won, lost in counts.by_plies:
                if plies is not None:
                    wins[plies] += won
                    losses[plies] += lost
        return list(zip(range(rows), wins, losses, strict=True))

    def to_json(self) -> dict[str, Any]:
        return {
            "states": self.states,
            "by_plies": [{"plies": p, "win": w, "loss": loss} for p, w, loss in self.by_plies],
            "classes": [
                {"x": c.x, "o": c.o, "win": c.win, "loss": c.loss, "draw": c.draw, "max_plies": c.max_plies}
                for c in self.classes
            ],
        }


def _summary(states: dict[Value, int], longest: int | None) -> str:
    """As in "20 wins, 7 losses, 3 draws, up to 4 plies"."""
    parts = [counted(count, value) for value, count in states.items()]
    return ", ".join(parts if longest is None else [*parts, f"up to {counted(longest, 'ply')}"])
