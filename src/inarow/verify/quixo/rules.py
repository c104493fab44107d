"""The rules of a table, as the checker reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from inarow._native.verify_quixo import DRAW, LOST, MAX_CELLS, WON, Game
from inarow.errors import DamagedFile
from inarow.verify.quixo.reading import field, fields

# What lines of both marks are worth to the side to move: the other side made them.
_DOUBLE_LINES = {"loses": WON, "wins": LOST, "draws": DRAW}
_VARIANTS = ("misere", "wrap", "diagonals")  # in JSON and in the code only where they are not as usual
Pair: TypeAlias = tuple[int, int]  # the classes with a and b marks, a ≥ b


@dataclass(frozen=True)
class Rules:
    """Quixo on a board of some rows and columns, with `line` marks in a row.

    :raises ValueError: if there are no such rules.
    """

    rows: int
    columns: int
    line: int
    double_line: str  # what a move that completes lines of both marks does: "loses", "wins" or "draws"
    misere: bool = False  # a line loses for its owner
    wrap: bool = False  # lines go on at the opposite edge
    diagonals: bool = True  # are lines, too

    def __post_init__(self) -> None:
        if self.double_line not in _DOUBLE_LINES:
            raise ValueError(f"double_line must be loses, wins or draws, not {self.double_line!r:.40}")
        sides = self.rows, self.columns
        # Before the board is made, which for nonsense could take all memory.
        if min(sides) < 2 or self.cells > MAX_CELLS or not 2 <= self.line <= max(sides):
            numbers = f"{self.rows} rows, {self.columns} columns, line {self.line}"
            raise ValueError(f"no such board: {numbers:.80}")

    @classmethod
    def from_json(cls, data: Any, file: str) -> Rules:
        """
        :raises DamagedFile: if there are no rules in the JSON object; the message names `file`.
        """
        board = fields(data, file, rows=int, columns=int, line=int, double_line=str)
        variant: Any = {name: field(data, name, bool, file) for name in _VARIANTS if name in data}
        try:
            return cls(*board, **variant)
        except ValueError as error:
            raise DamagedFile(f"{file}: {error}") from None

    def to_json(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in _VARIANTS or value != getattr(Rules, name)
        }

    @property
    def code(self) -> int:
        """The byte of a file's header that says which lines count, and what they do."""
        variant = (getattr(self, name) != getattr(Rules, name) for name in _VARIANTS)
        code = list(_DOUBLE_LINES).index(self.double_line)
        return code | sum(4 << nth for nth, differs in enumerate(variant) if differs)

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @cached_property
    def game(self) -> Game:
        """The rules as the checker in C++ takes them: lines, and what they are worth."""
        mine, theirs = (LOST, WON) if self.misere else (WON, LOST)
        return Game(self.rows, self.columns, self._lines(), mine, theirs, _DOUBLE_LINES[self.double_line])

    def _lines(self) -> list[int]:
        lines = set()
        for row, column in product(range(self.rows), range(self.columns)):
            for up, left in ((0, 1), (1, 0), (1, 1), (1, -1)) if self.diagonals else ((0, 1), (1, 0)):
                run = [(row + up * nth, column + left * nth) for nth in range(self.line)]
                cells = {(up % self.rows, left % self.columns) for up, left in run}
                # One that comes back to a cell before it is long enough is none.
                if len(cells) == self.line and (self.wrap or cells == set(run)):
                    lines.add(sum(1 << up * self.columns + left for up, left in cells))
        return sorted(lines)

    def pairs(self) -> Iterator[Pair]:
        """All pairs of classes, those with more marks first."""
        for marks in range(self.cells, -1, -1):
            for b in range(marks // 2 + 1):
                yield marks - b, b

    def pairs_above(self, pair: Pair) -> tuple[Pair | None, Pair | None]:
        """The pairs that a new mark leads to: {a + 1, b} and {a, b + 1}, if they exist."""
        a, b = pair
        if a + b == self.cells:
            return None, None
        return (a + 1, b), (a, b + 1) if a > b else None

    def entry_count(self, pair: Pair) -> int:
        """The entries of a pair, in all planes that are stored."""
        return self.game.of_plane(*pair) * len(planes_of(pair))

    def position_text(self, word: int) -> str:
        """A position in notation: rows from the top, x to move."""
        cells = ["x" if word >> 32 >> k & 1 else "o" if word >> k & 1 else "." for k in range(self.cells)]
        rows = ("".join(cells[first : first + self.columns]) for first in range(0, self.cells, self.columns))
        return "/".join(rows)[::-1] + " x"


def planes_of(pair: Pair) -> range:
    """The planes that are stored: with as many marks on both sides, the second would be the first again."""
    return range(1 if pair[0] == pair[1] else 2)


def text_of(pair: Pair) -> str:
    return f"{{{pair[0]}, {pair[1]}}}"
