"""Positional games: boards of up to 128 cells and the lines that win.

X and O alternately mark empty cells; X begins. *Maker-maker*: the first to mark all cells of a line
wins. *Maker-breaker*: only X makes lines, and O wins once X can no longer complete any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import prod

from inarow.errors import NotationError
from inarow.positional.drawing import draw
from inarow.positional.polyominoes import placements, polyomino
from inarow.symmetry import Symmetry, SymmetryKind, image, symmetries
from inarow.values import Mark, Value
from inarow.words import counted

MOST_CELLS = 128

_LONGEST_NUMBER = 9  # digits of a cell; int() refuses texts of many thousands

_FORMS = {
    "mnk": ("mnk:WxHxK", r"([0-9]{1,4})x([0-9]{1,4})x([0-9]{1,4})"),
    "polyomino": ("polyomino:NAME:SIDE", r"([^:]*):([0-9]{1,4})"),
}

# Cells are numbered layer by layer, row by row, from the upper left; bit c of a mask is cell c. Qubic:
#
#      0  1  2  3    16 17 18 19    32 33 34 35    48 49 50 51
#      4  5  6  7    20 21 22 23    36 37 38 39    52 53 54 55
#      8  9 10 11    24 25 26 27    40 41 42 43    56 57 58 59
#     12 13 14 15    28 29 30 31    44 45 46 47    60 61 62 63


def cells_of(mask: int) -> Iterator[int]:
    """The cells of a mask, in order."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


