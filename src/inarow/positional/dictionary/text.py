"""Strategy dictionaries as text: lines with positions and the first player's answer to them.

`Dictionary.parse` recognises two notations, the *blog's* and *Patashnik's*; docs/dictionaries.md specifies
them. A line of the blog's with capital ``O``'s stands for several positions, one for each of them:

>>> dictionary = Dictionary.parse("....X....\\nOO..x..X.\\n")
>>> len(dictionary.lines), len(dictionary.entries())
(2, 3)
>>> print(dictionary.text("patashnik"), end="")
 4
o3x 7
1o2x 7
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from inarow.errors import InarowError
from inarow.files import write_atomically
from inarow.positional.rules import MOST_CELLS, cells_of

Format = Literal["patashnik", "blog"]

_QUBIC_CELLS = 64  # Patashnik's notation does not say how large the board is
_LONGEST_NUMBER = 6  # digits: longer numbers are off any board, and int() may refuse them

_ENTRY = re.compile(r"[xo0-9]* [0-9]+\s*")
_PROSE_NUMBERS = re.compile(r"[0-9]+ [0-9]+\s*")  # such as years: an entry has marks, or no board at all
_RULE = re.compile(r"-{3,}\s*")
_RULE_WRITTEN = "-" * 41


class DictionaryError(InarowError):
    """A text is not a dictionary; lines and columns are counted from 1.

    >>> Dictionary.parse("....X....\\nOO..x.?X.")
    Traceback (most recent call last):
        ...
    inarow.positional.dictionary.text.DictionaryError: line 2, column 7: '?' is none of . x o X O
    """

    exit_code = 4

    def __init__(self, reason: str, line: int, column: int, path: Path | None = None) -> None:
        super().__init__(reason, line, column, path)
        self.reason, self.line, self.column, self.path = reason, line, column, path

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: {self.reason}"
        return place if self.path is None else f"{self.path}, {place}"


class Entry(NamedTuple):
    """A position with X to move, as masks with bit c for cell c, and the cell of X's answer."""

    x: int
    o: int
    move: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a dictionary: the positions with the marks `x` and `o` and one more o among `options`.

    Without options, it is the single position with the marks `x` and `o`.
    """

    x: int
    o: int
    options: int
    move: int
    number: int = 0  # of the line in its file, from 1; 0 if it comes from no file

    def entries(self) -> Iterator[Entry]:
        if not self.options:
            yield Entry(self.x, self.o, self.move)
        for cell in cells_of(self.options):
            yield Entry(self.x, self.o | 1 << cell, self.move)

    def text(self, cells: int) -> str:
        """The line in the blog's notation."""
        return board_text(cells, {"x": self.x, "o": self.o, "O": self.options, "X": 1 << self.move})


def board_text(cells: int, marks: dict[str, int]) -> str:
    """A character for each cell, by the masks of what is marked.

    >>> board_text(6, {"x": 0b010000, "O": 0b000011, "X": 0b100000})
    'OO..xX'
    """
    board = ["."] * cells
    for mark, mask in marks.items():
        for cell in cells_of(mask):
            board[cell] = mark
    return "".join(board)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The lines of a dictionary for boards of `cells` cells, and its header.

    >>> len(Dictionary.parse("OO..xX").entries())
    2
    """

    cells: int
    lines: tuple[Line, ...]
    header: str = ""  # without the # marks of the blog's notation
    format: Format = "blog"

    @classmethod
    def read(cls, path: str | Path, cells: int | None = None, *, balanced: bool = True) -> Dictionary:
        """The dictionary in a file, in either notation; see `parse`."""
        return cls.parse(read_text(path), cells, balanced=balanced, path=Path(path))

    @classmethod
    def parse(
        cls, text: str, cells: int | None = None, *, balanced: bool = True, path: Path | None = None
    ) -> Dictionary:
        """The dictionary in a text; `DictionaryError`, which names the file `path`, if it is none.

        Without `cells`, the first line gives the size of the board in the blog's notation; Patashnik's
        implies Qubic's. If `balanced`, lines must have as many x's as o's, as in a game where X is to move.
        """
        rows = [row.removesuffix("\r") for row in text.removeprefix("\ufeff").split("\n")]
        try:
            if _is_patashnik(rows):
                dictionary = _parse_patashnik(rows, _QUBIC_CELLS if cells is None else cells)
            else:
                dictionary = _parse_blog(rows, cells)
            for line in dictionary.lines if balanced else ():
                x, o = line.x.bit_count(), line.o.bit_count() + (line.options != 0)
                if x != o:
                    reason = f"{x} x against {o} o, but X is to move: there must be as many of each"
                    raise DictionaryError(reason, line.number, 1)
        except DictionaryError as error:
            error.path = path
            raise
        return dictionary

    def write(self, path: str | Path, format: Format | None = None) -> None:
        """Write the text to a file, by default in the notation the dictionary was read in."""
        write_atomically(Path(path), [self.text(format).encode()])

    def text(self, format: Format | None = None) -> str:
        """The header and the lines; Patashnik's notation has a line for each position."""
        header = self.header.split("\n") if self.header else []
        if (format or self.format) == "blog":
            rows = [f"# {row}" if row else "#" for row in header]
            rows += [line.text(self.cells) for line in self.lines]
        else:
            rows = _prose(header) + [_run_length(entry) for entry in self.entries()]
        return "".join(f"{row}\n" for row in rows)

    def entries(self) -> list[Entry]:
        """The positions that the lines stand for, in order."""
        return [entry for line in self.lines for entry in line.entries()]

    def expanded(self) -> Dictionary:
        """The same positions, with a line for each."""
        lines = (Line(e.x, e.o, 0, e.move, line.number) for line in self.lines for e in line.entries())
        return replace(self, lines=tuple(lines))


