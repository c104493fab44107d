"""Many positions of Quixo at once: NumPy arrays in, NumPy arrays out, the work done in C++.

A position is a word of 64 bits, as `Position.mover_word` gives it: the marks of the side to move above those
of the other.

>>> rules = Quixo(4)
>>> words = parse_many(rules, ["..../..../..../.... x", "x.../..../..../o... o"])
>>> moves_many(rules, words).offsets.tolist()
[0, 32, 62]
>>> canonical_many(rules, words).tolist() == [0, rules.from_word(int(words[1])).canonical().mover_word]
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inarow._native import quixo as _native
from inarow.quixo.rules import Quixo


class Positions(NamedTuple):
    """Positions with what a table knows about each."""

    words: NDArray[np.uint64]
    values: NDArray[np.int8]  # 1 win, 0 draw, −1 loss, for the side to move
    plies: NDArray[np.int32]  # −1 for a draw, or if not known

    @classmethod
    def joined(cls, parts: Sequence[Positions]) -> Positions:
        """All of some positions, one part after the other."""
        return cls(*map(np.concatenate, zip(_NO_POSITIONS, *parts, strict=True)))

    def where(self, chosen: NDArray[Any] | slice) -> Positions:
        """Some of these positions, chosen as NumPy takes an index."""
        return Positions(self.words[chosen], self.values[chosen], self.plies[chosen])


_NO_POSITIONS = Positions(np.zeros(0, np.uint64), np.zeros(0, np.int8), np.zeros(0, np.int32))


class Moves(NamedTuple):
    """The legal moves of some positions, one position after the other.

    Those of position i are at `offsets[i]` to `offsets[i + 1]`.
    """

    offsets: NDArray[np.int64]  # one more than there are positions
    moves: NDArray[np.uint8]  # numbers in `Quixo.moves`
    words: NDArray[np.uint64]  # the positions after them, where the other side is to move


def parse_many(rules: Quixo, texts: Iterable[str]) -> NDArray[np.uint64]:
    """The positions of texts in the notation of `Position.parse`, on boards of this shape.

    Which side is to move shows in nothing but whose marks are above. `NotationError` points at what is wrong
    in the first text that cannot be read, and a note says which that is.

    >>> [f"{word:#x}" for word in parse_many(Quixo(2), ["x./.o x", "x./.o o"]).tolist()]
    ['0x800000001', '0x100000008']
    """
    if isinstance(texts, str):
        raise TypeError("texts: a list of positions is needed, not a single one")
    given = list(texts)
    words = _native.parse_many(rules.native, given)
    if words.size < len(given):
        wrong = given[words.size]
        if not isinstance(wrong, str):
            raise TypeError(f"text {words.size} is no text: {wrong!r}")
        try:
            rules.parse(wrong)
        except ValueError as error:
            error.add_note(f"That was text {words.size}, counted from 0.")
            raise
        raise AssertionError(f"two readers disagree about {wrong!r}")
    return words


def canonical_many(rules: Quixo, words: ArrayLike) -> NDArray[np.uint64]:
    """The canonical image of each position, as `Position.canonical` has it: equal for symmetric positions.

    `ValueError` if a word is no position of this board.

    >>> canonical_many(Quixo(2), [0b0001, 0b0010, 0b0100, 0b1000])
    array([1, 1, 1, 1], dtype=uint64)
    """
    array = as_words(words)
    return board_of(rules).canonical(array.ravel()).reshape(array.shape)


def moves_many(rules: Quixo, words: ArrayLike) -> Moves:
    """The legal moves of each position, in the order of `Position.legal_moves`; none where the game is over.

    `ValueError` if a word is no position of this board.

    >>> rules = Quixo(3)
    >>> found = moves_many(rules, [rules.start().mover_word])
    >>> rules.move_text(rules.moves[found.moves[0]]), rules.from_word(int(found.words[0])).text
    ('c1a1', '.../.../o.. x')
    """
    return Moves(*board_of(rules).moves(as_words(words).ravel()))


def tiles_many(rules: Quixo, words: ArrayLike) -> NDArray[np.int8]:
    """The tiles of each position, row by row from the upper left, as a neural network takes them.

    1 is a mark of the side to move, −1 one of the other, and 0 a blank tile; an array of words gets a
    further axis. `ValueError` if a word is no position of this board.

    >>> tiles_many(Quixo(2, 3), parse_many(Quixo(2, 3), ["x.o/.o. o"])).reshape(2, 3)
    array([[-1,  0,  1],
           [ 0,  1,  0]], dtype=int8)
    """
    array = as_words(words)
    return board_of(rules).tiles(array.ravel()).reshape(*array.shape, rules.cells)


def class_size(rules: Quixo, x: int, o: int) -> int:
    """The number of positions with x marks of the side to move and o of the other."""
    return comb(rules.cells, x) * comb(rules.cells - x, o)


def as_words(words: ArrayLike) -> NDArray[np.uint64]:
    """Positions as an array; nothing is rounded or cut off on the way."""
    array = np.asarray(words)
    if array.size == 0:
        return np.zeros(array.shape, np.uint64)
    if array.dtype not in (np.uint64, np.int64) and not isinstance(words, np.ndarray):
        # NumPy makes floats of a list with numbers beyond 63 bits.
        given = np.array(words, object)
        if all(isinstance(word, int | np.uint64) and not isinstance(word, bool) for word in given.flat):
            try:
                array = given.astype(np.uint64)
            except OverflowError:
                raise ValueError("a position is a word of 64 bits, from 0 to 2^64 - 1") from None
    if array.dtype not in (np.uint64, np.int64):
        raise TypeError(f"positions are words of 64 bits, not {array.dtype}")
    return np.ascontiguousarray(array).view(np.uint64)


@lru_cache(maxsize=8)
def board_of(rules: Quixo) -> _native.Board:
    """The board in C++."""
    return _native.Board(rules.native)
