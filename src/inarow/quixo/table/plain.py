"""The plain form of a table: a file for each pair, whose entries are mapped into memory.

docs/tablebase-format.md specifies it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from inarow._native.quixo import TableReader
from inarow.errors import DamagedFile, MissingTable
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import NARROW_PLIES, Entries, narrowed
from inarow.quixo.table.header import HEADER_SIZE, HeaderFormat
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import file_name
from inarow.quixo.table.store import Content, Reader

_PLAIN = HeaderFormat(b"INAROWQX", piece=0)
_DIGEST = 32
_ENTRIES_AT = HEADER_SIZE + _DIGEST


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """The files of a plain table in a folder."""

    folder: Path
    rules: Quixo
    square_only: bool = False  # as inarow 0.1 wrote them

    def names(self, a: int, b: int) -> tuple[str, ...]:
        return (file_name(a, b, "bin"),)

    def write(self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Content) -> PairRecord:
        """Write a pair, with one byte for each entry if that is enough."""
        entries = cast("Entries", content)
        if all((counts.max_plies or 0) <= NARROW_PLIES for counts in classes):
            entries = narrowed(entries)
        header = _PLAIN.header(self.rules, a, b, entries.itemsize, entries.size, square_only=self.square_only)
        data = np.ascontiguousarray(entries, entries.dtype.newbyteorder("<")).data
        digest = hashlib.sha256(header)
        digest.update(data)
        write_atomically(self._path(a, b), (header, digest.digest(), data))
        return PairRecord(a, b, entries.itemsize, entries.size, digest.hexdigest(), classes)

    def open(self, record: PairRecord) -> Entries:
        """Map a pair's entries into memory. Header and length are checked, the entries by `check`."""
        return self._open(record)[1]

    def check(self, record: PairRecord) -> None:
        header, entries = self._open(record)
        digest = hashlib.sha256(header)
        digest.update(entries.data)
        if digest.hexdigest() != record.sha256:
            raise DamagedFile(
                f"{self._path(*record.pair)} is damaged: its content does not match its checksum"
            )

    def reader(self, records: Sequence[PairRecord]) -> Reader:
        reader = TableReader(self.rules.native)
        for record in records:
            reader.add(record.a, record.b, self.open(record))
        return reader

    @staticmethod
    def file_size(record: PairRecord) -> int:
        """Bytes of a pair's file."""
        return _ENTRIES_AT + record.entries * record.width

    def _path(self, a: int, b: int) -> Path:
        return self.folder / file_name(a, b, "bin")

    def _open(self, record: PairRecord) -> tuple[bytes, Entries]:
        """The header of a pair's file, and its entries."""
        path = self._path(*record.pair)
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                content = file.read(_ENTRIES_AT)
        except FileNotFoundError:
            raise MissingTable(f"{path} is missing, though the manifest lists it") from None
        if len(content) < _ENTRIES_AT:
            raise DamagedFile(f"{path} is cut short: {len(content)} bytes, less than its header")
        header, digest = content[:HEADER_SIZE], content[HEADER_SIZE:]
        width, entries = _PLAIN.read(str(path), header, self.rules, record.a, record.b)
        if width not in (1, 2):
            raise DamagedFile(f"{path} is damaged: entries of {width} bytes")
        if size < _ENTRIES_AT + entries * width:
            raise DamagedFile(f"{path} is cut short: {size} bytes, not {_ENTRIES_AT + entries * width}")
        if size > _ENTRIES_AT + entries * width:
            raise DamagedFile(f"{path} is damaged: there are bytes after its last entry")
        if digest.hex() != record.sha256:
            raise DamagedFile(f"{path} is not the file that the manifest lists: its checksum differs")
        if (width, entries) != (record.width, record.entries):
            raise DamagedFile(
                f"{path} has {entries} entries of {width} bytes; "
                f"in the manifest there are {record.entries} of {record.width}"
            )
        return header, np.memmap(path, np.dtype(f"<u{width}"), "r", _ENTRIES_AT, (entries,))
