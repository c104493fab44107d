"""The files of a table: for each pair one of outcomes, and one of the plies of its losses.

docs/tablebase-format.md specifies them. The plies of wins follow from those of losses, and are restored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from inarow._native.quixo import WinPlies, losses_in, lost_plies_of
from inarow.errors import DamagedFile
from inarow.files import write_atomically
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import LOSS, WIN, Plane, Plies, packed_size, unpack
from inarow.quixo.table.location import Location
from inarow.quixo.table.manifest import Manifest, PairRecord, StoredFile
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, file_name, plane_above
from inarow.quixo.table.pieces import (
    PIECE,
    ByteSource,
    LocalFile,
    MemoryFile,
    Part,
    PieceFile,
    Run,
    header,
    outcome_runs,
    pieces_of_plane,
    write_pieces,
)

_AT_ONCE = 1 << 10  # pieces that are read, or whose losses are collected, at a time


class PairFiles(Protocol):
    """The files of a table's pairs, here or elsewhere."""

    @property
    def rules(self) -> Quixo: ...

    @property
    def plies(self) -> bool: ...

    def open(self, record: PairRecord, plies: bool = False) -> PieceFile:
        """The outcomes of a pair, or the plies of its losses: the header is checked at once."""

    @property
    def at_once(self) -> int | None:
        """The number of parts that take hardly longer to fetch than one, where one takes long."""

    def fetch(self, parts: Sequence[Part]) -> list[bytes]:
        """Parts of these files as they are stored."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a table stores of a pair, cut into pieces; it may be made when it is asked for."""

    width: int  # bytes of the plies of a loss; 0 without plies
    values: Iterable[Run]  # the outcomes
    plies: Iterable[Run]  # of the losses of each piece of outcomes
    nbytes: int = 0  # of memory that it takes

    @classmethod
    def of(cls, planes: Sequence[Plane]) -> Content:
        plies = [plane for plane in planes if plane.plies is not None]
        width = max(map(_width, plies), default=0)
        values = outcome_runs(plane.outcomes for plane in planes)
        return cls(width, values, _losses(plies, width), sum(plane.nbytes for plane in planes))


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of a table in a folder. Can be sent to another process."""

    folder: Path
    rules: Quixo
    plies: bool = True
    threads: int | None = None  # that pack and unpack pieces; None for all processors
    at_once: int | None = field(default=None, init=False)

    def names(self, a: int, b: int) -> tuple[str, ...]:
        """The names of a pair's files."""
        values = file_name(a, b, "values")
        return (values, file_name(a, b, "plies")) if self.plies else (values,)

    def write(self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Content) -> PairRecord:
        """Write a pair's files."""
        count = entry_count(self.rules, a, b)
        values, plies = self.write_pieces(a, b, 0, content.values), None
        if self.plies:
            plies = self.write_pieces(a, b, content.width, content.plies)
        else:
            classes = tuple(counts.without_plies() for counts in classes)
        return PairRecord(a, b, content.width if self.plies else 0, count, values, plies, classes)

    def write_pieces(self, a: int, b: int, width: int, runs: Iterable[Run]) -> StoredFile:
        """Write one of a pair's files: of outcomes if `width` is 0, else of plies with so many bytes each."""
        entries = entry_count(self.rules, a, b) // len(classes_of(a, b))
        name = file_name(a, b, "plies" if width else "values")
        begin = header(self.rules, a, b, width, entries)
        return write_pieces(lambda parts: self._write(name, parts), begin, runs, self.threads)

    def open(self, record: PairRecord, plies: bool = False) -> PieceFile:
        name, listed, width = record.file(plies)
        file = PieceFile(self._source(name), self.rules, *record.pair, listed.sha256)
        if (file.entries * file.planes, file.size) != (record.entries, listed.size):
            raise DamagedFile(
                f"{file.name} has {file.entries * file.planes} entries in {file.size} bytes; "
                f"in the manifest there are {record.entries} in {listed.size}"
            )
        if file.width != width:
            raise DamagedFile(
                f"{file.name} has plies of {file.width} bytes; in the manifest they have {width}"
            )
        return file

    def fetch(self, parts: Sequence[Part]) -> list[bytes]:
        return [part.file.source.read(part.begin, part.end) for part in parts]

    def _write(self, name: str, parts: Iterable[bytes]) -> None:
        write_atomically(self.folder / name, parts)

    def _source(self, name: str) -> ByteSource:
        return LocalFile(self.folder / name)


@dataclass(frozen=True, slots=True)
class MemoryFiles(TableFiles):
    """The same in memory."""

    contents: dict[str, bytes] = field(default_factory=dict)

    def _write(self, name: str, parts: Iterable[bytes]) -> None:
        self.contents[name] = b"".join(parts)

    def _source(self, name: str) -> ByteSource:
        return MemoryFile(name, self.contents[name])


def files_of(folder: Path, manifest: Manifest, threads: int | None = None) -> TableFiles:
    """The files of the table with this manifest."""
    return TableFiles(folder, manifest.rules, manifest.plies, threads)


