"""Reads the files of a pair for the checker, in the plain and in the compact form.

Written from the page on the format of tables, and sharing no code with what reads them elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.manifest import ListedFile, ListedPair
from inarow.verify.quixo.rules import Rules

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]

PIECE = 16384  # entries
_HEADER = struct.Struct("<8sHBBBBBBBB6sQ32s")
_PIECES_HEADER = struct.Struct("<8sHBBBBBBBB2sIQ")
_DIGEST = 32
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # left out in the files
_VALUES = np.array([0, native.DRAW, 65535, native.NOT_AN_ENTRY], np.uint32)  # of outcomes at two bits
# How many of the first 0 to 4 outcomes in a byte are losses.
_LOSSES = np.array([[sum(byte >> 2 * i & 3 == 0 for i in range(n)) for n in range(5)] for byte in range(256)])
_PIECES_PER_TASK = 64
_PIECES_KEPT = 64  # of each pair, unpacked; a sample reads neighbouring entries one after the other


class PairFiles(Protocol):
    """The files of a pair whose headers agree with the manifest."""

    def entries(self, threads: int) -> Entries:
        """All entries, ready for the checker.

        In the compact form with plies they take two bytes each, and wins have 0 plies; without plies, two
        bits.
        """

    def values(self, plane: int, indices: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Single entries of a plane as entries of two bytes. In the compact form, wins have 0 plies."""

    def content_digest(self) -> str:
        """SHA-256 of all bytes of the files."""


def open_pair(folder: Path, rules: Rules, listed: ListedPair) -> PairFiles:
    """
    :raises MissingTable: if a file is missing.
    :raises DamagedFile: if a file does not agree with the manifest.
    """
    return PlainPair(folder, rules, listed) if listed.file.width else CompactPair(folder, rules, listed)


