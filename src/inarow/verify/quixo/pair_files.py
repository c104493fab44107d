"""Reads the files of a pair for the checker, in the plain and in the compact form.

Written from the page on the format of tables, and sharing no code with what reads them elsewhere.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.manifest import ListedFile, ListedPair
from inarow.verify.quixo.rules import Rules

PIECE = 16384  # entries of a piece of the compact form
PLAIN_PIECE = 4096  # of the plain form
_PART = 1 << 22  # bytes
_HEADER = struct.Struct("<8sHBBBBBBBB2sIQ32s")
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
        self._file = _File(folder / listed.file.name)
        self._width, self._planes = listed.file.width, _planes(listed)
        self._count = rules.game.entry_count(listed.a, listed.b)
        header, length = self._file.header(_HEADER.size)
        *fields, self._digest = _HEADER.unpack(header)
        piece = 0 if listed.version == 1 else PLAIN_PIECE
        rest = {"zeros": bytes(2), "entries of a piece": piece, "entries": self._count}
        _compare(self._file.name, fields, rules, listed, b"INAROWQX", listed.version, self._width, rest)
        if self._digest.hex() != listed.file.sha256:
            raise DamagedFile(f"{self._file.name}: the digest in the header is not the one in manifest.json")
        pieces = -(-self._count // piece) if piece else 0
        index = _HEADER.size + self._count * self._width
        if length != index + 4 * pieces:
            raise DamagedFile(f"{self._file.name} has {length} bytes, expected {index + 4 * pieces}")
        self._header = header[:-_DIGEST]
        self._checksums: tuple[int, ...] | None = None
        if piece:
            sums = self._file.read(index, 4 * pieces)
            if sha256(self._header + sums).digest() != self._digest:
                raise DamagedFile(f"{self._file.name}: its digest is not that of its header and index")
            self._checksums = struct.unpack(f"<{pieces}I", sums)
        self._is_sound = False

    def plane(self, number: int, width: int, threads: int) -> Plane:
        of_plane = self._count // self._planes
        entries = self._entries(number * of_plane, (number + 1) * of_plane)
        if width > self._width:
            entries = native.Plane(entries, native.Codes.PLAIN).values()[entries]
        return Plane(entries, native.Plane(entries, native.Codes.PLAIN))

    def _entries(self, first: int, last: int) -> NDArray[Any]:
        """Entries that are as they were written."""
        if self._checksums is None:
            self._require_digest()
            data = self._file.read(_HEADER.size + first * self._width, (last - first) * self._width)
            return np.frombuffer(data, f"<u{self._width}")
        begin = first // PLAIN_PIECE
        end = min(-(-last // PLAIN_PIECE) * PLAIN_PIECE, self._count)
        at = _HEADER.size + begin * PLAIN_PIECE * self._width
        data = self._file.read(at, (end - begin * PLAIN_PIECE) * self._width)
        pieces, size = memoryview(data), PLAIN_PIECE * self._width
        for number, expected in enumerate(self._checksums[begin : -(-last // PLAIN_PIECE)]):
            if zlib.crc32(pieces[number * size : (number + 1) * size]) != expected:
                raise DamagedFile(f"{self._file.name}: the checksum of piece {begin + number} is wrong")
        skipped = first - begin * PLAIN_PIECE
        return np.frombuffer(data, f"<u{self._width}")[skipped : skipped + last - first]

    def _require_digest(self) -> None:
        """Compare a whole file of version 1, which has no checksums of pieces, with its digest."""
        if not self._is_sound:
            digest = sha256(self._header)
            for part in self._file.parts(_HEADER.size):
                digest.update(part)
            if digest.digest() != self._digest:
                raise DamagedFile(f"{self._file.name}: the digest in its header is not that of its entries")
            self._is_sound = True

    def values(self, plane: int, indices: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
        places = indices.astype(np.int64) + plane * self._count // self._planes
        found = np.empty(indices.size, np.uint32)
        numbers = places // PLAIN_PIECE
        for number in np.unique(numbers).tolist():  # each piece is read once
            first = number * PLAIN_PIECE
            piece = self._entries(first, min(first + PLAIN_PIECE, self._count))
            found[numbers == number] = piece[places[numbers == number] - first]
        top = (1 << 8 * self._width) - 1
        draw = top // 2
        found[found > draw + 1] += 65535 - top
        found[found == draw + 1] = native.NOT_AN_ENTRY
        found[found == draw] = native.DRAW
        return found

    def content_digest(self) -> str:
        digest = sha256()
        for part in self._file.parts():
            digest.update(part)
        return digest.hexdigest()


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
        digest = sha256()
        for file in (self._values, self._plies):
            for part in file.file.parts() if file else ():
                digest.update(part)
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

        self.file = _File(folder / self.name)
        header, length = self.file.header(_PIECES_HEADER.size)
        rest = {"zeros": bytes(2), "entries of a piece": PIECE, "entries of a plane": self.entries}
        fields = list(_PIECES_HEADER.unpack(header))
        _compare(self.name, fields, rules, listed, b"INAROWQC", 1, self.width, rest)
        index = length - _DIGEST - 8 * self.count
        if index < len(header):
            raise DamagedFile(f"{self.name} has {length} bytes, too few for its index")
        lengths_and_sums = self.file.read(index, 8 * self.count)
        digest = self.file.read(length - _DIGEST, _DIGEST)
        if sha256(header + lengths_and_sums).digest() != digest:
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
                # Read as a stream: what a frame says about its length does not make memory be allocated.
                stream = zstandard.ZstdDecompressor().stream_reader(_ZSTD_MAGIC + stored)
                data = stream.read(size + 1)
            except zstandard.ZstdError as error:
                raise DamagedFile(f"{self.name}: piece {number} cannot be unpacked: {error}") from None
        if len(data) != size or (size == 0) != (not stored):
            raise DamagedFile(f"{self.name}: piece {number} does not have the expected {size} bytes")

    def unpacked_pieces(
        self, numbers: NDArray[np.int64], sizes: NDArray[np.uint64], threads: int
    ) -> NDArray[np.uint8]:
        """The bytes of some pieces, one after another."""
        content, begins = self._stored_pieces(numbers)
        lengths = self._offsets[numbers + 1] - self._offsets[numbers]
        where = content, begins, lengths, self._checksums[numbers], sizes
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

    def _stored_pieces(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of some pieces, in ascending order, as they are stored, and where each begins."""
        begins, ends = self._offsets[numbers], self._offsets[numbers + 1]
        if numbers.size and int(ends[-1] - begins[0]) == int((ends - begins).sum()):  # neighbours
            data = self.file.read(int(begins[0]), int(ends[-1] - begins[0]))
        else:
            spans = zip(begins.tolist(), (ends - begins).tolist(), strict=True)
            data = b"".join(self.file.read_all(spans))
        return np.frombuffer(data, np.uint8), np.cumsum(ends - begins) - (ends - begins)

    def _stored(self, number: int) -> bytes:
        begin, end = self._offsets[number : number + 2].tolist()
        stored = self.file.read(begin, end - begin)
        if zlib.crc32(stored) != self._checksums[number]:
            raise DamagedFile(f"{self.name}: the checksum of piece {number} is wrong")
        return stored


