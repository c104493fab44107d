"""The rules of Quixo: positions, moves and their notation.

>>> position = Quixo(4).start().play("a1a4").play("d1a1")
>>> str(position)
'x.../..../..../o... x'
>>> len(position.legal_moves())
30

Words of 64 bits are those of Tanaka, Bonnet, Tixeuil and Tamura, *Quixo Is Solved* (2020, arXiv:2007.15895).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from inarow.errors import InarowError, NotationError
from inarow.quixo.drawing import draw
from inarow.symmetry import image
from inarow.values import Mark, Value, opponent
from inarow.words import listed

if TYPE_CHECKING:
    from inarow._native import quixo as _native

DoubleLine = Literal["loses", "wins", "draws"]

MAX_CELLS = 64  # as many as a mask of the core has bits
MAX_SIDE = 26  # as there are letters for columns
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_HALF = 32  # the X mask stands this many bits above the O mask in a word
_NUMBERS: dict[str, int] = {"loses": -1, "draws": 0, "wins": 1}

# The variants: what each is under the official rules, and what it says.
VARIANTS: dict[str, tuple[bool, str]] = {
    "misere": (False, "A line loses for the side whose marks it has."),
    "wrap": (False, "Lines continue at the opposite edge of the board."),
    "diagonals": (True, "Diagonals are lines, too."),
}


def shapes(most_cells: int | None = None) -> tuple[tuple[int, int], ...]:
    """Rows and columns of every board of up to so many cells; by default, of all that can be solved.

    >>> shapes(8)
    ((2, 2), (2, 3), (2, 4), (3, 2), (4, 2))
    """
    most = _solvable_cells() if most_cells is None else most_cells
    sides = range(2, MAX_SIDE + 1)
    return tuple((rows, columns) for rows in sides for columns in sides if rows * columns <= most)


def _solvable_cells() -> int:
    """Of the largest board that can be solved."""
    from inarow._native.quixo import MAX_CELLS

    return MAX_CELLS


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """Take the tile of cell `taken` and push it in at cell `pushed`, an end of its row or column.

    >>> Quixo(4).move_text(Move(3, 15))
    'a1a4'
    """

    taken: int
    pushed: int


@dataclass(frozen=True, slots=True)
class _Push:
    """What a move does to the tiles: those of `segment` shift `up` bits up and `down` bits down."""

    segment: int
    up: int
    down: int

    def apply(self, mask: int) -> int:
        """The marks after the push: the taken tile has left, and the cell where it goes in is clear."""
        segment = self.segment
        return (mask & ~segment) | ((mask & segment) << self.up >> self.down & segment)


# Cells are numbered from the lower right to the upper left, so that the text of a board, read from its
# top left, gives the bits of a mask from high to low. Here 5x5 and 3x4:
#
#     5 | 24 23 22 21 20
#     4 | 19 18 17 16 15        3 | 11 10  9  8        bit of the mask = number of the cell
#     3 | 14 13 12 11 10        2 |  7  6  5  4        row    = number // columns, from the bottom
#     2 |  9  8  7  6  5        1 |  3  2  1  0        column = number % columns, from the right
#     1 |  4  3  2  1  0          +------------
#       +---------------             a  b  c  d
#          a  b  c  d  e
#
# Of a board of up to 32 cells, a word is 64 bits, the X mask above the O mask:
#
#     63      57 56              32 31      25 24               0
#     [ unused ] [ X cells 24 .. 0] [ unused ] [ O cells 24 .. 0]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Quixo:
    """The rules: the shape of the board, its lines, and who wins when there is one.

    The board is square unless `columns` is given, and a line is as long as the longer side unless `line`
    is. `double_line` is the result for a player whose move leaves lines of both marks on the board:
    "loses" is the official rule.

    Variants: in `misere` a line loses for the side whose marks it has, with `wrap` lines continue at the
    opposite edge of the board, and without `diagonals` only rows and columns count.

    >>> Quixo(5, line=4)
    Quixo(rows=5, columns=5, line=4, double_line='loses')
    >>> print(Quixo(4, 5))
    Quixo 4×5, line 5, double line loses
    >>> print(Quixo(3, misere=True, wrap=True))
    Quixo 3×3, line 3, double line loses, misere, wrap
    """

    rows: int
    columns: int
    line: int
    double_line: DoubleLine
    misere: bool
    wrap: bool
    diagonals: bool

    def __init__(
        self,
        rows: int = 5,
        columns: int | None = None,
        line: int | None = None,
        double_line: DoubleLine = "loses",
        *,
        misere: bool = False,
        wrap: bool = False,
        diagonals: bool = True,
    ) -> None:
        columns = rows if columns is None else columns
        for name, count in (("rows", rows), ("columns", columns)):
            if not isinstance(count, int) or not 2 <= count <= MAX_SIDE:
                raise ValueError(f"{name} {count!r}: must be 2 to {MAX_SIDE}")
        if rows * columns > MAX_CELLS:
            raise ValueError(
                f"a board of {_size_text(rows, columns)} has {rows * columns} cells: "
                f"must be at most {MAX_CELLS}"
            )
        line = max(rows, columns) if line is None else line
        if not isinstance(line, int) or not 2 <= line <= max(rows, columns):
            lengths = listed([str(length) for length in range(2, max(rows, columns) + 1)], "or")
            raise ValueError(f"line {line!r}: must be {lengths} on a board of {_size_text(rows, columns)}")
        if double_line not in _NUMBERS:
            raise ValueError(f"double_line {double_line!r}: must be 'loses', 'wins' or 'draws'")
        variant = {"misere": misere, "wrap": wrap, "diagonals": diagonals}
        for name, value in variant.items():
            if not isinstance(value, bool):
                raise ValueError(f"{name} {value!r}: must be True or False")
        given = {"rows": rows, "columns": columns, "line": line, "double_line": double_line, **variant}
        for field_name, field_value in given.items():
            object.__setattr__(self, field_name, field_value)

    # --- What the rules are called ---

    def __repr__(self) -> str:
        return f"Quixo({', '.join(f'{name}={value!r}' for name, value in self.to_json().items())})"

    def __str__(self) -> str:
        line = f"Quixo {self.size_text}, line {self.line}, double line {self.double_line}"
        return ", ".join([line, *(words.replace("-", " ") for words in self.variant_words)])

    @property
    def variant(self) -> dict[str, bool]:
        """Those of `misere`, `wrap` and `diagonals` that are not as in the official rules."""
        values = {name: getattr(self, name) for name in VARIANTS}
        return {name: value for name, value in values.items() if value != VARIANTS[name][0]}

    @property
    def variant_words(self) -> list[str]:
        """The variant in words, as in "misere" and "no-diagonals"."""
        return [name if value else f"no-{name}" for name, value in self.variant.items()]

    @property
    def options(self) -> str:
        """The options of the command line that ask for these rules.

        >>> Quixo(4, 5, 4, "draws", wrap=True, diagonals=False).options
        '--size 4x5 --line 4 --double-line draws --wrap --no-diagonals'
        """
        options = f"--size {self.rows}" + (f"x{self.columns}" if self.columns != self.rows else "")
        if self.line != max(self.rows, self.columns):
            options += f" --line {self.line}"
        if self.double_line != "loses":
            options += f" --double-line {self.double_line}"
        return options + "".join(f" --{words}" for words in self.variant_words)

    @property
    def size_text(self) -> str:
        """The shape of the board for people to read, as in ``4×5``."""
        return _size_text(self.rows, self.columns)

    @property
    def name(self) -> str:
        """What files are named after, as in ``4x5-line5-loses`` or ``4x4-line4-draws-misere``."""
        usual = f"{self.rows}x{self.columns}-line{self.line}-{self.double_line}"
        return "-".join([usual, *self.variant_words])

    @property
    def code(self) -> int:
        """A byte of file headers: what lines of both marks do, and a bit for each variant."""
        bits = sum(4 << nth for nth, name in enumerate(VARIANTS) if name in self.variant)
        return ("loses", "wins", "draws").index(self.double_line) | bits

    @staticmethod
    def parse_size(text: str) -> tuple[int, int]:
        """Rows and columns of ``4x5``, or of ``4`` for 4×4; `NotationError` if the text is neither."""
        found = re.fullmatch(r"([0-9]{1,3})(?:[xX×]([0-9]{1,3}))?", text)
        if found is None:
            raise NotationError("a size is rows x columns, as in 4x5, or one number for a square", text, 0)
        rows, columns = found[1], found[2] or found[1]
        return int(rows), int(columns)

    def to_json(self) -> dict[str, Any]:
        """The rules as every JSON of the program has them."""
        usual = {name: getattr(self, name) for name in ("rows", "columns", "line", "double_line")}
        return usual | self.variant

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quixo:
        """The rules of `to_json`, among other keys or alone; a square board may be given as its "size".

        `KeyError` names what is missing, `ValueError` what makes no sense.
        """
        square = "size" in data and "rows" not in data
        rows, columns = (data["size"],) * 2 if square else (data["rows"], data["columns"])
        variant = {name: data[name] for name in VARIANTS if name in data}
        return cls(rows, columns, data["line"], data["double_line"], **variant)

    # --- The board ---

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def column_letters(self) -> str:
        """The names of the columns from the left; rows are numbered from 1 at the bottom."""
        return _LETTERS[: self.columns]

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move of the board, whatever its tiles, by cell taken and then by cell pushed in."""
        return _moves(self.rows, self.columns)

    @property
    def lines(self) -> tuple[int, ...]:
        """The masks of all lines: rows, columns, falling and then rising diagonals."""
        return _lines(self.rows, self.columns, self.line, self.wrap, self.diagonals)

    @property
    def ends(self) -> tuple[int, int, int]:
        """What a finished game is worth to the side that moved last: 1 a win, 0 a draw, -1 a loss.

        With lines of its own mark only, of the other's only, and of both.

        >>> Quixo(3).ends, Quixo(3, double_line="draws", misere=True).ends
        ((1, -1, -1), (-1, 1, 0))
        """
        own = -1 if self.misere else 1
        return own, -own, _NUMBERS[self.double_line]

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Where each symmetry of the board takes each cell, in the order of `Position.symmetries`."""
        return _symmetries(self.rows, self.columns)

    def has_line(self, mask: int) -> bool:
        return any(mask & line == line for line in self.lines)

    @property
    def native(self) -> _native.Rules:
        """The same rules for the C++ core: all its functions and classes take them as this one object."""
        return _native_rules(self)

    # --- Notation ---

    def cell_text(self, cell: int) -> str:
        """A column letter from the left and a row number from the bottom."""
        return f"{_LETTERS[self.columns - 1 - cell % self.columns]}{cell // self.columns + 1}"

    def move_text(self, move: Move) -> str:
        """The cell taken and the cell where the tile is pushed in."""
        return self.cell_text(move.taken) + self.cell_text(move.pushed)

    def parse_move(self, text: str) -> Move:
        """The move of a text like ``a1a4``; `NotationError` if there is no such move on this board."""
        taken, second = self._read_cell(text, 0)
        pushed, end = self._read_cell(text, second)
        if end < len(text):
            raise NotationError("a move is two cells, but the text continues", text, end)
        ends = _ends(taken, self.rows, self.columns)
        if taken not in ends:
            raise NotationError("only a tile on the border can be taken", text, 0)
        if pushed == taken:
            raise NotationError("a tile cannot be pushed in where it was taken", text, second)
        if pushed not in ends:
            raise NotationError(f"not an end of the row or column of {text[:second]}", text, second)
        return Move(taken, pushed)

    def _read_cell(self, text: str, place: int) -> tuple[int, int]:
        """The cell that the text names at a place, and where its name ends."""
        end = place + 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
        letter, number = text[place : place + 1], text[place + 1 : end]
        if letter and letter.lower() not in self.column_letters:
            raise NotationError(f"no column {letter!r}; must be a to {self.column_letters[-1]}", text, place)
        if place + 1 >= len(text):
            raise NotationError("a move is two cells, as in a1a2; the text ends early", text, len(text))
        if number not in map(str, range(1, self.rows + 1)):
            wrong = number or text[place + 1]
            raise NotationError(f"no row {wrong!r}; must be 1 to {self.rows}", text, place + 1)
        column = self.columns - 1 - self.column_letters.index(letter.lower())
        return (int(number) - 1) * self.columns + column, end

    # --- Positions ---

    def start(self) -> Position:
        """The empty board with X to move."""
        return Position(self, 0, 0)

    def parse(self, text: str) -> Position:
        """The position in the notation of `Position.parse`, whose board must have this shape."""
        _, _, x, o, turn = _read(text, (self.rows, self.columns))
        return Position(self, x, o, turn)

    def require_solvable(self) -> None:
        """`InarowError` if the board is too large to be solved."""
        most = _solvable_cells()
        if self.cells > most:
            raise InarowError(
                f"a board of {self.size_text} has {self.cells} cells: boards of up to {most} can be solved, "
                "larger ones only played and searched"
            )

    def require_words(self) -> None:
        """`ValueError` if the positions of this board have no words of 64 bits."""
        if self.cells > _HALF:
            raise ValueError(
                f"a board of {self.size_text} has {self.cells} cells: "
                f"only positions of up to {_HALF} are words of 64 bits"
            )

    def from_word(self, word: int, turn: Mark = "x") -> Position:
        """The position of a 64-bit word: the X mask above the O mask."""
        self.require_words()
        if word < 0:
            raise ValueError(f"word {word}: must not be negative")
        return Position(self, word >> _HALF, word & ((1 << _HALF) - 1), turn)


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """A board and the side to move; it never changes.

    `x` and `o` are masks of cells. `last_move` is remembered for drawing and is no part of equality.

    >>> print(Quixo(3).start().play("c2a2").ascii())
     3   .  .  .
     2  [x] . (.)
     1   .  .  .
         a  b  c
    o to move
    last move c2a2: [ ] pushed in, ( ) taken
    """

    rules: Quixo
    x: int
    o: int
    turn: Mark = "x"
    last_move: Move | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _check_marks(self.rules, self.x, self.o)
        if self.turn not in ("x", "o"):
            raise ValueError(f"turn {self.turn!r}: must be 'x' or 'o'")

    # --- Notation ---

    @classmethod
    def parse(
        cls, text: str, line: int | None = None, double_line: DoubleLine = "loses", **variant: bool
    ) -> Position:
        """The position of a text like ``x.../..../..../o... x``, which shows the shape of its board.

        What the text does not show is as in `Quixo`.

        Rows go from top to bottom, cells are ``x``, ``o`` or ``.``, and after a space (or ``_``) comes
        the side to move. Capitals are read too. `NotationError` points at what cannot be read.
        """
        rows, columns, x, o, turn = _read(text)
        return cls(Quixo(rows, columns, line, double_line, **variant), x, o, turn)

    @property
    def text(self) -> str:
        """The position in the notation of `parse`."""
        return f"{self._board_text()} {self.turn}"

    def __str__(self) -> str:
        return self.text

    @property
    def url_text(self) -> str:
        """The text with ``_`` for the space."""
        return f"{self._board_text()}_{self.turn}"

    def __repr__(self) -> str:
        rules = self.rules
        line = "" if rules.line == max(rules.rows, rules.columns) else f", line={rules.line}"
        double = "" if rules.double_line == "loses" else f", double_line={rules.double_line!r}"
        variant = "".join(f", {name}={value}" for name, value in rules.variant.items())
        return f"Position.parse({self.text!r}{line}{double}{variant})"

    def _board_text(self) -> str:
        # The digits of a sum say which mark each cell has: no digit is carried, as a tile has one mark.
        digits = int(f"{self.x:b}") + 2 * int(f"{self.o:b}")
        cells = f"{digits:0{self.rules.cells}d}".translate(_MARKS)
        columns = self.rules.columns
        return "/".join([cells[first : first + columns] for first in range(0, len(cells), columns)])

    def mark_at(self, cell: int) -> Mark | None:
        """The mark of a cell's tile, None if it has none."""
        return "x" if self.x >> cell & 1 else "o" if self.o >> cell & 1 else None

    def ascii(self) -> str:
        """The board in plain text, with the last move marked on it."""
        around = {}
        if self.last_move is not None:
            around = {self.last_move.pushed: ("[", "]"), self.last_move.taken: ("(", ")")}
        columns = self.rules.columns
        lines = []
        for row in reversed(range(self.rules.rows)):
            tiles = ""
            for cell in reversed(range(row * columns, (row + 1) * columns)):
                left, right = around.get(cell, (" ", " "))
                tiles += left + (self.mark_at(cell) or ".") + right
            lines.append(f"{row + 1:2}  {tiles}".rstrip())
        lines.append("     " + "  ".join(self.rules.column_letters))
        winner = self.winner
        lines.append(f"{winner} has won" if winner else "drawn" if self.is_over else f"{self.turn} to move")
        if self.last_move is not None:
            lines.append(f"last move {self.rules.move_text(self.last_move)}: [ ] pushed in, ( ) taken")
        return "\n".join(lines)

    def svg(self, size_px: int = 360) -> str:
        """A drawing of the position, `size_px` wide."""
        return draw(self, size_px=size_px)

    def _repr_svg_(self) -> str:
        return self.svg()

    # --- Play ---

    @property
    def mover(self) -> int:
        """The mask of the side to move."""
        return self.x if self.turn == "x" else self.o

    @property
    def other(self) -> int:
        """The mask of the side that is not to move."""
        return self.o if self.turn == "x" else self.x

    def legal_moves(self) -> tuple[Move, ...]:
        """In the order of `Quixo.moves`; none when the game is over."""
        if self.is_over:
            return ()
        other = self.other
        return tuple(move for move in self.rules.moves if not other >> move.taken & 1)

    def is_legal(self, move: Move) -> bool:
        return self._why_illegal(move) is None

    def play(self, move: Move | str) -> Position:
        """The position after a move or its text; `ValueError` with the reason if it is not legal."""
        if isinstance(move, str):
            move = self.rules.parse_move(move)
        why = self._why_illegal(move)
        if why is not None:
            raise ValueError(why)
        return self._after(move, self._pushes[move], self.mover, self.other)

    def successors(self) -> tuple[tuple[Position, Move], ...]:
        """Every legal move with the position after it, in the order of `legal_moves`."""
        if self.is_over:
            return ()
        mover, other = self.mover, self.other
        return tuple(
            [
                (self._after(move, push, mover, other), move)
                for move, push in self._pushes.items()
                if not other >> move.taken & 1
            ]
        )

    def _why_illegal(self, move: Move) -> str | None:
        if move not in self._pushes:
            return f"no such move on a board of {self.rules.size_text}: {move}"
        if self.is_over:
            return f"move {self.rules.move_text(move)}: the game is over"
        if self.other >> move.taken & 1:
            taken = self.rules.cell_text(move.taken)
            return f"move {self.rules.move_text(move)}: the tile of {taken} is the opponent's"
        return None

    @property
    def is_over(self) -> bool:
        """Whether the game is over: there is a line of either mark."""
        return self.rules.has_line(self.x) or self.rules.has_line(self.o)

    @property
    def winner(self) -> Mark | None:
        """The side that has won; None while the game is not over, and if it is drawn."""
        result = self.result
        if result is None or result == "draw":
            return None
        return self.turn if result == "win" else opponent(self.turn)

    @property
    def result(self) -> Value | None:
        """The result for the side to move; None while the game is not over."""
        mover_line, other_line = self.rules.has_line(self.mover), self.rules.has_line(self.other)
        if not mover_line and not other_line:
            return None
        own, other, both = self.rules.ends  # for the side that moved last
        worth = own if not mover_line else other if not other_line else both
        return "loss" if worth > 0 else "win" if worth < 0 else "draw"

    @property
    def winning_cells(self) -> tuple[int, ...]:
        """The cells of the lines that won, in ascending order; of a draw, those of all lines.

        Where a line loses for its owner they are the loser's. None while the game is not over.
        """
        winner = self.winner
        if winner is None:
            marks = [self.x, self.o]
        else:
            marks = [self.x if (winner == "x") != self.rules.misere else self.o]
        lines = [line for mask in marks for line in self.rules.lines if mask & line == line]
        return tuple(cell for cell in range(self.rules.cells) if any(line >> cell & 1 for line in lines))

    # --- Equivalent positions and numbers ---

    def swap(self) -> Position:
        """The same position with the marks and the side to move exchanged."""
        return Position(self.rules, self.o, self.x, opponent(self.turn), self.last_move)

    def symmetries(self) -> tuple[Position, ...]:
        """The images of the board, this one first: eight of a square, four of another rectangle.

        Turned clockwise by 0, 90, 180 and 270 degrees (0 and 180 if it is no square), then mirrored left
        to right and turned by the same. Images may be equal.
        """
        return tuple(self._image(to) for to in self.rules.symmetries)

    def canonical(self) -> Position:
        """The symmetric image with the smallest `key`."""
        return min(self.symmetries(), key=lambda image: image.key)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of Xs and of Os."""
        return self.x.bit_count(), self.o.bit_count()

    @property
    def mover_word(self) -> int:
        """64 bits: the mask of the side to move above the other's, which in the paper are X and O.

        `ValueError` on a board of more than 32 cells.
        """
        if self.rules.cells > _HALF:
            self.rules.require_words()
        return self.mover << _HALF | self.other

    @property
    def key(self) -> int:
        """The mask of the side to move above the other's: `mover_word`, but on boards of any size."""
        return self.mover << max(_HALF, self.rules.cells) | self.other

    @property
    def _pushes(self) -> dict[Move, _Push]:
        return _pushes(self.rules.rows, self.rules.columns)

    def _after(self, move: Move, push: _Push, mover: int, other: int) -> Position:
        """The position after a legal move; the masks are those of the sides before it."""
        mover, other = push.apply(mover) | 1 << move.pushed, push.apply(other)
        # What a move makes of a sound position needs no check: without, it is made in a third of the time.
        made = object.__new__(Position)
        _set_rules(made, self.rules)
        if self.turn == "x":
            _set_x(made, mover)
            _set_o(made, other)
            _set_turn(made, "o")
        else:
            _set_x(made, other)
            _set_o(made, mover)
            _set_turn(made, "x")
        _set_last_move(made, move)
        return made

    def _image(self, to: tuple[int, ...]) -> Position:
        last = self.last_move
        move = None if last is None else Move(to[last.taken], to[last.pushed])
        return Position(self.rules, image(self.x, to), image(self.o, to), self.turn, move)


