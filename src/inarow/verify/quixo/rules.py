"""The rules of a table, as the checker reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from inarow._native.verify_quixo import Game
from inarow.errors import DamagedFile
from inarow.verify.quixo.json_fields import field

Pair: TypeAlias = tuple[int, int]  # the classes with a and b marks, a ≥ b


@dataclass(frozen=True)
class Rules:
    """Quixo on a board of some rows and columns, with `line` marks in a row.

    :raises ValueError: if there are no such rules.
    """

    rows: int
    columns: int
    line: int
    double_line: str  # what a move that completes lines of both marks does: "loses" or "wins"

    def __post_init__(self) -> None:
        if self.double_line not in ("loses", "wins"):
            raise ValueError(f"double_line must be loses or wins, not {self.double_line!r}")
        sides = self.rows, self.columns
        # Before the board is made, which for nonsense could take all memory.
        if min(sides) < 2 or self.cells > 25 or not 2 <= self.line <= max(sides):
            raise ValueError(f"no such board: {self.rows} rows, {self.columns} columns, line {self.line}")

    @classmethod
    def from_json(cls, data: Any, file: str) -> Rules:
        """The rules in a JSON object; tables of version 0.1 have `size` in place of rows and columns.

        :raises DamagedFile: if there are none; the message names `file`.
        """
        names = ("rows", "columns") if isinstance(data, dict) and "rows" in data else ("size", "size")
        rows, columns = (field(data, name, int, file) for name in names)
        try:
            return cls(rows, columns, field(data, "line", int, file), field(data, "double_line", str, file))
        except ValueError as error:
            raise DamagedFile(f"{file}: {error}") from None

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "columns": self.columns,
            "line": self.line,
            "double_line": self.double_line,
        }

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @cached_property
    def game(self) -> Game:
        """The same rules in C++."""
        return Game(self.rows, self.columns, self.line, self.double_line == "wins")

    def pairs(self) -> Iterator[Pair]:
        """All pairs of classes, those with more marks first."""
        for marks in range(self.cells, -1, -1):
            for b in range(marks // 2 + 1):
                yield marks - b, b

    def pairs_above(self, a: int, b: int) -> tuple[Pair | None, Pair | None]:
        """The pairs that a new mark leads to: {a + 1, b} and {a, b + 1}, if they exist."""
        if a + b == self.cells:
            return None, None
        return (a + 1, b), (a, b + 1) if a > b else None

    def position_text(self, mover: int, other: int) -> str:
        """A position in notation: rows from the top, x to move."""
        cells = ["x" if mover >> k & 1 else "o" if other >> k & 1 else "." for k in range(self.cells)][::-1]
        rows = ("".join(cells[first : first + self.columns]) for first in range(0, self.cells, self.columns))
        return "/".join(rows) + " x"
