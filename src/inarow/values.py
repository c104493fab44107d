"""The vocabulary of all games: marks, and values from the view of the side to move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mark = Literal["x", "o"]
Value = Literal["win", "draw", "loss"]

OPPOSITE: dict[Value, Value] = {"win": "loss", "draw": "draw", "loss": "win"}
"""What a value is to the other side."""

VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}  # as the core numbers them
NUMBERS: dict[Value, int] = {value: number for number, value in VALUES.items()}


def opponent(mark: Mark) -> Mark:
    return "o" if mark == "x" else "x"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The value of a position for the side to move, and how many plies it takes; None for a draw.

    >>> print(Outcome("win", 7), Outcome("draw", None), sep=", ")
    win in 7, draw
    """

    value: Value
    plies: int | None

    def __str__(self) -> str:
        return self.value if self.plies is None else f"{self.value} in {self.plies}"
