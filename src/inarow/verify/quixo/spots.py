"""Checks entries of pairs as they are solved, before any table is written: a sample of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import InarowError
from inarow.verify.quixo.rules import planes_of
from inarow.verify.quixo.sample import derived

__all__ = ["SpotChecker"]

_SEED = 5


class SpotChecker:
    """Re-derives entries from the rules and the entries of their children; keeps the layer above for that.

    Entries have two bytes: p for a loss in p plies, 32767 for a draw and 65535 − p for a win in p.

    >>> spots = SpotChecker(3, 3, 3, double_line_wins=False, per_plane=20)
    >>> spots(9, 0, np.array([65535, 0], np.uint16))
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
    ) -> None:
        self._game = native.Game(rows, columns, line, "wins" if double_line_wins else "loses")
        self._per_plane = per_plane
        self._random = np.random.default_rng(_SEED)
        self._pairs: dict[tuple[int, int], Any] = {}
        self.checked = 0

    def __call__(self, a: int, b: int, entries: Any) -> None:
        """Check some entries of a pair, after all pairs with more marks.

        :raises InarowError: naming the first entry that does not follow.
        """
        self._pairs = {pair: kept for pair, kept in self._pairs.items() if sum(pair) <= a + b + 1}
        self._pairs[a, b] = entries
        for plane in planes_of((a, b)):
            of_plane = entries.size // len(planes_of((a, b)))
            numbers = self._random.integers(of_plane, size=self._per_plane, dtype=np.uint64)
            words = self._game.positions(a, b, bool(plane), numbers)
            wrong = np.flatnonzero(self._values(words) != derived(self._game, words, self._values))
            if wrong.size:
                number = int(numbers[wrong[0]])
                raise InarowError(f"pair {{{a}, {b}}}, plane {plane}: entry {number:,} does not follow")
            self.checked += numbers.size

    def _values(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        found = np.empty(words.size, np.uint32)
        planes, numbers = self._game.places(words)
        for number in np.unique(planes):
            here, plane = np.flatnonzero(planes == number), int(number)
            entries = self._pairs[plane >> 6, plane >> 1 & 31]
            found[here] = entries[numbers[here] + np.uint64((plane & 1) * (entries.size // 2))]
        return found
