"""Forces new marks in positions that are won, where nobody knows how far the win is.

Moves that add no mark can go round in circles for ever. A mark never leaves the board, so a winner who forces
one new mark after the other, and never gives the win away, gets to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board
from inarow.quixo.rules import Quixo

__all__ = ["NewMarks"]

Words = NDArray[np.uint64]


class _Enough(Exception):
    """As much was searched as allowed."""


class NewMarks:
    """Searches for moves of the winner that force a new mark, or the end of the game.

    `values` tells the values of words, as `Table.values` does. What was found is kept, so that a way to a new
    mark is followed without another search.
    """

    def __init__(self, rules: Quixo, values: Callable[[Words], NDArray[np.int8]]) -> None:
        self._board = Board(rules.native)
        self._values = values
        self._best: dict[
            int, tuple[int, int]
        ] = {}  # of the winner's moves: how many are needed, the word after
        self._more: dict[int, int] = {}  # so many are not enough
        self._kept: dict[int, list[int]] = {}  # the words after one that may lead further, without a new mark
        self._left, self._deadline = 0, 0.0

    def after_best(self, word: int, nodes: int, seconds: float) -> int | None:
        """The word after a move that brings a new mark closer, from a won position.

        None if none is found among so many positions, in so many seconds.
        """
        self._left, self._deadline = nodes, monotonic() + seconds
        with suppress(_Enough):
            while not self._is_forced(word, self._more.get(word, 0) + 1):
                pass
        return self._best[word][1] if word in self._best else None

    def _is_forced(self, word: int, moves: int) -> bool:
        """Whether the winner, to move, forces a new mark in so many moves."""
        if word not in self._best and word not in self._more:
            self._look_at([word])
        if word in self._best:
            return self._best[word][0] <= moves
        if self._more[word] >= moves:
            return False
        for lost in self._winning(word):
            if self._is_forced_after(lost, moves - 1):
                self._best[word] = moves, lost
                return True
        self._more[word] = moves
        return False

    def _is_forced_after(self, lost: int, moves: int) -> bool:
        """Whether every reply of the loser leads to a new mark."""
        replies = self._replies(lost)
        for nth, word in enumerate(replies):
            if nth == 1:  # what holds against the first one, the best so far, may well hold against all
                self._look_at([word for word in replies if word not in self._best and word not in self._more])
            if not self._is_forced(word, moves):
                replies.insert(0, replies.pop(nth))
                return False
        return True

    def _winning(self, word: int) -> list[int]:
        """The words after winning moves without a new mark."""
        if word not in self._kept:
            after, adding = self._after([word])[:2]
            after = after[~adding]
            self._kept[word] = sorted(set(after[self._values(after) == -1].tolist()))
        return self._kept[word]

    def _replies(self, lost: int) -> list[int]:
        """The words after replies without a new mark."""
        if lost not in self._kept:
            after, adding = self._after([lost])[:2]
            self._kept[lost] = sorted(set(after[~adding].tolist()))
        return self._kept[lost]

    def _look_at(self, words: list[int]) -> None:
        """Find out from which of these a move adds a mark and still wins."""
        if not words:
            return
        after, adding, ends = self._after(words)
        winning = np.zeros(after.size, bool)
        winning[adding] = self._values(after[adding]) == -1
        begin = 0
        for word, end in zip(words, ends.tolist(), strict=True):
            found = np.flatnonzero(winning[begin:end])
            if found.size:
                self._best[word] = 1, int(after[begin + int(found[0])])
            else:
                self._more[word] = 1
            begin = end

    def _after(self, words: list[int]) -> tuple[Words, NDArray[np.bool_], NDArray[np.int64]]:
        """The words after each, whether they have a new mark or end the game, and where those of each end."""
        self._left -= len(words)
        if self._left < 0 or monotonic() > self._deadline:
            raise _Enough
        after, ends = self._board.successors(np.array(words, np.uint64))
        return after, self._board.over(after) | (_marks(after) > words[0].bit_count()), ends


def _marks(words: Words) -> NDArray[np.int64]:
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1)
    return np.asarray(bits.sum(axis=1, dtype=np.int64))