class PlainPair:
    """One file with an entry of one or two bytes for each position."""

    def __init__(self, folder: Path, rules: Rules, listed: ListedPair) -> None:
        self._path, self._width = folder / listed.file.name, listed.file.width
        self._planes = _planes(listed)
        header, length = _read_header(self._path, _HEADER.size)
        *fields, digest = _HEADER.unpack(header)
        count = rules.game.entry_count(listed.a, listed.b)
        _compare(
            self._path.name,
            fields,
            rules,
            listed,
            b"INAROWQX",
            self._width,
            {"zeros": bytes(6), "entries": count},
        )
        if digest.hex() != listed.file.sha256:
            raise DamagedFile(f"{self._path.name}: the digest in the header is not the one in manifest.json")
        if length != _HEADER.size + count * self._width:
            expected = _HEADER.size + count * self._width
            raise DamagedFile(f"{self._path.name} has {length} bytes, expected {expected}")

    def entries(self, threads: int) -> Entries:
        return np.memmap(self._path, np.dtype(f"<u{self._width}"), mode="r", offset=_HEADER.size)

    def values(self, plane: int, indices: NDArray[np.uint64]) -> NDArray[np.uint32]:
        entries = self.entries(1)
        top = int(np.iinfo(entries.dtype).max)
        draw = top // 2
        found = np.array(entries[indices + np.uint64(plane * entries.size // self._planes)], np.uint32)
        found[found > draw + 1] += 65535 - top
        found[found == draw + 1] = native.NOT_AN_ENTRY
        found[found == draw] = native.DRAW
        return found

    def content_digest(self) -> str:
        return hashlib.sha256(np.memmap(self._path, np.uint8, mode="r").data).hexdigest()


class CompactPair:
    """A file of outcomes and, unless the table has no plies, one with the plies of losses."""

    def __init__(self, folder: Path, rules: Rules, listed: ListedPair) -> None:
        self._values = _PieceFile(folder, rules, listed, listed.file)
        self._plies = None if listed.plies is None else _PieceFile(folder, rules, listed, listed.plies)
        # Of single entries; whole pairs are unpacked once.
        self._kept_outcomes = lru_cache(maxsize=_PIECES_KEPT)(self._outcomes)
        self._kept_plies = lru_cache(maxsize=_PIECES_KEPT)(self._plies_of_losses)

    def entries(self, threads: int) -> Entries:
        pieces, plies = self._values, self._plies
        of_plane = pieces.entries if plies else -(-pieces.entries // 4)
        count = pieces.planes * of_plane
        unpacked: Entries = np.empty(count, np.uint16) if plies else np.empty(count, np.uint8)

        def unpack(number: int) -> None:
            plane, nth = divmod(number, pieces.of_plane)
            packed = self._outcomes(number)
            if not plies:
                first = plane * of_plane + nth * (PIECE // 4)
                unpacked[first : first + packed.size] = packed
                return
            first = plane * of_plane + nth * PIECE
            codes = _codes(packed)[: pieces.entries_of(number)]
            target = unpacked[first : first + codes.size]
            target[:] = _VALUES[codes]
            target[codes == 0] = self._plies_of_losses(number, int(np.sum(codes == 0)))

        def unpack_task(first: int) -> None:
            for number in range(first, min(first + _PIECES_PER_TASK, pieces.count)):
                unpack(number)

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(unpack_task, range(0, pieces.count, _PIECES_PER_TASK)):
                pass
        return unpacked

    def values(self, plane: int, indices: NDArray[np.uint64]) -> NDArray[np.uint32]:
        found = np.empty(indices.size, np.uint32)
        of_piece = (indices // np.uint64(PIECE)).astype(np.int64)
        for nth in np.unique(of_piece):
            here = np.flatnonzero(of_piece == nth)
            number = plane * self._values.of_plane + int(nth)
            found[here] = self._values_in(number, (indices[here] % np.uint64(PIECE)).astype(np.int64))
        return found

    def content_digest(self) -> str:
        digest = hashlib.sha256(self._values.content.data)
        if self._plies:
            digest.update(self._plies.content.data)
        return digest.hexdigest()

    def _values_in(self, number: int, places: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Entries of one piece."""
        packed = self._kept_outcomes(number)
        codes = packed[places // 4] >> (places % 4 * 2).astype(np.uint8) & 3
        found = np.array(_VALUES[codes], np.uint32)
        lost = np.flatnonzero(codes == 0)
        if self._plies and lost.size:
            before = np.concatenate([[0], np.cumsum(_LOSSES[packed, 4])])
            padding = 4 * packed.size - self._values.entries_of(number)  # zeros, which read as losses
            plies = self._kept_plies(number, int(before[-1]) - padding)
            bytes_, within = np.divmod(places[lost], 4)
            found[lost] = plies[before[bytes_] + _LOSSES[packed[bytes_], within]]
        return found

    def _outcomes(self, number: int) -> NDArray[np.uint8]:
        """A piece of outcomes, four in a byte."""
        entries = self._values.entries_of(number)
        packed = np.frombuffer(self._values.unpacked(number, -(-entries // 4)), np.uint8)
        if entries % 4 and packed[-1] >> entries % 4 * 2:
            raise DamagedFile(f"{self._values.name}: piece {number} has bits set past its last entry")
        return packed

    def _plies_of_losses(self, number: int, count: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        assert self._plies is not None
        width = self._plies.width
        return np.frombuffer(self._plies.unpacked(number, count * width), np.dtype(f"<u{width}"))


class _PieceFile:
    """A file of pieces: the outcomes of a pair (width 0), or the plies of its losses."""

    def __init__(self, folder: Path, rules: Rules, listed: ListedPair, file: ListedFile) -> None:
        self.name, self.width, self.planes = file.name, file.width, _planes(listed)
        self.entries = rules.game.entry_count(listed.a, listed.b) // self.planes  # of a plane
        self.of_plane = -(-self.entries // PIECE)
        self.count = self.planes * self.of_plane

        header, length = _read_header(folder / self.name, _PIECES_HEADER.size)
        rest = {"zeros": bytes(2), "entries of a piece": PIECE, "entries of a plane": self.entries}
        _compare(self.name, list(_PIECES_HEADER.unpack(header)), rules, listed, b"INAROWQC", self.width, rest)
        index = length - _DIGEST - 8 * self.count
        if index < len(header):
            raise DamagedFile(f"{self.name} has {length} bytes, too few for its index")
        self.content: NDArray[np.uint8] = np.memmap(folder / self.name, np.uint8, mode="r")
        lengths_and_sums = self.content[index : length - _DIGEST].tobytes()
        digest = self.content[length - _DIGEST :].tobytes()
        if hashlib.sha256(header + lengths_and_sums).digest() != digest:
            raise DamagedFile(f"{self.name}: the digest at its end is not that of its header and index")
        if digest.hex() != file.sha256:
            raise DamagedFile(f"{self.name}: the digest at its end is not the one in manifest.json")
        if length != file.length:
            raise DamagedFile(f"{self.name} has {length} bytes, {file.length} in manifest.json")
        numbers = np.frombuffer(lengths_and_sums, "<u4").reshape(-1, 2)
        self._checksums = numbers[:, 1]
        self._begin = len(header)
        self._ends = self._begin + np.cumsum(numbers[:, 0], dtype=np.int64)
        if int(self._ends[-1]) != index:
            raise DamagedFile(f"{self.name} has {length} bytes, not as many as its index says")

    def entries_of(self, number: int) -> int:
        """How many entries a piece has."""
        return min(PIECE, self.entries - number % self.of_plane * PIECE)

    def unpacked(self, number: int, size: int) -> bytes:
        """The `size` bytes of a piece."""
        stored = self._stored(number)
        if len(stored) <= 1:
            data = stored * size
        else:
            try:
                data = zstandard.ZstdDecompressor().decompress(_ZSTD_MAGIC + stored, max_output_size=size)
            except zstandard.ZstdError as error:
                raise DamagedFile(f"{self.name}: piece {number} cannot be unpacked: {error}") from None
        if len(data) != size or (size == 0) != (not stored):
            raise DamagedFile(f"{self.name}: piece {number} does not have the expected {size} bytes")
        return data

    def _stored(self, number: int) -> bytes:
        begin = int(self._ends[number - 1]) if number else self._begin
        stored = self.content[begin : int(self._ends[number])].tobytes()
        if zlib.crc32(stored) != self._checksums[number]:
            raise DamagedFile(f"{self.name}: the checksum of piece {number} is wrong")
        return stored


def _planes(listed: ListedPair) -> int:
    return 1 if listed.a == listed.b else 2


def _read_header(path: Path, size: int) -> tuple[bytes, int]:
    """The header, and the length of the file."""
    try:
        with path.open("rb") as file:
            header = file.read(size)
            length = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        raise MissingTable(f"{path} is missing, though the manifest lists it") from None
    if len(header) < size:
        raise DamagedFile(f"{path.name} ends within its header")
    return header, length


def _compare(
    name: str,
    fields: list[Any],
    rules: Rules,
    listed: ListedPair,
    magic: bytes,
    width: int,
    rest: dict[str, Any],
) -> None:
    """Compare the fields of a header with what the manifest leads one to expect."""
    expected = {
        "magic": magic,
        "version": 1,
        "rows": rules.rows,
        "line": rules.line,
        "double line": int(rules.double_line == "wins"),
        "a": listed.a,
        "b": listed.b,
        "width": width,
        "planes": _planes(listed),
        "columns": rules.columns,
        **rest,
    }
    found = dict(zip(expected, fields, strict=True))
    found["columns"] = found["columns"] or found["rows"]  # 0 in files of version 0.1: a square
    for what, right in expected.items():
        if found[what] != right:
            raise DamagedFile(f"{name}: {what} in the header is {found[what]!r}, expected {right!r}")


def _codes(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The two bits of each entry, one a byte."""
    codes = packed[:, None] >> np.array([0, 2, 4, 6], np.uint8) & np.uint8(3)
    return np.asarray(codes.ravel(), np.uint8)