_set_rules, _set_x, _set_o, _set_turn, _set_last_move = (
    getattr(Position, name).__set__ for name in Position.__slots__
)


@cache
def _lines(rows: int, columns: int, line: int, wrap: bool, diagonals: bool) -> tuple[int, ...]:
    directions = ((0, 1), (1, 0), (1, 1), (1, -1))
    found: dict[int, None] = {}
    for up, left in directions if diagonals else directions[:2]:
        for cell in range(rows * columns):
            row, column = divmod(cell, columns)
            last_row, last_column = row + up * (line - 1), column + left * (line - 1)
            if not wrap and not (last_row < rows and 0 <= last_column < columns):
                continue
            cells = {
                (row + up * nth) % rows * columns + (column + left * nth) % columns for nth in range(line)
            }
            # On a short side of the board, a line that wraps may come back to where it was.
            if len(cells) == line:
                found[sum(1 << cell for cell in cells)] = None
    return tuple(found)


@cache
def _pushes(rows: int, columns: int) -> dict[Move, _Push]:
    """What each move does, in the order of `Quixo.moves`."""
    pushes = {}
    for taken in range(rows * columns):
        ends = _ends(taken, rows, columns)
        if taken not in ends:
            continue
        for pushed in sorted(ends - {taken}):
            step = 1 if taken // columns == pushed // columns else columns
            low, high = sorted((taken, pushed))
            segment = sum(1 << cell for cell in range(low, high + 1, step))
            up, down = (step, 0) if taken > pushed else (0, step)
            pushes[Move(taken, pushed)] = _Push(segment, up, down)
    return pushes


