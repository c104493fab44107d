"""Entries kept in arrays, for when there are millions of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow.files import write_atomically
from inarow.positional.dictionary.text import Entry

_PER_CHUNK = 1 << 16


class Entries:
    """Entries for a board of `cells` cells.

    `positions[i]` are the words of X's cells and those of O's, cell c being bit c % 64 of word c // 64;
    boards of up to 64 cells have one word. `moves[i]` is the cell of the answer.
    """

    def __init__(self, cells: int, positions: NDArray[np.uint64], moves: NDArray[np.uint8]) -> None:
        self.cells = cells
        self.positions = positions
        self.moves = moves

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Entry]:
        for chunk in self._chunks():
            for (x, o), move in zip(chunk.positions.tolist(), chunk.moves.tolist(), strict=True):
                yield Entry(_mask(x), _mask(o), move)

    def __getitem__(self, some: slice | NDArray[np.bool_]) -> Entries:
        return Entries(self.cells, self.positions[some], self.moves[some])

    def write(self, path: str | Path) -> None:
        """Write a line for each entry to a file, in the blog's notation."""
        write_atomically(Path(path), self.texts())

    def texts(self) -> Iterator[bytes]:
        """The same in parts, so that the whole need not be in memory."""
        for chunk in self._chunks():
            masks = chunk.positions.astype("<u8").view(np.uint8)
            marks = np.unpackbits(masks, axis=2, count=self.cells, bitorder="little").astype(bool)
            rows = np.full((len(chunk), self.cells + 1), ord("."), np.uint8)
            board = rows[:, : self.cells]
            board[marks[:, 0]] = ord("x")
            board[marks[:, 1]] = ord("o")
            board[np.arange(len(chunk)), chunk.moves] = ord("X")
            rows[:, self.cells] = ord("\n")
            yield rows.tobytes()

    def _chunks(self) -> Iterator[Entries]:
        return (self[first : first + _PER_CHUNK] for first in range(0, len(self), _PER_CHUNK))


def _mask(words: list[int]) -> int:
    return sum(word << 64 * index for index, word in enumerate(words))
