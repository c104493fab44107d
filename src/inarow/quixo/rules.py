"""The rules of Quixo: positions, moves and their notation.

>>> position = Quixo(size=4).start().play("a1a4").play("d1a1")
>>> str(position)
'x.../..../..../o... x'
>>> len(position.legal_moves())
30

Indices and 64-bit words follow Tanaka, Bonnet, Tixeuil and Tamura, *Quixo Is Solved* (2020,
arXiv:2007.15895), called "the paper" below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import comb
from typing import Literal

from inarow.errors import NotationError
from inarow.values import Mark, opponent

__all__ = ["DoubleLine", "Move", "Position", "Quixo", "order", "unorder"]

DoubleLine = Literal["loses", "wins"]

SIZES = (2, 3, 4, 5)
COLUMNS = "abcde"
_HALF = 32  # the X mask stands this many bits above the O mask in a word


def order(mask: int) -> int:
    """The rank of a mask among the numbers with as many bits set: the paper's ``ord``.

    >>> [order(mask) for mask in (0b0011, 0b0101, 0b0110, 0b1001)]
    [0, 1, 2, 3]
    """
    if mask < 0:
        raise ValueError(f"mask {mask}: must not be negative")
    # Bit p as the nth one set stands above the comb(p, n) ways to put n bits below it.
    return sum(comb(bit, nth) for nth, bit in enumerate(_bits(mask), start=1))


def unorder(pop: int, ord: int) -> int:
    """The mask with `pop` bits set and rank `ord`: the inverse of `order`.

    >>> [f"{unorder(2, rank):04b}" for rank in range(6)]
    ['0011', '0101', '0110', '1001', '1010', '1100']
    """
    if pop < 0 or ord < 0:
        raise ValueError(f"pop {pop}, ord {ord}: neither may be negative")
    if pop == 0 and ord > 0:
        raise ValueError(f"ord {ord}: with pop 0 there is only ord 0")
    mask = 0
    for nth in range(pop, 0, -1):
        bit = nth - 1
        while comb(bit + 1, nth) <= ord:
            bit += 1
        ord -= comb(bit, nth)
        mask |= 1 << bit
    return mask


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """Take the tile of cell `taken` and push it in at cell `pushed`, an end of its row or column.

    >>> Move.parse("a1a4", size=4)
    Move(taken=3, pushed=15)
    >>> Move(3, 15).text(size=4)
    'a1a4'
    """

    taken: int
    pushed: int

    def text(self, size: int) -> str:
        """The two cells, each a column letter from the left and a row number from the bottom."""
        return _cell_text(self.taken, size) + _cell_text(self.pushed, size)

    @classmethod
    def parse(cls, text: str, size: int) -> Move:
        """The move that `text` names on a board of this size; `NotationError` if there is none."""
        if size not in SIZES:
            raise ValueError(f"size {size!r}: must be one of {_listed(SIZES)}")
        taken, pushed = _read_cell(text, 0, size), _read_cell(text, 2, size)
        if len(text) > 4:
            raise NotationError("a move is two cells, but the text goes on", text, 4)
        if not _is_border(taken, size):
            raise NotationError("only a tile of the border can be taken", text, 0)
        if pushed == taken:
            raise NotationError("a tile cannot go back in where it was taken", text, 2)
        if pushed not in _ends(taken, size):
            raise NotationError(f"not an end of the row or column of {text[:2]}", text, 2)
        return cls(taken, pushed)


@dataclass(frozen=True, slots=True)
class _Push:
    """What a move does to the tiles: those of `segment` go `shift` bits up (or down if negative)."""

    segment: int
    shift: int

    def apply(self, mask: int) -> int:
        """The marks after the push; the tile at the hole end falls out, the other end is left clear."""
        return self._slide(mask, self.shift)

    def undo(self, mask: int) -> int:
        return self._slide(mask, -self.shift)

    def _slide(self, mask: int, shift: int) -> int:
        inside = mask & self.segment
        inside = inside << shift if shift > 0 else inside >> -shift
        return (mask & ~self.segment) | (inside & self.segment)


@dataclass(frozen=True, slots=True)
class _Geometry:
    """What depends only on the size of the board and the length of a line."""

    pushes: dict[Move, _Push]  # in the order of Quixo.moves
    moves: tuple[Move, ...]
    lines: tuple[int, ...]
    symmetries: tuple[tuple[int, ...], ...]  # cell -> cell, in the order of Position.symmetries


# The cells are numbered from the lower right to the upper left, so that the text of a board, read
# from its top left, gives the bits of a mask from high to low. For 5x5:
#
#     5 | 24 23 22 21 20
#     4 | 19 18 17 16 15        bit of the mask = number of the cell
#     3 | 14 13 12 11 10        row    = number // 5, from the bottom
#     2 |  9  8  7  6  5        column = number % 5, from the right
#     1 |  4  3  2  1  0
#       +---------------
#          a  b  c  d  e
#
# A word is 64 bits, the X mask above the O mask:
#
#     63      57 56              32 31      25 24               0
#     [ unused ] [ X cells 24 .. 0] [ unused ] [ O cells 24 .. 0]


@dataclass(frozen=True, slots=True, init=False)
class Quixo:
    """The rules: the size of the board, the length of a line, and who wins when both have one.

    `line` is `size` unless said. `double_line` says what becomes of the player whose move leaves
    lines of both marks: "loses" is the official rule.

    >>> Quixo(size=5, line=4)
    Quixo(size=5, line=4, double_line='loses')
    """

    size: int
    line: int
    double_line: DoubleLine

    def __init__(self, size: int = 5, line: int | None = None, double_line: DoubleLine = "loses") -> None:
        if not isinstance(size, int) or size not in SIZES:
            raise ValueError(f"size {size!r}: must be one of {_listed(SIZES)}")
        line = size if line is None else line
        # Two in a row is kept for the board where it is the whole row.
        lengths = range(min(3, size), size + 1)
        if not isinstance(line, int) or line not in lengths:
            raise ValueError(f"line {line!r}: must be {_listed(lengths)} on a board of size {size}")
        if double_line not in ("loses", "wins"):
            raise ValueError(f"double_line {double_line!r}: must be 'loses' or 'wins'")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "double_line", double_line)

    @property
    def cells(self) -> int:
        return self.size * self.size

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move of the board, whatever its tiles, by cell taken and then by cell pushed in."""
        return _geometry(self.size, self.line).moves

    @property
    def lines(self) -> tuple[int, ...]:
        """The masks of all lines: rows, columns, falling and then rising diagonals."""
        return _geometry(self.size, self.line).lines

    def has_line(self, mask: int) -> bool:
        return any(mask & line == line for line in self.lines)

    def start(self) -> Position:
        """The empty board with X to move."""
        return Position(self, 0, 0)

    def parse(self, text: str) -> Position:
        """The position in the notation of `Position.parse`, whose board must have this size."""
        _, x, o, turn = _read_board(text, self.size)
        return Position(self, x, o, turn)

    def from_word(self, word: int, turn: Mark = "x") -> Position:
        """The position of a 64-bit word: the X mask above the O mask.

        >>> str(Quixo(size=2).from_word((0b1000 << 32) | 0b0001))
        'x./.o x'
        """
        if word < 0:
            raise ValueError(f"word {word}: must not be negative")
        return Position(self, word >> _HALF, word & ((1 << _HALF) - 1), turn)

    def index(self, x_mask: int, o_mask: int) -> int:
        """The number of a board in its class, those with as many Xs and as many Os (equation 1)."""
        _check_marks(self, x_mask, o_mask)
        free = self.cells - x_mask.bit_count()
        return order(x_mask) * comb(free, o_mask.bit_count()) + order(_squeeze(o_mask, x_mask))

    def from_index(self, x: int, o: int, index: int) -> Position:
        """The position with X to move whose board has this number in the class of x Xs and o Os.

        >>> position = Quixo(size=3).from_index(2, 1, 100)
        >>> str(position), position.paper_index
        ('.../xx./o.. x', 100)
        """
        if x < 0 or o < 0 or x + o > self.cells:
            raise ValueError(f"class of {x} Xs and {o} Os: there are {self.cells} cells")
        o_boards = comb(self.cells - x, o)
        boards = comb(self.cells, x) * o_boards
        if not 0 <= index < boards:
            raise ValueError(f"index {index}: the class of {x} Xs and {o} Os has indices 0 to {boards - 1}")
        x_mask = unorder(x, index // o_boards)
        return Position(self, x_mask, _spread(unorder(o, index % o_boards), x_mask))


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """A board and the side to move; it never changes.

    `x` and `o` are masks of cells. `last_move` is remembered for drawing and is no part of equality.

    >>> position = Position.parse("x../.o./..x o")
    >>> print(position.ascii())
     3   x  .  .
     2   .  o  .
     1   .  .  x
         a  b  c
    o to move
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
    def parse(cls, text: str, line: int | None = None, double_line: DoubleLine = "loses") -> Position:
        """The position of a text like ``x.../..../..../o... x``; the size is that of its board.

        Rows go from top to bottom, cells are ``x``, ``o`` or ``.``, and after a space (or ``_``) comes
        the side to move. Capitals are read too. `NotationError` points at what cannot be read.
        """
        size, x, o, turn = _read_board(text, None)
        return cls(Quixo(size, line, double_line), x, o, turn)

    def __str__(self) -> str:
        return f"{self._board_text()} {self.turn}"

    @property
    def url_text(self) -> str:
        """The text with ``_`` for the space."""
        return f"{self._board_text()}_{self.turn}"

    def __repr__(self) -> str:
        line = "" if self.rules.line == self.rules.size else f", line={self.rules.line}"
        double = "" if self.rules.double_line == "loses" else f", double_line={self.rules.double_line!r}"
        return f"Position.parse({str(self)!r}{line}{double})"

    def _board_text(self) -> str:
        size = self.rules.size
        return "/".join(
            "".join(self.mark_at(row * size + column) or "." for column in reversed(range(size)))
            for row in reversed(range(size))
        )

    def mark_at(self, cell: int) -> Mark | None:
        """The mark of a cell's tile, None if it has none."""
        return "x" if self.x >> cell & 1 else "o" if self.o >> cell & 1 else None

    def ascii(self) -> str:
        """The board in plain text, with the last move marked on it.

        >>> print(Quixo(size=3).start().play("c2a2").ascii())
         3   .  .  .
         2  [x] . (.)
         1   .  .  .
             a  b  c
        o to move
        last move c2a2: [ ] pushed in, ( ) taken
        """
        size = self.rules.size
        around = {}
        if self.last_move is not None:
            around = {self.last_move.pushed: ("[", "]"), self.last_move.taken: ("(", ")")}
        rows = []
        for row in reversed(range(size)):
            tiles = ""
            for cell in range(row * size + size - 1, row * size - 1, -1):
                left, right = around.get(cell, (" ", " "))
                tiles += left + (self.mark_at(cell) or ".") + right
            rows.append(f" {row + 1}  {tiles}".rstrip())
        rows.append("     " + "  ".join(COLUMNS[:size]))
        winner = self.winner
        rows.append(f"{winner} has won" if winner else f"{self.turn} to move")
        if self.last_move is not None:
            rows.append(f"last move {self.last_move.text(size)}: [ ] pushed in, ( ) taken")
        return "\n".join(rows)

    def svg(self, size_px: int = 360) -> str:
        """A drawing of the position, `size_px` wide."""
        # Not at the top of the module: the drawing needs the rules, the rules do not need the drawing.
        from inarow.quixo.drawing import draw

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
        if self.terminal:
            return ()
        other = self.other
        return tuple(move for move in self.rules.moves if not other >> move.taken & 1)

    def is_legal(self, move: Move) -> bool:
        return self._why_illegal(move) is None

    def play(self, move: Move | str) -> Position:
        """The position after a move, or `ValueError` with the reason if it is not legal.

        >>> Quixo(size=3).start().play("c2a2")
        Position.parse('.../x../... o')
        """
        if isinstance(move, str):
            move = Move.parse(move, self.rules.size)
        why = self._why_illegal(move)
        if why is not None:
            raise ValueError(why)
        push = self._pushes[move]
        return self._with(
            mover=push.apply(self.mover) | 1 << move.pushed,
            other=push.apply(self.other),
            turn=opponent(self.turn),
            last_move=move,
        )

    def _why_illegal(self, move: Move) -> str | None:
        if move not in self._pushes:
            return f"no such move on a board of size {self.rules.size}: {move}"
        text = move.text(self.rules.size)
        if self.terminal:
            return f"move {text}: the game is over"
        if self.other >> move.taken & 1:
            return f"move {text}: the tile of {text[:2]} is the opponent's"
        return None

    def previous(self) -> tuple[tuple[Position, Move], ...]:
        """Every position, not over yet, and move from it that lead here; none if nothing does.

        >>> Position.parse(".../.o./... x").previous()
        ()
        """
        before = []
        for move, push in self._pushes.items():
            if not self.other >> move.pushed & 1:
                continue
            mover = push.undo(self.mover)
            actor = push.undo(self.other)
            # The tile taken was empty or already the actor's own.
            for taken in (0, 1 << move.taken):
                turn = opponent(self.turn)
                position = self._with(mover=mover, other=actor | taken, turn=turn, last_move=None)
                if not position.terminal:
                    before.append((position, move))
        return tuple(before)

    @property
    def terminal(self) -> bool:
        """Whether the game is over: there is a line of either mark."""
        return self.winner is not None

    @property
    def winner(self) -> Mark | None:
        x_line, o_line = self.rules.has_line(self.x), self.rules.has_line(self.o)
        if x_line and o_line:
            # The side to move is the one that did not make the two lines.
            return self.turn if self.rules.double_line == "loses" else opponent(self.turn)
        return "x" if x_line else "o" if o_line else None

    @property
    def result(self) -> Literal["win", "loss"] | None:
        """What the side to move has got from the game; None if it is not over."""
        winner = self.winner
        if winner is None:
            return None
        return "win" if winner == self.turn else "loss"

    # --- Equivalent positions and numbers ---

    def swap(self) -> Position:
        """The same position with the marks and the side to move exchanged."""
        return Position(self.rules, self.o, self.x, opponent(self.turn), self.last_move)

    def symmetries(self) -> tuple[Position, ...]:
        """The eight images of the board, this one first.

        Turned clockwise by 0, 90, 180 and 270 degrees, then mirrored left to right and turned by the
        same. Images may be equal.
        """
        return tuple(self._image(to) for to in _geometry(self.rules.size, self.rules.line).symmetries)

    def canonical(self) -> Position:
        """The symmetric image with the smallest `mover_word`."""
        return min(self.symmetries(), key=lambda image: image.mover_word)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of Xs and of Os."""
        return self.x.bit_count(), self.o.bit_count()

    @property
    def word(self) -> int:
        """64 bits: the X mask above the O mask."""
        return self.x << _HALF | self.o

    @property
    def mover_word(self) -> int:
        """64 bits: the mask of the side to move above the other's (in the paper X is always to move)."""
        return self.mover << _HALF | self.other

    @property
    def paper_index(self) -> int:
        """The number of `mover_word` in its class (equation 1 of the paper)."""
        return self.rules.index(self.mover, self.other)

    @property
    def _pushes(self) -> dict[Move, _Push]:
        return _geometry(self.rules.size, self.rules.line).pushes

    def _with(self, mover: int, other: int, turn: Mark, last_move: Move | None) -> Position:
        """A position of the masks of who moves and who does not in this one."""
        x, o = (mover, other) if self.turn == "x" else (other, mover)
        return Position(self.rules, x, o, turn, last_move)

    def _image(self, to: tuple[int, ...]) -> Position:
        x = sum(1 << to[cell] for cell in _bits(self.x))
        o = sum(1 << to[cell] for cell in _bits(self.o))
        last = self.last_move
        move = None if last is None else Move(to[last.taken], to[last.pushed])
        return Position(self.rules, x, o, self.turn, move)


@cache
def _geometry(size: int, line: int) -> _Geometry:
    cells = range(size * size)
    pushes = {}
    for taken in cells:
        if not _is_border(taken, size):
            continue
        for pushed in sorted(_ends(taken, size) - {taken}):
            step = 1 if taken // size == pushed // size else size
            low, high = sorted((taken, pushed))
            segment = sum(1 << cell for cell in range(low, high + 1, step))
            pushes[Move(taken, pushed)] = _Push(segment, step if taken > pushed else -step)

    lines = []
    for up, left in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for cell in cells:
            row, column = cell // size, cell % size
            if row + up * (line - 1) < size and 0 <= column + left * (line - 1) < size:
                lines.append(sum(1 << cell + nth * (up * size + left) for nth in range(line)))

    # A clockwise turn makes each column, from the right, the row of the same number from the bottom.
    turned = tuple(cell % size * size + size - 1 - cell // size for cell in cells)
    mirrored = tuple(cell - cell % size + size - 1 - cell % size for cell in cells)
    symmetries = []
    for first in (tuple(cells), mirrored):
        image = first
        for _ in range(4):
            symmetries.append(image)
            image = tuple(turned[cell] for cell in image)
    return _Geometry(pushes, tuple(pushes), tuple(lines), tuple(symmetries))


def _read_board(text: str, size: int | None) -> tuple[int, int, int, Mark]:
    """The size, X mask, O mask and side to move of a text; the size is found from it if not given."""
    end = next((place for place, char in enumerate(text) if char in " _"), len(text))
    rows = text[:end].split("/")
    if size is None:
        # The length most rows have, so that one bad row is told as such and not taken for the size.
        size = Counter(len(row) for row in rows).most_common(1)[0][0]
        if size not in SIZES:
            raise NotationError(
                f"a row of {size} cells; there are boards of size {_listed(SIZES)}", text, len(rows[0])
            )
    of_board = f"a board of size {size} has {size}"
    marks = {"x": 0, "o": 0, ".": 0}
    place = 0
    for nth, row in enumerate(rows):
        if nth == size:
            raise NotationError(f"too many rows; {of_board}", text, place - 1)
        for column, char in enumerate(row):
            if column == size:
                raise NotationError(f"row too long; {of_board} cells", text, place + size)
            if char.lower() not in marks:
                raise NotationError(f"{char!r} is not a cell; must be 'x', 'o' or '.'", text, place + column)
            marks[char.lower()] |= 1 << (size - 1 - nth) * size + size - 1 - column
        if len(row) < size:
            raise NotationError(f"row too short; {of_board} cells", text, place + len(row))
        place += len(row) + 1
    if len(rows) < size:
        raise NotationError(f"too few rows; {of_board}", text, end)
    side = text[end + 1 : end + 2].lower()
    if not side:
        raise NotationError("the side to move is missing; must be ' x' or ' o' at the end", text, len(text))
    if side not in ("x", "o"):
        raise NotationError(f"{text[end + 1]!r} is not a side; must be 'x' or 'o'", text, end + 1)
    if len(text) > end + 2:
        raise NotationError("the text goes on after the side to move", text, end + 2)
    return size, marks["x"], marks["o"], "x" if side == "x" else "o"


def _read_cell(text: str, place: int, size: int) -> int:
    if len(text) < place + 2:
        raise NotationError("a move is two cells, as in a1a2; the text ends early", text, len(text))
    columns = COLUMNS[:size]
    letter, digit = text[place].lower(), text[place + 1]
    if letter not in columns:
        raise NotationError(f"no column {text[place]!r}; must be a to {columns[-1]}", text, place)
    if digit not in "12345"[:size]:
        raise NotationError(f"no row {digit!r}; must be 1 to {size}", text, place + 1)
    return (int(digit) - 1) * size + size - 1 - columns.index(letter)


def _cell_text(cell: int, size: int) -> str:
    return f"{COLUMNS[size - 1 - cell % size]}{cell // size + 1}"


def _is_border(cell: int, size: int) -> bool:
    return cell // size in (0, size - 1) or cell % size in (0, size - 1)


def _ends(cell: int, size: int) -> set[int]:
    """The ends of the row and of the column of a cell."""
    row, column = cell // size, cell % size
    return {row * size, row * size + size - 1, column, (size - 1) * size + column}


def _check_marks(rules: Quixo, x: int, o: int) -> None:
    for name, mask in (("X", x), ("O", o)):
        if not 0 <= mask < 1 << rules.cells:
            raise ValueError(f"{name} mask {mask:#x}: a board of size {rules.size} has {rules.cells} bits")
    if x & o:
        raise ValueError(f"X mask {x:#x} and O mask {o:#x}: both have {x & o:#x}, a tile has one mark")


def _bits(mask: int) -> Iterator[int]:
    """The places of the bits set, from low to high."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _squeeze(mask: int, without: int) -> int:
    """The mask with the places of `without`, where it has no bits, taken out."""
    return sum(1 << bit - (without & ((1 << bit) - 1)).bit_count() for bit in _bits(mask))


def _spread(mask: int, without: int) -> int:
    """The inverse of `_squeeze`: places are put in where `without` has bits."""
    for bit in _bits(without):
        below = (1 << bit) - 1
        mask = (mask & ~below) << 1 | mask & below
    return mask


def _listed(numbers: tuple[int, ...] | range) -> str:
    """As in "2, 3 or 4"."""
    *first, last = (str(number) for number in numbers)
    return f"{', '.join(first)} or {last}" if first else last