@cache
def _moves(rows: int, columns: int) -> tuple[Move, ...]:
    return tuple(_pushes(rows, columns))


@cache
def _symmetries(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    cells = range(rows * columns)
    mirrored = tuple(cell - cell % columns + columns - 1 - cell % columns for cell in cells)
    if rows == columns:
        # A clockwise turn makes each column, from the right, the row of the same number from the bottom.
        turn, turns = tuple(cell % rows * rows + rows - 1 - cell // rows for cell in cells), 4
    else:
        turn, turns = tuple(reversed(cells)), 2
    found = []
    for to in (tuple(cells), mirrored):
        for _ in range(turns):
            found.append(to)
            to = tuple(turn[cell] for cell in to)
    return tuple(found)


def _ends(cell: int, rows: int, columns: int) -> set[int]:
    """The ends of the row and of the column of a cell: a cell on the border is one of them."""
    row, column = cell // columns, cell % columns
    return {row * columns, row * columns + columns - 1, column, (rows - 1) * columns + column}


@cache
def _native_rules(rules: Quixo) -> _native.Rules:
    # The rules themselves need no extension module: it is loaded when something has to be computed fast.
    from inarow._native.quixo import Rules

    return Rules(rules.rows, rules.columns, rules.lines, rules.ends)


def _read(text: str, shape: tuple[int, int] | None = None) -> tuple[int, int, int, int, Mark]:
    """The rows, columns, X mask, O mask and side to move of a text, whose board has this shape, if given."""
    end = next((place for place, char in enumerate(text) if char in " _"), len(text))
    for place, char in enumerate(text[:end]):
        if char not in "xoXO./":
            raise NotationError(f"{char!r} is not a cell; must be 'x', 'o' or '.'", text, place)
    texts = text[:end].split("/")
    # The length most rows have, so that one bad row is reported as such and not taken for the shape.
    rows, columns = shape or (len(texts), Counter(map(len, texts)).most_common(1)[0][0])
    board = f"a board of {_size_text(rows, columns)} has"
    if not 2 <= columns <= MAX_SIDE:
        raise NotationError(f"a row of {columns} cells; must be 2 to {MAX_SIDE}", text, len(texts[0]))
    if rows < 2:
        raise NotationError("a board of one row; must be at least 2", text, end)
    if rows * columns > MAX_CELLS:
        raise NotationError(f"{board} {rows * columns} cells; must be at most {MAX_CELLS}", text, end)
    place = 0
    for nth, row in enumerate(texts):
        if nth == rows:
            raise NotationError(f"too many rows; {board} {rows}", text, place - 1)
        if len(row) != columns:
            reason = f"row too {'long' if len(row) > columns else 'short'}; {board} rows of {columns}"
            raise NotationError(reason, text, place + min(len(row), columns))
        place += len(row) + 1
    if len(texts) < rows:
        raise NotationError(f"too few rows; {board} {rows}", text, end)
    side = text[end + 1 : end + 2].lower()
    if not side:
        raise NotationError("the side to move is missing; must be ' x' or ' o' at the end", text, len(text))
    if side not in ("x", "o"):
        raise NotationError(f"{text[end + 1]!r} is not a side; must be 'x' or 'o'", text, end + 1)
    if len(text) > end + 2:
        raise NotationError("the text continues after the side to move", text, end + 2)
    cells = "".join(texts).lower()
    x, o = (int("".join("01"[cell == mark] for cell in cells), 2) for mark in "xo")
    return rows, columns, x, o, "x" if side == "x" else "o"


def _size_text(rows: int, columns: int) -> str:
    return f"{rows}×{columns}"


_MARKS = str.maketrans("012", ".xo")


def _check_marks(rules: Quixo, x: int, o: int) -> None:
    if x >= 0 and o >= 0 and not (x | o) >> rules.cells and not x & o:
        return
    for name, mask in (("X", x), ("O", o)):
        if not 0 <= mask < 1 << rules.cells:
            raise ValueError(f"{name} mask {mask:#x}: a board of {rules.size_text} has {rules.cells} bits")
    raise ValueError(f"X mask {x:#x} and O mask {o:#x}: both have {x & o:#x}, a tile has one mark")