def open_files(location: Location) -> tuple[Manifest, PairFiles, Callable[[], None]]:
    """The manifest of a table, its files, and what to call when they are not needed any more."""
    if isinstance(location, Path):
        manifest = Manifest.load(location)
        return manifest, files_of(location, manifest), lambda: None
    # HTTP takes long to import, and most tables are in folders.
    from inarow.quixo.table.remote import open_remote

    manifest, files = open_remote(location)
    return manifest, files, files.close


def file_sizes(record: PairRecord) -> dict[str, int]:
    """The names and the sizes of a pair's files."""
    files = [record.file(plies) for plies in (False, True)[: 1 if record.plies is None else 2]]
    return {name: listed.size for name, listed, _ in files}


def size_of(path: Path) -> int | None:
    """The bytes of a file; None if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def check_files(files: PairFiles, record: PairRecord) -> None:
    """Compare a pair's files with their checksums; an `InarowError` says what is wrong."""
    for plies in (False, True)[: 1 + files.plies]:
        files.open(record, plies).check()


def plane_runs(
    files: PairFiles, record: PairRecord, plane: int, threads: int | None = None
) -> Iterator[tuple[Run, Run]]:
    """The pieces of a plane, some at a time: their outcomes, and the plies of their losses if it has them."""
    values = files.open(record)
    plies = files.open(record, plies=True) if files.plies else None
    count = pieces_of_plane(values.entries)
    for first in range(plane * count, (plane + 1) * count, _AT_ONCE):
        numbers = np.arange(first, min(first + _AT_ONCE, (plane + 1) * count))
        entries = np.minimum(PIECE, values.entries - numbers % count * PIECE).astype(np.uint32)
        sizes = (entries + 3) // 4
        outcomes = Run(values.unpack(first, sizes, threads), sizes)
        if plies is None:
            yield outcomes, Run(np.empty(0, np.uint8), np.zeros(numbers.size, np.uint32))
            continue
        rows = np.zeros((numbers.size, packed_size(PIECE)), np.uint8)
        rows.reshape(-1)[: outcomes.data.size] = outcomes.data
        sizes = losses_in(rows, entries) * np.uint32(plies.width)
        yield outcomes, Run(plies.unpack(first, sizes, threads), sizes)


def plane_of(name: str, record: PairRecord, runs: Iterable[tuple[Run, Run]]) -> Plane:
    """A plane of a pair from its pieces: with the plies of its losses alone, if it has any.

    Errors say the `name` of the table.
    """
    entries = record.entries // record.planes
    most = max((counts.max_plies or 0 for counts in record.classes), default=0)
    outcomes = np.empty(packed_size(entries), np.uint8)
    plies: Plies | None = None if record.width == 0 else np.zeros(entries, "u1" if most < 256 else "<u2")
    at = 0
    for values, lost in runs:
        outcomes[at // 4 : at // 4 + values.data.size] = values.data
        count = min(entries - at, 4 * values.data.size)
        codes = unpack(values.data, count)
        if np.any(codes > WIN):
            raise DamagedFile(f"{name}: pair {{{record.a}, {record.b}}} has entries that mean nothing")
        if plies is not None:
            plies[at : at + count][codes == LOSS] = lost.data.view("u1" if record.width == 1 else "<u2")
        at += count
    return Plane(outcomes, plies)


class Restorer:
    """Finds the plies of wins, which tables leave out: one more than the fewest of what is lost after it."""

    def __init__(self, name: str, rules: Quixo, threads: int | None = None) -> None:
        """Errors say the `name` of the table."""
        self._name, self._rules = name, rules
        self._wins = WinPlies(rules.native)
        self._threads = thread_count(threads)

    def plane(self, a: int, b: int, number: int, read: Callable[[PairId, int], Plane]) -> Plane:
        """A plane with the plies of its wins; `read` gets planes without them.

        `DamagedFile` if a win cannot be one.
        """
        plane = read((a, b), number)
        other = plane if a == b else read((a, b), 1 - number)
        above = plane_above(self._rules, a, b, number)
        more = None if above is None else read(*above)
        assert plane.plies is not None
        blocks = self._wins.blocks(a)
        # Blocks between two chances for Ctrl-C.
        step = max(1, _AT_ONCE * PIECE * blocks // plane.plies.size)
        for first in range(0, blocks, step):
            last = min(first + step, blocks)
            its = a, b, number, plane.outcomes, plane.plies, other, more
            if not self._wins.fill_plane(*its, first, last, self._threads):
                raise DamagedFile(f"{self._name}: pair {{{a}, {b}}} has a win that no lost position follows")
        return plane


def _width(plane: Plane) -> int:
    """The bytes that the plies of a plane's losses take."""
    assert plane.plies is not None
    if plane.plies.itemsize == 1:
        return 1
    return 1 if all(run.data.view("<u2").max(initial=0) < 256 for run in _losses([plane], 2)) else 2


def _losses(planes: Sequence[Plane], width: int) -> Iterator[Run]:
    """The plies of the losses of each piece."""
    for outcomes, plies in planes:
        assert plies is not None
        for first in range(0, plies.size, _AT_ONCE * PIECE):
            some = plies[first : first + _AT_ONCE * PIECE]
            lost, counts = lost_plies_of(outcomes[first // 4 : packed_size(first + some.size)], some, PIECE)
            yield Run(lost.astype(f"<u{width}", copy=False).view(np.uint8), counts * np.uint32(width))
