"""What holds solved pairs while a game is solved: a table's folder, a book, memory, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.files import Content, MemoryFiles, TableFiles, plane_of, plane_runs
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.values import VALUES, Outcome

Progress = Callable[[int, int], None]  # the work done so far, and all of it

MISSING, INVALID = 2, 3  # in place of a value: the position is not stored; the word is no position


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


class Store:
    """Takes pairs while they are being solved. This one keeps nothing: for the counts alone."""

    finished: Mapping[PairId, PairRecord] = {}  # the pairs that an earlier run stored, sound or not

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        """Get ready to take pairs, and at the end of the context finish what is being written.

        Nothing is written before. A table of the pairs has about `needed` bytes.
        """
        return nullcontext()

    def find(self, a: int, b: int) -> StoredPair | None:
        """A pair that is finished, if its files are sound."""
        return None

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> Future[StoredPair] | None:
        """Store a solved pair, now or later; return what can be waited for if it can be read back.

        `content` is called at once if it is needed. It returns a record if the files have been written
        already. What goes wrong later is raised by the next call, or at the end of the context.
        """
        return None


class MemoryStore(Store):
    """A table in memory, of a board that is solved in no time, where nothing can be written."""

    def __init__(self, rules: Quixo) -> None:
        self.files = MemoryFiles(Path("memory"), rules)
        self.records: dict[PairId, PairRecord] = {}

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        made = content()
        assert isinstance(made, Content)
        self.records[a, b] = self.files.write(a, b, classes, made)

    @property
    def manifest(self) -> Manifest:
        return Manifest(self.files.rules, tuple(self.records.values()))


def outcomes_of(values: NDArray[np.int8], plies: NDArray[np.int32]) -> list[Outcome | None]:
    """Values and plies of the core, one by one; None where a position is not stored."""
    return [
        None if value == MISSING else Outcome(VALUES[value], None if count < 0 else count)
        for value, count in zip(values.tolist(), plies.tolist(), strict=True)
    ]
