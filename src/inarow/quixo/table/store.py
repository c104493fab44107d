"""What holds solved pairs: one interface to write them, and one to look positions up in them.

Pairs are written to a `Store`: a table's folder, a book, memory, or nowhere. Positions are looked up in a
`Reader`: a table or a book.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.files import Content, TableFiles, plane_of, plane_runs
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.values import Outcome, Value

Progress = Callable[[int, int], None]  # the work done so far, and all of it

MISSING, INVALID = 2, 3  # in place of a value: the position is not stored; the word is no position
VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
NUMBERS: dict[Value, int] = {value: number for number, value in VALUES.items()}


# --- To write ---


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair whose files are known to be sound."""

    record: PairRecord
    files: TableFiles
    finished: Mapping[PairId, PairRecord] = field(
        default_factory=dict
    )  # all pairs of the table, if not empty

    @property
    def classes(self) -> tuple[ClassCounts, ...]:
        return self.record.classes

    def plane(self, pair: PairId, number: int) -> Plane:
        """A plane of this pair or another of the table, without the plies of wins."""
        record = self.other(pair)
        return plane_of(
            str(self.files.folder), record, plane_runs(self.files, record, number, self.files.threads)
        )

    def other(self, pair: PairId) -> PairRecord:
        """The record of this pair, or of another of the table."""
        if pair == self.record.pair:
            return self.record
        finished = self.finished or {found.pair: found for found in Manifest.load(self.files.folder).pairs}
        return finished[pair]


class Store(Protocol):
    """Takes pairs while they are being solved."""

    @property
    def finished(self) -> Mapping[PairId, PairRecord]:
        """The pairs that an earlier run stored, sound or not."""

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        """Get ready to take pairs, and at the end of the context finish what is being written.

        Nothing is written before. A table of the pairs has about `needed` bytes.
        """

    def find(self, a: int, b: int) -> StoredPair | None:
        """A pair that is finished, if its files are sound."""

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> Future[StoredPair] | None:
        """Store a solved pair, now or later; return what can be waited for if it can be read back.

        `content` is called at once if it is needed. It returns a record if the files have been written
        already. What goes wrong later is raised by the next call, or at the end of the context.
        """


class NoStore:
    """Keeps nothing: for the counts alone."""

    finished: Mapping[PairId, PairRecord] = {}

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        return nullcontext()

    def find(self, a: int, b: int) -> StoredPair | None:
        return None

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        return None


# --- To read ---


class Reader(Protocol):
    """Looks positions up."""

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values (1 win, 0 draw, −1 loss, `MISSING`, `INVALID`) and plies, −1 for a draw or if not known.

        A position is a word as `Position.mover_word` gives it.
        """

    def probe_with_moves(self, word: int) -> tuple[list[int], list[int]]:
        """The same of one position, and then of those after its moves in the order of `legal_moves`."""

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The values alone, which takes less time."""


def outcomes_of(values: NDArray[np.int8], plies: NDArray[np.int32]) -> list[Outcome | None]:
    """What `Reader.probe` found, one by one; None where a position is not stored."""
    return [
        None if value == MISSING else Outcome(VALUES[value], None if count < 0 else count)
        for value, count in zip(values.tolist(), plies.tolist(), strict=True)
    ]
