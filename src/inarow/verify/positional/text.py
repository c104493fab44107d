"""The checker's own reader of dictionaries, in both notations (docs/dictionaries.md specifies them)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inarow.errors import DamagedFile

_BOARD = re.compile(r"[.xoXO]+")
_ENTRY = re.compile(r"((?:[0-9]*[xo][xo0-9]*)?) ([0-9]{1,6})")
_RULE = re.compile(r"-{3,}")


class UnreadableDictionary(DamagedFile):
    """A line of a text is not in the notation of a dictionary."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Answers:
    """Positions with X to move and X's answers, in arrays.

    A position has a mask of X's cells and one of O's; cell c is bit c % 64 of word c // 64. Boards of up to
    64 cells have one word, larger ones two.
    """

    positions: NDArray[np.uint64]  # [answer, X's mask or O's, word]
    moves: NDArray[np.uint8]
    lines: NDArray[np.int64]  # the number of the line of each answer, from 1


def words_of_mask(cells: int) -> int:
    return 1 if cells <= 64 else 2


def answers_of(cells: int, answers: Iterable[tuple[int, int, int]]) -> Answers:
    """Answers as X's mask, O's mask and the move, each on a line of its own."""
    width = 8 * words_of_mask(cells)
    masks, moves = bytearray(), bytearray()
    for number, (x, o, move) in enumerate(answers, start=1):
        try:
            masks += x.to_bytes(width, "little") + o.to_bytes(width, "little")
            moves.append(move)
        except (OverflowError, ValueError):
            raise UnreadableDictionary(number, f"not on the board of {cells} cells") from None
    words = np.frombuffer(bytes(masks), "<u8").astype(np.uint64)
    return Answers(
        words.reshape(len(moves), 2, words_of_mask(cells)),
        np.frombuffer(bytes(moves), np.uint8),
        np.arange(1, len(moves) + 1),
    )


def read_answers(text: str, cells: int) -> Answers:
    """The answers of a dictionary for a board of `cells` cells, in the order of its lines.

    :raises UnreadableDictionary: if a line is in neither notation.
    """
    rows = [row.rstrip() for row in text.removeprefix("\ufeff").split("\n")]
    for row in rows:
        if _ENTRY.fullmatch(row) or _RULE.fullmatch(row):
            return _read_run_lengths(rows, cells)
        if _BOARD.fullmatch(row) and row.count("X") == 1:
            break
    return _read_boards(rows, cells)


def _read_boards(rows: list[str], cells: int) -> Answers:
    """The blog's notation: a character for each cell, and one answer for each capital O."""
    numbers, boards = [], []
    for number, row in enumerate(rows, start=1):
        if row and not row.startswith("#"):
            if len(row) != cells or not _BOARD.fullmatch(row) or row.count("X") != 1:
                raise UnreadableDictionary(number, f"not a board of {cells} cells with one X")
            numbers.append(number)
            boards.append(row)
    if not boards:
        raise UnreadableDictionary(len(rows), "there are no answers")
    marks = np.frombuffer("".join(boards).encode(), np.uint8).reshape(len(boards), cells)
    options = marks == ord("O")
    stands_for = np.maximum(1, options.sum(axis=1))
    board = np.repeat(np.arange(len(boards)), stands_for)  # of each answer
    o = (marks == ord("o"))[board]
    o[np.flatnonzero(options.any(axis=1)[board]), np.nonzero(options)[1]] = True
    return Answers(
        np.stack([_packed((marks == ord("x"))[board]), _packed(o)], axis=1),
        (marks == ord("X")).argmax(axis=1)[board].astype(np.uint8),
        np.array(numbers)[board],
    )


def _packed(marks: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of cells as rows of words."""
    bits = np.packbits(marks, axis=1, bitorder="little")
    bits = np.pad(bits, ((0, 0), (0, 8 * words_of_mask(marks.shape[1]) - bits.shape[1])))
    return np.ascontiguousarray(bits).view("<u8").astype(np.uint64)


def _read_run_lengths(rows: list[str], cells: int) -> Answers:
    """Patashnik's notation: marks and the lengths of empty runs, then the cell of the answer.

    Prose comes first; a blank line or a rule separates it from the answers.
    """
    first = next((index for index, row in enumerate(rows) if _ENTRY.fullmatch(row)), len(rows))
    separators = [index for index, row in enumerate(rows[:first]) if not row or _RULE.fullmatch(row)]
    start = separators[-1] + 1 if separators else 0
    numbers, answers = [], []
    for number, row in enumerate(rows[start:], start=start + 1):
        if row:
            numbers.append(number)
            answers.append(_run_lengths(row, number, cells))
    if not answers:
        raise UnreadableDictionary(len(rows), "there are no answers")
    read = answers_of(cells, answers)
    return Answers(read.positions, read.moves, np.array(numbers))


def _run_lengths(row: str, number: int, cells: int) -> tuple[int, int, int]:
    match = _ENTRY.fullmatch(row)
    if match is None:
        raise UnreadableDictionary(number, "not marks, lengths of runs and an answer")
    board = re.sub("[0-9]+", lambda run: "." * min(int(run[0][-9:]), cells + 1), match[1])
    if len(board) > cells or int(match[2]) >= cells:
        raise UnreadableDictionary(number, f"not on the board of {cells} cells")
    x, o = (sum(1 << cell for cell, found in enumerate(board) if found == mark) for mark in "xo")
    return x, o, int(match[2])
