"""Checks entries of pairs as they are solved, before any table is written: a sample of every class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import InarowError

__all__ = ["SpotChecker"]

Take: TypeAlias = Callable[[Any, NDArray[np.uint64]], NDArray[np.uint16]]

_SEED = 5


class SpotChecker:
    """Re-derives entries from the rules and the entries of their children; keeps the layer above for that.

    Entries have two bytes, as in the plain form: p for a loss in p plies, 32767 for a draw and 65535 − p for
    a win in p. They may be kept on any device: `take` looks some up, by their numbers.

    >>> from inarow._native.quixo import Solver
    >>> from inarow.quixo.rules import Quixo
    >>> spots = SpotChecker(3, 3, 3, double_line_wins=False, per_plane=20)
    >>> [solved] = Solver(Quixo(3).native, 1).solve_wide([(9, 0, None, None)])
    >>> spots(9, 0, solved[0])
    >>> spots.checked
    40
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        line: int,
        double_line_wins: bool,
        *,
        per_plane: int = 256,
        take: Take = lambda entries, numbers: entries[numbers],
    ) -> None:
        self._game = native.Game(rows, columns, line, double_line_wins)
        self._per_plane = per_plane
        self._take = take
        self._random = np.random.default_rng(_SEED)
        self._pairs: dict[tuple[int, int], Any] = {}
        self.checked = 0

    def __call__(self, a: int, b: int, entries: Any) -> None:
        """Check some entries of a pair, after all pairs with more marks.

        :raises InarowError: naming the first entry that does not follow.
        """
        self._pairs = {pair: kept for pair, kept in self._pairs.items() if sum(pair) <= a + b + 1}
        self._pairs[a, b] = entries
        planes = 1 if a == b else 2
        of_plane = entries.size // planes
        for plane in range(planes):
            numbers = self._random.integers(of_plane, size=self._per_plane, dtype=np.uint64)
            words = self._game.positions(a, b, bool(plane), numbers)
            wrong = np.flatnonzero(self._values(words) != self._expected(words))
            if wrong.size:
                number = int(numbers[wrong[0]])
                raise InarowError(f"pair {{{a}, {b}}}, plane {plane}: entry {number:,} does not follow")
            self.checked += numbers.size

    def _expected(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        right = self._game.ends(words)
        unfinished = np.flatnonzero(right == native.NO_VALUE)
        if unfinished.size:
            children, ends = self._game.successors(words[unfinished])
            least = np.minimum.reduceat(self._values(children), np.concatenate([[0], ends[:-1]]))
            above = np.where(least < native.DRAW, 65534 - least, 65536 - least)
            right[unfinished] = np.where(least == native.DRAW, native.DRAW, above)
        return right

    def _values(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        found = np.empty(words.size, np.uint32)
        planes, numbers = self._game.places(words)
        for number in np.unique(planes):
            here, plane = np.flatnonzero(planes == number), int(number)
            entries = self._pairs[plane >> 6, plane >> 1 & 31]
            found[here] = self._take(entries, numbers[here] + np.uint64((plane & 1) * (entries.size // 2)))
        return found