def _planes(listed: ListedPair) -> int:
    return 1 if listed.a == listed.b else 2


class _File:
    """A file that is read in parts: one that is cut short meanwhile is an error, where a mapped one would end
    the program by a signal."""

    def __init__(self, path: Path) -> None:
        self.name, self._path = path.name, path

    def header(self, size: int) -> tuple[bytes, int]:
        """The first bytes, and the length of the file."""
        try:
            with self._path.open("rb") as file:
                header = file.read(size)
                length = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            raise MissingTable(f"{self._path} is missing, though the manifest lists it") from None
        if len(header) < size:
            raise DamagedFile(f"{self.name} ends within its header")
        return header, length

    def read(self, begin: int, size: int) -> bytes:
        return next(self.read_all([(begin, size)]))

    def read_all(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        """Parts that begin at a place and have a size."""
        with self._path.open("rb") as file:
            for begin, size in spans:
                file.seek(begin)
                data = file.read(size)
                if len(data) < size:
                    raise DamagedFile(f"{self.name} is cut short: {begin + len(data)} bytes")
                yield data

    def parts(self, begin: int = 0) -> Iterator[bytes]:
        """All bytes from there on, some at a time."""
        with self._path.open("rb") as file:
            file.seek(begin)
            while part := file.read(_PART):
                yield part


def _compare(
    name: str,
    fields: list[Any],
    rules: Rules,
    listed: ListedPair,
    magic: bytes,
    version: int,
    width: int,
    rest: dict[str, Any],
) -> None:
    """Compare the fields of a header with what the manifest leads one to expect."""
    expected = {
        "magic": magic,
        "version": version,
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
