"""What holds solved pairs: one interface to write them, and one to look positions up in them.

Pairs are written to a `Store`: a table's folder, a book, or nowhere. Positions are looked up in a `Reader`:
the plain or the compact form of a table, or a book. The compact form is read through `ByteSource`, so its
files may be anywhere that serves ranges of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries, Packed
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.values import Outcome, Value

Progress = Callable[[int, int], None]  # the work done so far, and all of it

MISSING, INVALID = 2, 3  # in place of a value: the position is not stored; the word is no position
VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}


class Outcomes(Protocol):
    """The outcomes of a pair, in memory or in a file."""

    def plane(self, plane: int, threads: int | None = None) -> Packed:
        """All outcomes of a plane, packed."""


@dataclass(frozen=True, slots=True)
class PackedPlanes:
    """Outcomes in memory."""

    planes: Sequence[Packed]

    def plane(self, plane: int, threads: int | None = None) -> Packed:
        return self.planes[plane]


class Run(NamedTuple):
    """Pieces of the compact form one after the other, before they are packed."""

    data: NDArray[np.uint8]
    sizes: NDArray[np.uint32]  # the bytes of each piece


@dataclass(frozen=True, slots=True)
class PairInPieces:
    """A pair cut into the pieces of the compact form."""

    width: int  # bytes of the plies of a loss
    values: Iterable[Run]  # the outcomes
    plies: Iterable[Run]  # of the losses of each piece of outcomes
    nbytes: int = 0  # of memory that it takes


Content = Entries | Outcomes | PairInPieces  # of a pair: with plies, or without


class ReadableFiles(Protocol):
    """The files of a table's pairs, in one form, here or elsewhere."""

    def check(self, record: PairRecord) -> None:
        """Compare a pair's files with their checksums; an `InarowError` says what is wrong."""

    def reader(self, records: Sequence[PairRecord]) -> Reader:
        """Open these pairs to look positions up in them."""


# --- To write ---


class PairFiles(ReadableFiles, Protocol):
    """The files of a table's pairs, in one form. Can be sent to another process."""

    def names(self, a: int, b: int) -> tuple[str, ...]:
        """The names of a pair's files."""

    def write(self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Content) -> PairRecord:
        """Write a pair's files."""

    def open(self, record: PairRecord) -> Content:
        """The content of a pair, which is read when it is used; its header is checked at once."""


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair whose files are known to be sound."""

    record: PairRecord
    files: PairFiles
    finished: Mapping[PairId, PairRecord] = field(default_factory=dict)  # all pairs of the table

    @property
    def classes(self) -> tuple[ClassCounts, ...]:
        return self.record.classes

    def open(self) -> Content:
        return self.files.open(self.record)

    def other(self, a: int, b: int) -> StoredPair:
        """Another pair of the same table."""
        return StoredPair(self.finished[a, b], self.files, self.finished)


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


class ByteSource(Protocol):
    """A file that is read in parts."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def size(self) -> int: ...

    def ends(self, first: int, last: int) -> tuple[bytes, bytes]:
        """So many of the first bytes and of the last, or all there are. Opening a table reads no more."""

    def read(self, begin: int, end: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file, and how to tell whether it is what was written."""

    source: ByteSource
    begin: int
    end: int
    is_sound: Callable[[bytes], bool]


class Fetcher(Protocol):
    """Has parts of files that are far away at hand before they are read."""

    @property
    def at_once(self) -> int:
        """The number of parts that take hardly longer to fetch than one."""

    def fetch(self, parts: Sequence[Part]) -> None:
        """Fetch these parts, unless they are at hand, all in parallel."""
