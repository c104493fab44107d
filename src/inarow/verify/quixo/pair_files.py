"""Reads the files of a pair for the checker, in the plain and in the compact form.

Written from the page on the format of tables, and sharing no code with what reads them elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.manifest import ListedFile, ListedPair
from inarow.verify.quixo.rules import Rules

PIECE = 16384  # entries
_HEADER = struct.Struct("<8sHBBBBBBBB6sQ32s")
_PIECES_HEADER = struct.Struct("<8sHBBBBBBBB2sIQ")
_DIGEST = 32
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # left out in the files
_VALUES = np.array([0, native.DRAW, 65535, native.NOT_AN_ENTRY], np.uint32)  # of outcomes at two bits
_PIECES_AT_ONCE = 2048  # are unpacked together


@dataclass(frozen=True)
class Plane:
    """A plane in memory: its codes, and the same for the checker, which knows what they stand for."""

    codes: NDArray[Any]
    native: native.Plane


class PairFiles(Protocol):
    """The files of a pair whose headers agree with the manifest."""

    def plane(self, number: int, width: int, threads: int) -> Plane:
        """The entries of a plane, ready for the checker, as codes of so many bytes.

        In the compact form, wins have no plies yet.

        :raises NoCodeLeft: if there are more different values than codes of one byte.
        """

    def values(self, plane: int, indices: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
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

    def plane(self, number: int, width: int, threads: int) -> Plane:
        entries = self._entries().reshape(self._planes, -1)[number]
        if width > self._width:
            entries = native.Plane(entries, native.Codes.PLAIN).values()[entries]
        return Plane(entries, native.Plane(entries, native.Codes.PLAIN))

    def _entries(self) -> NDArray[Any]:
        return np.memmap(self._path, np.dtype(f"<u{self._width}"), mode="r", offset=_HEADER.size)

    def values(self, plane: int, indices: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
        entries = self._entries()
        top = int(np.iinfo(entries.dtype).max)
        draw = top // 2
        found = np.array(entries[indices + np.uint64(plane * entries.size // self._planes)], np.uint32)
        found[found > draw + 1] += 65535 - top
        found[found == draw + 1] = native.NOT_AN_ENTRY
        found[found == draw] = native.DRAW
        return found

    def content_digest(self) -> str:
        return hashlib.sha256(np.memmap(self._path, np.uint8, mode="r").data).hexdigest()


@dataclass(frozen=True)
class Run:
    """Entries of a plane of the compact form, in order."""

    outcomes: NDArray[np.uint8]  # four in a byte
    plies: NDArray[np.uint8]  # of the losses among them, `width` bytes each; none if that is 0
    width: int
    first: int  # entry of the plane, the first of a piece
    entries: int


class CompactPair:
    """A file of outcomes and, unless the table has no plies, one with the plies of losses."""

    def __init__(self, folder: Path, rules: Rules, listed: ListedPair) -> None:
        self._values = _PieceFile(folder, rules, listed, listed.file)
        self._plies = None if listed.plies is None else _PieceFile(folder, rules, listed, listed.plies)

    def plane(self, number: int, width: int, threads: int) -> Plane:
        kind = native.Codes.PLIES if self._plies else native.Codes.OUTCOMES
        codes = np.empty(self._values.entries, f"u{width}")
        plane = native.Plane(codes, kind)
        for run in self.runs(number, threads):
            plane.decode(run.outcomes, run.plies, run.width, run.first, run.entries, threads)
        return Plane(codes, plane)

    def runs(self, plane: int, threads: int) -> Iterator[Run]:
        """A plane from front to back."""
        for first in self.run_begins(plane):
            yield self.run(plane, first, threads)

    def run_begins(self, plane: int) -> range:
        """The pieces with which the runs of a plane begin."""
        of_plane = self._values.of_plane
        return range(plane * of_plane, (plane + 1) * of_plane, _PIECES_AT_ONCE)

    def run(self, plane: int, first: int, threads: int) -> Run:
        """The run of a plane that begins with this piece."""
        of_plane, width = self._values.of_plane, self._plies.width if self._plies else 0
        last = min(first + _PIECES_AT_ONCE, (plane + 1) * of_plane)
        counts = np.full(last - first, PIECE, np.uint64)
        counts[-1] = self._values.entries_of(last - 1)
        sizes = (counts + np.uint64(3)) // np.uint64(4)
        numbers = np.arange(first, last)
        outcomes = self._values.unpacked_pieces(numbers, sizes, threads)
        entries = int(counts.sum())
        self._require_zeros(last - 1, outcomes)
        plies = np.empty(0, np.uint8)
        if self._plies:
            losses = native.count_losses(outcomes, entries, threads).astype(np.uint64)
            plies = self._plies.unpacked_pieces(numbers, losses * np.uint64(width), threads)
        return Run(outcomes, plies, width, (first - plane * of_plane) * PIECE, entries)

    def values(self, plane: int, indices: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
        found = np.empty(indices.size, np.uint32)
        order = np.argsort(indices)
        numbers, first = np.unique(indices[order] // np.uint64(PIECE), return_index=True)
        ends = np.append(first, indices.size)
        numbers = numbers.astype(np.int64) + plane * self._values.of_plane
        for nth in range(0, numbers.size, _PIECES_AT_ONCE):  # each piece is unpacked once
            some = numbers[nth : nth + _PIECES_AT_ONCE]
            here = order[ends[nth] : ends[nth + some.size]]
            which = np.repeat(np.arange(some.size), np.diff(ends[nth : nth + some.size + 1]))
            found[here] = self._values_in(some, which, indices[here] % np.uint64(PIECE), threads)
        return found

    def content_digest(self) -> str:
        digest = hashlib.sha256(self._values.content.data)
        if self._plies:
            digest.update(self._plies.content.data)
        return digest.hexdigest()

    def _values_in(
        self, numbers: NDArray[np.int64], which: NDArray[np.int64], places: NDArray[np.uint64], threads: int
    ) -> NDArray[np.uint32]:
        """The entries at some places, each in the piece numbers[which]."""
        counts = np.full(numbers.size, PIECE, np.uint64)
        is_last = (numbers + 1) % self._values.of_plane == 0
        counts[is_last] = self._values.entries_of(self._values.of_plane - 1)
        sizes = (counts + np.uint64(3)) // np.uint64(4)
        outcomes = self._values.unpacked_pieces(numbers, sizes, threads)
        ends = np.cumsum(sizes)
        for last in np.flatnonzero(is_last):
            self._require_zeros(int(numbers[last]), outcomes[: int(ends[last])])
        begins = (ends - sizes)[which]
        bits = (places % np.uint64(4) * np.uint64(2)).astype(np.uint8)
        codes = outcomes[begins + places // np.uint64(4)] >> bits & np.uint8(3)
        found = np.array(_VALUES[codes], np.uint32)
        lost = np.flatnonzero(codes == 0)
        if self._plies and lost.size:
            with_losses = np.unique(which[lost])
            losses = native.losses_before(outcomes, (ends - sizes)[with_losses], counts[with_losses], threads)
            width = np.uint64(self._plies.width)
            plies = self._plies.unpacked_pieces(numbers[with_losses], losses * width, threads)
            of_piece = np.cumsum(losses, dtype=np.int64) - losses
            before = native.losses_before(outcomes, begins[lost], places[lost], threads)
            at = of_piece[np.searchsorted(with_losses, which[lost])] + before
            found[lost] = plies.view(f"<u{width}")[at]
        return found

    def _require_zeros(self, number: int, packed: NDArray[np.uint8]) -> None:
        """Refuse bits past the last entry of a piece with which these outcomes end."""
        entries = self._values.entries_of(number)
        if entries % 4 and packed[-1] >> entries % 4 * 2:
            raise DamagedFile(f"{self._values.name}: piece {number} has bits set past its last entry")


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
        self._checksums = numbers[:, 1].copy()
        self._offsets = len(header) + np.concatenate([[0], np.cumsum(numbers[:, 0], dtype=np.int64)])
        if int(self._offsets[-1]) != index:
            raise DamagedFile(f"{self.name} has {length} bytes, not as many as its index says")

    def entries_of(self, number: int) -> int:
        """How many entries a piece has."""
        return min(PIECE, self.entries - number % self.of_plane * PIECE)

    def _require_sound(self, number: int, size: int) -> None:
        """Refuse a piece that does not unpack to so many bytes."""
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

    def unpacked_pieces(
        self, numbers: NDArray[np.int64], sizes: NDArray[np.uint64], threads: int
    ) -> NDArray[np.uint8]:
        """The bytes of some pieces, one after another."""
        begins = self._offsets[numbers]
        where = self.content, begins, self._offsets[numbers + 1] - begins, self._checksums[numbers], sizes
        frames, segments, framed_sizes, wrong, unexpected = native.frames(*where)
        if wrong is not None or unexpected is not None:
            self._refuse(numbers, sizes)
        data = b""
        if segments.size:
            source = zstandard.BufferWithSegments(frames.data, segments.tobytes())
            try:
                unpacked = zstandard.ZstdDecompressor().multi_decompress_to_buffer(
                    source, decompressed_sizes=framed_sizes.tobytes(), threads=threads
                )
            except zstandard.ZstdError:
                self._refuse(numbers, sizes)
            data = b"".join(cast(Any, unpacked))
        target = np.empty(int(sizes.sum()), np.uint8)
        native.lay_out(*where, np.frombuffer(data, np.uint8), target)
        return target

    def _refuse(self, numbers: NDArray[np.int64], sizes: NDArray[np.uint64]) -> NoReturn:
        """Find what is wrong with some pieces."""
        for number, size in zip(numbers, sizes, strict=True):
            self._require_sound(int(number), int(size))
        raise DamagedFile(f"{self.name}: pieces {numbers[0]} to {numbers[-1]} cannot be unpacked")

    def _stored(self, number: int) -> bytes:
        stored = self.content[self._offsets[number] : self._offsets[number + 1]].tobytes()
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
