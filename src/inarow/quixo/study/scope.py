"""Which positions a study looks at, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board, UniformNumbers, class_words, words_at
from inarow.errors import MissingTable
from inarow.quixo.arrays import Moves, class_size
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Quixo
from inarow.quixo.table.store import MISSING

__all__ = ["Looked", "Scope", "Words", "one_of_each", "swapped", "totals"]

Words: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.int64]

_AT_ONCE = 1 << 20  # positions of a class that are listed together
_CHUNK = 1 << 16  # those of them whose moves are listed together
_HALF = np.uint64(32)
_TRIED = 64  # positions of a class that show whether its values are known
_LOW = 13  # bits of a mask that are mapped together: two parts make up the largest board


class Looked(NamedTuple):
    """Positions that are not over, and how many positions each stands for: itself and its images."""

    words: Words
    weights: Counts


@dataclass(frozen=True)
class Scope:
    """The positions with up to `most_marks` marks, by class, with what a prober knows of them.

    All of a class, each once up to symmetry; or, of a class with more than `sample` positions, so many drawn
    at random. A seed gives the same ones on every machine.

    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     scope = Scope(prober, most_marks=2, sample=50)
    ...     [(x, o, scope.looked_at(x, o)) for x, o in scope.classes()]
    [(0, 0, 1), (0, 1, 9), (1, 0, 9), (0, 2, 36), (1, 1, 50), (2, 0, 36)]
    """

    prober: Prober
    most_marks: int | None = None
    sample: int | None = None
    seed: int = 0
    progress: Callable[[int, int], None] = lambda done, total: None  # positions of all that are looked at

    @property
    def rules(self) -> Quixo:
        return self.prober.rules

    @cached_property
    def board(self) -> Board:
        return Board(self.rules.native)

    def classes(self) -> Iterator[tuple[int, int]]:
        """Marks of the side to move and of the other, those with few marks first."""
        most = self.rules.cells if self.most_marks is None else min(self.most_marks, self.rules.cells)
        return ((x, marks - x) for marks in range(most + 1) for x in range(marks + 1))

    def looked_at(self, x: int, o: int) -> int:
        """How many positions of a class are looked at, those that are over included."""
        size = class_size(self.rules, x, o)
        return size if self.sample is None else min(size, self.sample)

    def positions(self, x: int, o: int) -> Iterator[Looked]:
        """The positions of a class that are looked at and not over, some at a time."""
        done, total = self._before[x, o], self._before[None]
        for words, weights in self._listed(x, o):
            every = int(weights.sum())
            running = ~self.board.over(words)
            words, weights = words[running], weights[running]
            for first in range(0, words.size, _CHUNK):
                yield Looked(words[first : first + _CHUNK], weights[first : first + _CHUNK])
                self.progress(done + every * min(first + _CHUNK, words.size) // words.size, total)
            done += every

    @cached_property
    def _before(self) -> dict[tuple[int, int] | None, int]:
        """How many positions are looked at before those of each class; under None, how many in all."""
        before: dict[tuple[int, int] | None, int] = {}
        done = 0
        for x, o in self.classes():
            before[x, o] = done
            done += self.looked_at(x, o)
        return before | {None: done}

    def require_values(self) -> None:
        """Try a few positions of each class; `MissingTable` if one is not known, before hours are lost."""
        few = replace(self, sample=_TRIED)
        for x, o in self.classes():
            for words, _ in few.positions(x, o):
                self.values(words)

    def _listed(self, x: int, o: int) -> Iterator[Looked]:
        size, looked_at = class_size(self.rules, x, o), self.looked_at(x, o)
        if looked_at < size:
            numbers = UniformNumbers(self.seed).below(size, looked_at)
            yield Looked(words_at(self.rules.native, [(x, o)], numbers), np.ones(looked_at, np.int64))
            return
        for first in range(0, size, _AT_ONCE):
            words = class_words(self.rules.native, x, o, first, min(_AT_ONCE, size - first))
            words = words[self.board.canonical(words) == words]
            yield Looked(words, images(self.rules, words))

    def values(self, words: Words) -> NDArray[np.int8]:
        """1 win, 0 draw, −1 loss, for the side to move; `MissingTable` if one is not known."""
        found = self.prober.values(words)
        if np.any(found == MISSING):
            word = int(words[int(np.argmax(found == MISSING))])
            raise MissingTable(
                f"the value of {self.rules.from_word(word)}, with {word.bit_count()} marks, is not known. "
                f"{self.prober.describe()}"
            )
        return found

    def moves(self, words: Words) -> Moves:
        return Moves(*self.board.moves(words))


def swapped(words: Words) -> Words:
    """The same boards with the other side to move."""
    return words >> _HALF | words << _HALF


def totals(moves: Moves, counted: NDArray[np.bool_]) -> Counts:
    """How many of the moves of each position are counted."""
    sums: Counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counted, dtype=np.int64)])
    return np.diff(sums[moves.offsets])


def one_of_each(random: np.random.Generator, rows: Counts, count: int) -> Counts:
    """Where one entry of each row is, at random; `rows` has every row below `count`, in order."""
    order = np.lexsort((random.random(rows.size), rows))
    return order[np.searchsorted(rows, np.arange(count), "right") - 1]


def images(rules: Quixo, words: Words) -> Counts:
    """How many different images each position has under the symmetries of the board."""
    fixed = np.zeros(words.size, np.int64)
    for low, high in _maps(rules):
        image = np.zeros_like(words)
        for shift in (np.uint64(0), _HALF):
            mask = words >> shift & np.uint64((1 << 32) - 1)
            image |= (low[mask & np.uint64((1 << _LOW) - 1)] | high[mask >> np.uint64(_LOW)]) << shift
        fixed += image == words
    return len(rules.symmetries) // fixed


@lru_cache(maxsize=8)
def _maps(rules: Quixo) -> tuple[tuple[Words, Words], ...]:
    """Of each symmetry, where the low bits of a mask go and where the others go."""

    def mapped(to: tuple[int, ...]) -> Words:
        masks = np.arange(1 << len(to), dtype=np.uint64)
        image = np.zeros_like(masks)
        for bit, cell in enumerate(to):
            image |= (masks >> np.uint64(bit) & np.uint64(1)) << np.uint64(cell)
        return image

    return tuple((mapped(to[:_LOW]), mapped(to[_LOW:])) for to in rules.symmetries)
