"""The plain form of a table: a file for each pair, with one or two bytes for each entry.

docs/tablebase-format.md specifies it. Entries are read in pieces, and a piece is compared with its checksum
when it is first read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import DamagedPiece, PlainReader, piece_checksums
from inarow.errors import DamagedFile
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import NARROW_PLIES, Entries, narrowed
from inarow.quixo.table.header import HEADER_SIZE, HeaderFormat
from inarow.quixo.table.manifest import VERSION, PairRecord
from inarow.quixo.table.open_file import OpenFile
from inarow.quixo.table.pairs import file_name
from inarow.quixo.table.pieces import whole_and_rest
from inarow.quixo.table.store import Reader

PIECE = 1 << 12  # entries
_FORMATS = {
    1: HeaderFormat(b"INAROWQX", version=1, piece=0),  # without checksums of pieces
    2: HeaderFormat(b"INAROWQX", version=2, piece=PIECE),
}
_DIGEST = 32
_ENTRIES_AT = HEADER_SIZE + _DIGEST
_SUM = np.dtype("<u4")
_AT_ONCE = 1 << 10  # pieces
_KEPT = 4 << 30  # bytes of entries that a reader keeps in memory


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """The files of a plain table in a folder."""

    folder: Path
    rules: Quixo
    version: int = VERSION
    square_only: bool = False  # as inarow 0.1 wrote them

    def names(self, a: int, b: int) -> tuple[str, ...]:
        return (file_name(a, b, "bin"),)

    def write(self, a: int, b: int, classes: tuple[ClassCounts, ...], content: object) -> PairRecord:
        """Write a pair, with one byte for each entry if that is enough."""
        entries = cast("Entries", content)
        if all((counts.max_plies or 0) <= NARROW_PLIES for counts in classes):
            entries = narrowed(entries)
        header = _FORMATS[self.version].header(
            self.rules, a, b, entries.itemsize, entries.size, square_only=self.square_only
        )
        data: Entries = np.ascontiguousarray(entries.astype(entries.dtype.newbyteorder("<"), copy=False))
        index = b"" if self.version == 1 else _checksums(data).astype(_SUM).tobytes()
        digest = hashlib.sha256(header)
        digest.update(data.data if self.version == 1 else index)
        write_atomically(self._path(a, b), (header, digest.digest(), data.data, index))
        return PairRecord(a, b, entries.itemsize, entries.size, digest.hexdigest(), classes)

    def open(self, record: PairRecord) -> Entries:
        """A pair's entries, read and checked."""
        with self._opened(record) as file:
            entries = np.empty(record.entries, file.dtype)
            at = 0
            for some in file.checked():
                entries[at : at + some.size] = some
                at += some.size
        return entries

    def check(self, record: PairRecord) -> None:
        with self._opened(record) as file:
            for _ in file.checked():
                pass

    def reader(self, records: Sequence[PairRecord]) -> Reader:
        return _Reader(self.rules, [self._opened(record) for record in records])

    def file_size(self, record: PairRecord) -> int:
        """Bytes of a pair's file."""
        index = 0 if self.version == 1 else -(-record.entries // PIECE) * _SUM.itemsize
        return _ENTRIES_AT + record.entries * record.width + index

    def _path(self, a: int, b: int) -> Path:
        return self.folder / file_name(a, b, "bin")

    def _opened(self, record: PairRecord) -> _PairFile:
        path = self._path(*record.pair)
        return _PairFile(path, record, self.file_size(record), _FORMATS[self.version], self.rules)


class _PairFile:
    """The open file of a pair: all is checked at once but its entries."""

    def __init__(
        self, path: Path, record: PairRecord, size: int, header_format: HeaderFormat, rules: Quixo
    ) -> None:
        self.record, self.dtype = record, np.dtype(f"<u{record.width}")
        self.name = str(path)
        self._opened = OpenFile(path)
        self._header, self._digest, self._index = self._check(size, header_format, rules)

    def __enter__(self) -> _PairFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self._opened.close()

    @property
    def descriptor(self) -> int:
        return self._opened.descriptor

    def checksums(self) -> NDArray[np.uint32]:
        """Those of all pieces. A file of version 1 has none: it is read and checked as a whole."""
        if self._index is not None:
            return self._index
        return np.concatenate([_checksums(some) for some in self.checked()])

    def checked(self) -> Iterator[Entries]:
        """All entries, some at a time; `DamagedFile` if they are not what was written."""
        digest = hashlib.sha256(self._header)
        step = _AT_ONCE * PIECE
        for first in range(0, self.record.entries, step):
            count = min(step, self.record.entries - first)
            data = self._read(_ENTRIES_AT + first * self.record.width, count * self.record.width)
            some = np.frombuffer(data, self.dtype)
            if self._index is None:
                digest.update(data)
            else:
                number = first // PIECE
                wrong = _checksums(some) != self._index[number : number + _AT_ONCE]
                if np.any(wrong):
                    piece = f"piece {number + int(np.argmax(wrong))}"
                    raise DamagedFile(f"{self.name} is damaged: {piece} does not match its checksum")
            yield some
        if self._index is None and digest.digest() != self._digest:
            raise DamagedFile(f"{self.name} is damaged: its content does not match its checksum")

    def _check(
        self, size: int, header_format: HeaderFormat, rules: Quixo
    ) -> tuple[bytes, bytes, NDArray[np.uint32] | None]:
        """The header and the digest of the file, and the checksums of its pieces if it has them."""
        record, found = self.record, self._opened.size
        if found < _ENTRIES_AT:
            raise DamagedFile(f"{self.name} is cut short: {found} bytes, less than its header")
        content = self._read(0, _ENTRIES_AT)
        header, digest = content[:HEADER_SIZE], content[HEADER_SIZE:]
        width, entries = header_format.read(self.name, header, rules, *record.pair)
        if (width, entries) != (record.width, record.entries):
            raise DamagedFile(
                f"{self.name} is damaged: it has {entries} entries of {width} bytes; "
                f"in the manifest there are {record.entries} of {record.width}"
            )
        if found < size:
            raise DamagedFile(f"{self.name} is cut short: {found} bytes, not {size}")
        if found > size:
            raise DamagedFile(f"{self.name} is damaged: there are bytes after its end")
        if digest.hex() != record.sha256:
            raise DamagedFile(f"{self.name} is not the file that the manifest lists: its checksum differs")
        if header_format.piece == 0:
            return header, digest, None
        index_at = _ENTRIES_AT + entries * width
        index = self._read(index_at, size - index_at)
        if hashlib.sha256(header + index).digest() != digest:
            raise DamagedFile(f"{self.name} is damaged: its index does not match its checksum")
        return header, digest, np.frombuffer(index, _SUM).astype(np.uint32)

    def _read(self, begin: int, size: int) -> bytes:
        data = self._opened.read(begin, begin + size)
        if len(data) < size:
            raise DamagedFile(f"{self.name} is cut short: {begin + len(data)} bytes")
        return data


class _Reader:
    """Looks positions up; see `Reader`."""

    def __init__(self, rules: Quixo, files: Sequence[_PairFile]) -> None:
        self._files = files  # must stay open
        self._native = PlainReader(rules.native, _KEPT)
        for file in files:
            a, b = file.record.pair
            self._native.add(
                a, b, file.record.width, file.descriptor, _ENTRIES_AT, file.checksums(), file.name
            )

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        try:
            return self._native.probe(words)
        except DamagedPiece as error:
            raise DamagedFile(str(error)) from None

    def probe_with_moves(self, word: int) -> tuple[list[int], list[int]]:
        try:
            return self._native.probe_with_moves(word)
        except DamagedPiece as error:
            raise DamagedFile(str(error)) from None

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        return self.probe(words)[0]


def _checksums(entries: Entries) -> NDArray[np.uint32]:
    """The checksum of each piece."""
    return piece_checksums(entries.view(np.uint8), whole_and_rest(entries.nbytes, PIECE * entries.itemsize))