@dataclass(frozen=True, init=False, repr=False)
class Game:
    """The rules: the cells, the lines, and which side may win by them.

    `lines` are sorted masks, none of which contains another: a line that contains a shorter one never
    decides a game, and is dropped. `shape` is (layers, rows, columns); by default, one row.

    >>> print(Game("two corners", 3, [0b011, 0b110]))
    two corners, 3 cells, 2 lines, maker-maker
    """

    name: str
    cells: int
    lines: tuple[int, ...]
    maker_breaker: bool
    shape: tuple[int, int, int]

    def __init__(
        self,
        name: str,
        cells: int,
        lines: Iterable[int],
        maker_breaker: bool = False,
        shape: tuple[int, int, int] | None = None,
    ) -> None:
        if not 1 <= cells <= MOST_CELLS:
            raise ValueError(f"{cells} cells: there must be 1 to {MOST_CELLS}")
        shape = (1, 1, cells) if shape is None else shape
        if len(shape) != 3 or min(shape) < 1 or prod(shape) != cells:
            raise ValueError(f"shape {shape}: must be layers, rows and columns that make {cells} cells")
        minimal: list[int] = []
        for line in sorted(set(lines), key=int.bit_count):
            if not 0 < line < 1 << cells:
                raise ValueError(f"line {line:#x}: must be a mask of some of {cells} cells")
            if not any(line & shorter == shorter for shorter in minimal):
                minimal.append(line)
        if not minimal:
            raise ValueError("lines: there must be at least one")
        values = (name, cells, tuple(sorted(minimal)), bool(maker_breaker), tuple(shape))
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)

    @classmethod
    def named(cls, name: str, maker_breaker: bool | None = None) -> Game:
        """The game of a name; `ValueError` says what is wrong with the name.

        - ``qubic``: four in a row in a cube of 4×4×4.
        - ``mnk:WxHxK``: K in a row, column or diagonal on a board of W columns and H rows.
        - ``polyomino:NAME:SIDE``: a polyomino in any orientation on a square board. NAME is one of
          `inarow.positional.polyominoes.NAMES` or a drawing like ``xx/.x``.

        Polyominoes are maker-breaker and the others maker-maker, unless `maker_breaker` says otherwise.

        >>> Game.named("polyomino:snaky:9")
        <Game polyomino:snaky:9: 81 cells, 320 lines, maker-breaker>
        """
        name = name.strip().lower()
        kind, _, rest = name.partition(":")
        form, pattern = _FORMS.get(kind, ("", ""))
        match = re.fullmatch(pattern, rest)
        if match is None or (not form and name != "qubic"):
            forms = f"of the form {form}" if form else "qubic, mnk:WxHxK or polyomino:NAME:SIDE"
            raise ValueError(f"game {name!r}: must be {forms}")
        if kind == "qubic":
            shape, lines = (4, 4, 4), _in_a_row((4, 4, 4), 4)
        elif kind == "mnk":
            columns, rows, length = map(int, match.groups())
            name = f"mnk:{columns}x{rows}x{length}"
            shape = _shape(name, rows, columns)
            if not 1 < length <= max(rows, columns):
                raise ValueError(f"game {name!r}: in a row must be 2 to {max(rows, columns)}, not {length}")
            lines = _in_a_row(shape, length)
        else:
            animal, side = match[1], int(match[2])
            name = f"polyomino:{animal}:{side}"
            shape = _shape(name, side, side)
            lines = placements(polyomino(animal), side, side)
            if not lines:
                raise ValueError(f"game {name!r}: the polyomino does not fit on a board of side {side}")
        if maker_breaker is None:
            maker_breaker = kind == "polyomino"
        return cls(name, prod(shape), lines, maker_breaker, shape)

    @property
    def rule(self) -> str:
        return "maker-breaker" if self.maker_breaker else "maker-maker"

    def __str__(self) -> str:
        cells, lines = counted(self.cells, "cell"), counted(len(self.lines), "line")
        return f"{self.name}, {cells}, {lines}, {self.rule}"

    def __repr__(self) -> str:
        return f"<Game {str(self).replace(', ', ': ', 1)}>"

    def symmetries(self, kind: SymmetryKind = "full") -> tuple[Symmetry, ...]:
        """The permutations that map lines to lines, as tuples `to`: cell c goes to `to[c]`. Identity first.

        "geometric" are the rotations and reflections of the board, "full" all permutations, as
        `inarow.symmetry.full_symmetries` explains. `ValueError` if they are too many.
        """
        return symmetries(self.shape, self.lines, kind)

    def layout(self, cells: Sequence[str]) -> str:
        """The texts of all cells as a board, layers side by side."""
        layers, rows, columns = self.shape
        return "\n".join(
            "    ".join(
                " ".join(cells[(layer * rows + row) * columns + column] for column in range(columns))
                for layer in range(layers)
            )
            for row in range(rows)
        )

    def wins(self, mask: int) -> bool:
        """Whether the mask holds all cells of a line."""
        return any(mask & line == line for line in self.lines)

    def start(self) -> Position:
        """The empty board."""
        return Position(self, 0, 0)

    def parse(self, text: str) -> Position:
        """The position of a text: ``x``, ``o`` or ``.`` for each cell; ``/`` or a space may separate rows.

        `NotationError` points at what is wrong.

        >>> Game.named("mnk:3x2x2").parse("x../.o.").text
        'x...o.'
        """
        masks = {"x": 0, "o": 0, ".": 0}
        cell = 0
        for place, char in enumerate(text):
            if char == "/" or char.isspace():
                continue
            if char not in masks:
                raise NotationError(f"{char!r} is not a cell; must be 'x', 'o' or '.'", text, place)
            if cell == self.cells:
                raise NotationError(f"too long; the board has {self.cells} cells", text, place)
            masks[char] |= 1 << cell
            cell += 1
        if cell < self.cells:
            raise NotationError(f"{cell} cells; the board has {self.cells}", text, len(text))
        try:
            return Position(self, masks["x"], masks["o"])
        except ValueError as error:
            raise NotationError(str(error), text, 0) from None

    def move_text(self, move: int) -> str:
        """A move as people write it: the number of its cell."""
        return str(move)

    def parse_move(self, text: str) -> int:
        """The cell of a text; `NotationError` points at what is wrong."""
        digits = text.strip()
        if not (digits.isascii() and digits.isdecimal()):
            raise NotationError("a move is the number of a cell", text, len(text) - len(text.lstrip()))
        if len(digits) > _LONGEST_NUMBER or int(digits) >= self.cells:
            reason = f"cell {digits[:_LONGEST_NUMBER]}: the board has cells 0 to {self.cells - 1}"
            raise NotationError(reason, text, text.index(digits))
        return int(digits)


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """An immutable board. `x` and `o` are masks; the number of marks determines the side to move.

    >>> position = Game.named("mnk:3x3x3").start().play(4).play(0)
    >>> position.text, position.turn, len(position.legal_moves())
    ('o...x....', 'x', 7)
    >>> print(position.ascii(move=2))
    o . X
    . x .
    . . .
    x to move
    """

    rules: Game
    x: int
    o: int

    def __post_init__(self) -> None:
        for name, mask in (("X", self.x), ("O", self.o)):
            if not 0 <= mask < 1 << self.rules.cells:
                raise ValueError(f"{name} mask {mask:#x}: the board has {self.rules.cells} cells")
        if self.x & self.o:
            raise ValueError(f"X mask {self.x:#x} and O mask {self.o:#x}: a cell has one mark")
        xs, os = self.x.bit_count(), self.o.bit_count()
        if xs - os not in (0, 1):
            raise ValueError(f"{xs} Xs and {os} Os: X begins, so there are as many or one X more")
        if not self.rules.maker_breaker and self.rules.wins(self.x) and self.rules.wins(self.o):
            raise ValueError("both have a line; the game was over with the first")

    def __repr__(self) -> str:
        return f"<Position {self.rules.name}: {self.text}, {self.status}>"

    # --- Text and drawings ---

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """One character for each cell, in order; `Game.parse` reads it."""
        return "".join(self.mark_at(cell) or "." for cell in range(self.rules.cells))

    @property
    def status(self) -> str:
        """For example "x to move", "o has won" or "drawn"."""
        if not self.is_over:
            return f"{self.turn} to move"
        return f"{self.winner} has won" if self.winner else "drawn"

    def ascii(self, move: int | None = None, numbers: bool = False) -> str:
        """The board as plain text, layers side by side; `numbers` adds a board of cell numbers.

        The cell `move` is shown as a capital: its mark or, if it is empty, the mark of the side to move.
        """
        marks = list(self.text)
        if move is not None:
            marks[move] = self.mark_of_move(move).upper()
        boards = [f"{self.rules.layout(marks)}\n{self.status}"]
        if numbers:
            width = len(str(self.rules.cells - 1))
            boards.append(self.rules.layout([f"{cell:{width}}" for cell in range(self.rules.cells)]))
        return "\n\n".join(boards)

    def svg(self, move: int | None = None, numbers: bool = False) -> str:
        """A drawing, layers side by side, with the cell `move` highlighted."""
        return draw(self, move, numbers=numbers)

    def _repr_svg_(self) -> str:
        return self.svg()

    # --- Play ---

    def mark_at(self, cell: int) -> Mark | None:
        return "x" if self.x >> cell & 1 else "o" if self.o >> cell & 1 else None

    def mark_of_move(self, cell: int) -> Mark:
        """The mark in a cell; if it is empty, the mark that the side to move would put there."""
        self._check_cell(cell)
        return self.mark_at(cell) or self.turn

    @property
    def turn(self) -> Mark:
        return "x" if self.x.bit_count() == self.o.bit_count() else "o"

    @property
    def empty(self) -> int:
        """The mask of the cells without a mark."""
        return (1 << self.rules.cells) - 1 & ~(self.x | self.o)

    def legal_moves(self) -> tuple[int, ...]:
        """The empty cells in order; none when the game is over."""
        return () if self.is_over else tuple(cells_of(self.empty))

    def play(self, move: int | str) -> Position:
        """The position after the side to move marks a cell; `ValueError` says why it may not."""
        cell = self.rules.parse_move(move) if isinstance(move, str) else move
        self._check_cell(cell)
        if mark := self.mark_at(cell):
            raise ValueError(f"cell {cell}: already has an {mark}")
        if self.is_over:
            raise ValueError(f"cell {cell}: the game is over, {self.status}")
        if self.turn == "x":
            return Position(self.rules, self.x | 1 << cell, self.o)
        return Position(self.rules, self.x, self.o | 1 << cell)

    def _check_cell(self, cell: int) -> None:
        if not 0 <= cell < self.rules.cells:
            raise ValueError(f"cell {cell}: the board has cells 0 to {self.rules.cells - 1}")

    @property
    def winner(self) -> Mark | None:
        """The side that has won; None if the game is drawn or not over."""
        if self.rules.wins(self.x):
            return "x"
        if self.rules.maker_breaker:
            return "o" if all(line & self.o for line in self.rules.lines) else None
        return "o" if self.rules.wins(self.o) else None

    @property
    def is_over(self) -> bool:
        """Whether a side has won or no cell is empty."""
        return not self.empty or self.winner is not None

    @property
    def result(self) -> Value | None:
        """For the side to move, once the game is over; None while it is not."""
        if not self.is_over:
            return None
        winner = self.winner
        return "draw" if winner is None else "win" if winner == self.turn else "loss"

    @property
    def winning_cells(self) -> tuple[int, ...]:
        """The cells of the winner's lines, in order; none for a breaker, who wins without a line."""
        of_o = 0 if self.rules.maker_breaker else self.o
        mask = {"x": self.x, "o": of_o, None: 0}[self.winner]
        cells = 0
        for line in self.rules.lines:
            cells |= line if mask & line == line else 0
        return tuple(cells_of(cells))

    # --- Equivalent positions ---

    def image(self, to: Symmetry) -> Position:
        """The position that a symmetry maps this one to."""
        return Position(self.rules, image(self.x, to), image(self.o, to))

    def symmetries(self, kind: SymmetryKind = "full") -> tuple[Position, ...]:
        """The images under the game's symmetries, in the same order: this one first. Some may be equal."""
        return tuple(self.image(to) for to in self.rules.symmetries(kind))

    def canonical(self, kind: SymmetryKind = "full") -> Position:
        """The image with the smallest (x, o)."""
        images = ((image(self.x, to), image(self.o, to)) for to in self.rules.symmetries(kind))
        return Position(self.rules, *min(images))


def _in_a_row(shape: tuple[int, int, int], length: int) -> tuple[int, ...]:
    """The masks of all straight lines of `length` cells in a box."""
    lines = []
    for step in product((-1, 0, 1), repeat=3):
        if step <= (0, 0, 0):
            continue  # no step, or the opposite of another
        for start in product(*map(range, shape)):
            end = [at + (length - 1) * by for at, by in zip(start, step, strict=True)]
            if all(0 <= at < size for at, size in zip(end, shape, strict=True)):
                first, by = _cell(start, shape), _cell(step, shape)
                lines.append(sum(1 << first + nth * by for nth in range(length)))
    return tuple(lines)


def _cell(place: tuple[int, ...], shape: tuple[int, int, int]) -> int:
    layer, row, column = place
    return (layer * shape[1] + row) * shape[2] + column


def _shape(name: str, rows: int, columns: int) -> tuple[int, int, int]:
    if not 1 <= rows * columns <= MOST_CELLS:
        raise ValueError(f"game {name!r}: {rows * columns} cells, there must be 1 to {MOST_CELLS}")
    return 1, rows, columns