def read_text(path: str | Path) -> str:
    """The text of a file; a `DictionaryError` points at the first byte that is not text."""
    path = Path(path)
    data = path.read_bytes()
    try:
        text, at = data.decode(), data.find(0)
    except UnicodeDecodeError as error:
        text, at = "", error.start
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        column = at - data.rfind(b"\n", 0, at)
        raise DictionaryError("not text, but a binary file", line, column, path)
    return text


def _is_patashnik(rows: list[str]) -> bool:
    """Whether the first row that could be part of a dictionary is Patashnik's."""
    for row in rows:
        if _is_entry(row) or _RULE.fullmatch(row):
            return True
        if row.count("X") == 1 and not row.strip(".xoXO"):
            return False
    return False


def _is_entry(row: str) -> bool:
    return _ENTRY.fullmatch(row) is not None and not _PROSE_NUMBERS.fullmatch(row)


def _parse_blog(rows: list[str], cells: int | None) -> Dictionary:
    header: list[str] = []
    lines: list[Line] = []
    for number, row in enumerate(rows, start=1):
        if row.startswith("#"):
            if not lines:
                header.append(row[1:].removeprefix(" "))
        elif row.strip():
            row = row.rstrip()
            if len(row) > MOST_CELLS:
                reason = f"{len(row):,} cells: a board has at most {MOST_CELLS}"
                raise DictionaryError(reason, number, MOST_CELLS + 1)
            line, size = _blog_line(row, number), len(row)
            if cells is None:
                cells = size
            elif size != cells:
                whose = f"line {lines[0].number} has" if lines else "the board has"
                raise DictionaryError(f"{size} cells, but {whose} {cells}", number, min(size, cells) + 1)
            lines.append(line)
    if cells is None or not lines:
        what = "there are no positions, only comments" if header else "the file is empty"
        raise DictionaryError(what, 1, 1)
    return Dictionary(cells, tuple(lines), "\n".join(header), "blog")


def _blog_line(row: str, number: int) -> Line:
    masks = dict.fromkeys(".xoXO", 0)
    for cell, mark in enumerate(row):
        if mark not in masks:
            raise DictionaryError(f"{mark!r} is none of . x o X O", number, cell + 1)
        if mark == "X" and masks["X"]:
            raise DictionaryError("a second capital X; a line has one answer", number, cell + 1)
        masks[mark] |= 1 << cell
    if not masks["X"]:
        raise DictionaryError("no capital X: the answer is missing", number, len(row) + 1)
    return Line(masks["x"], masks["o"], masks["O"], masks["X"].bit_length() - 1, number)


def _parse_patashnik(rows: list[str], cells: int) -> Dictionary:
    # The header ends with a rule or a blank line. Rows between that and the first entry are meant as entries
    # too: taking them for prose would hide mistakes.
    first = next((index for index, row in enumerate(rows) if _is_entry(row)), len(rows))
    found = first < len(rows)
    ends = (n for n, row in enumerate(rows[:first], 1) if _RULE.fullmatch(row) or (found and not row.strip()))
    start = max(ends, default=0)
    below = [(number, row) for number, row in enumerate(rows[start:], start + 1) if row.strip()]
    if not below:
        raise DictionaryError("there are no positions below the header", len(rows), 1)
    lines = tuple(_patashnik_line(row, number, cells) for number, row in below)
    return Dictionary(cells, lines, "\n".join(rows[:start]), "patashnik")


def _patashnik_line(row: str, number: int, cells: int) -> Line:
    row = row.rstrip()
    board, space, answer = row.partition(" ")
    marks = {"x": 0, "o": 0}
    cell = 0
    for token in re.finditer(r"[0-9]+|.", board):
        mark, column = token[0], token.start() + 1
        length = _number(mark) if mark[0] in "0123456789" else 1
        if length == 0:
            raise DictionaryError("a run of no cells", number, column)
        if mark in marks:
            marks[mark] |= 1 << cell
        elif mark[0] not in "0123456789":
            raise DictionaryError(f"{mark!r} is none of x, o and a number", number, column)
        cell += length
        if cell > cells:
            raise DictionaryError(f"past the end of a board of {cells} cells", number, column)
    column = len(board) + 2
    if not space:
        raise DictionaryError("no answer: a space and the number of a cell", number, column - 1)
    if wrong := re.search("[^0-9]", answer):
        reason = f"{wrong[0]!r} in the answer, which is the number of a cell"
        raise DictionaryError(reason, number, column + wrong.start())
    move = _number(answer)
    if move >= cells:
        raise DictionaryError(f"cell {answer[:20]}: the board has 0 to {cells - 1}", number, column)
    if (marks["x"] | marks["o"]) >> move & 1:
        raise DictionaryError(f"cell {move} is taken", number, column)
    return Line(marks["x"], marks["o"], 0, move, number)


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else 10**_LONGEST_NUMBER


def _prose(header: list[str]) -> list[str]:
    """The header such that it is read as one: no row is an entry, and the last is a rule or blank."""
    rows = [f"\t{row}" if _is_entry(row) else row for row in header]
    if rows and rows[-1].strip() and not _RULE.fullmatch(rows[-1]):
        rows.append(_RULE_WRITTEN)
    return rows


def _run_length(entry: Entry) -> str:
    parts = []
    cell = 0
    for place in cells_of(entry.x | entry.o):
        if place > cell:
            parts.append(str(place - cell))
        parts.append("x" if entry.x >> place & 1 else "o")
        cell = place + 1
    return f"{''.join(parts)} {entry.move}"
