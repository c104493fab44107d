"""The replies that lose a draw of 5×5, counted in the book: as docs/results/quixo-questions.md has them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from common import Words, positions, totals
from documents import result, table
from numpy.typing import NDArray

from inarow import canonical_many, moves_many
from inarow._native.quixo import Locator
from inarow.quixo.rules import Quixo
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.entries import WIDE_DRAW
from inarow.quixo.table.pairs import classes_of

RULES = Quixo(5)


class BookValues:
    """The values of positions in a book, which it unpacks once."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._locator = Locator(book.rules.native)
        self._planes: dict[int, NDArray[np.int8]] = {}

    def __call__(self, words: Words) -> NDArray[np.int8]:
        planes, places = self._locator.locate_many(words)
        values = np.empty(words.size, np.int8)
        for plane in np.flatnonzero(np.bincount(planes)).tolist():
            here = planes == plane
            values[here] = self._plane(plane)[places[here].astype(np.int64)]
        return values

    def _plane(self, plane: int) -> NDArray[np.int8]:
        if plane not in self._planes:
            a, b = plane >> 6, plane >> 1 & 31
            signs = np.sign(self._book.entries(a, b).astype(np.int32) - WIDE_DRAW).astype(np.int8)
            for side, of_side in enumerate(np.split(signs, len(classes_of(a, b)))):
                self._planes[a << 6 | b << 1 | side] = of_side
        return self._planes[plane]


class Replies:
    """Counts replies in a book, whose positions have two marks more at most."""

    def __init__(self, values: BookValues) -> None:
        self._values = values
        self._of_draws: dict[tuple[int, int], tuple[Words, NDArray[np.uint8], NDArray[np.uint8]]] = {}

    def count(self, x: int, o: int) -> tuple[int, int, int]:
        """Of the draws of a class: the moves that keep them, the replies to these, and those that lose."""
        kept = replies = losing = 0
        for words, weights in self._draws(x, o):
            moves = moves_many(RULES, words)
            keeps = self._values(moves.words) == 0
            after = canonical_many(RULES, moves.words[keeps])
            weight = np.repeat(weights, np.diff(moves.offsets))[keeps]
            kept += int(weight.sum())
            marks = np.bitwise_count(after)
            for added in (0, 1):
                these = marks == x + o + added
                draws, every, lost = self._replies(o, x + added)
                where = np.searchsorted(draws, after[these])
                replies += int((weight[these] * every[where]).sum())
                losing += int((weight[these] * lost[where]).sum())
        return kept, replies, losing

    def _draws(self, x: int, o: int) -> Iterator[tuple[Words, NDArray[np.int64]]]:
        for words, weights in positions(RULES, x, o):
            drawn = self._values(words) == 0
            yield words[drawn], weights[drawn]

    def _replies(self, x: int, o: int) -> tuple[Words, NDArray[np.uint8], NDArray[np.uint8]]:
        """The draws of a class up to symmetry, sorted, with the moves of each, and those that lose."""
        if (x, o) not in self._of_draws:
            parts = []
            for words, _ in self._draws(x, o):
                moves = moves_many(RULES, words)
                lost = totals(moves, self._values(moves.words) == 1)
                every = np.diff(moves.offsets).astype(np.uint8)
                parts.append((canonical_many(RULES, words), every, lost.astype(np.uint8)))
            words, every, losing = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(words)
            self._of_draws[x, o] = words[order], every[order], losing[order]
        return self._of_draws[x, o]


@pytest.mark.parametrize(
    ("x", "o"),
    [(1, 2), *(pytest.param(*its, marks=pytest.mark.exhaustive) for its in [(3, 3), (3, 4), (4, 4)])],
)
def test_replies_that_lose_a_draw_of_5x5(x: int, o: int) -> None:
    book = shipped_book(RULES)
    assert book is not None
    [its] = [its for its in result("survey")["classes"] if (its["x"], its["o"]) == (x, o)]
    kept, replies, losing = Replies(BookValues(book)).count(x, o)
    assert kept == its["kept"]
    if x + o > 3:  # those with fewer marks are not in the document
        rows = {tuple(row[:2]): row for row in table("docs/results/quixo-questions.md", "Draws on 5×5")}
        assert rows[str(x), str(o)][4] == f"{losing / replies:.1%}"
