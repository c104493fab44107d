"""A file of a table: pieces that are packed, checked and unpacked one by one.

docs/tablebase-format.md specifies it. The outcomes of a pair are in one such file, the plies of its losses in
another with the same pieces.

Files are read, never mapped into memory: one that is cut short while it is open must be an error, and not the
end of the program by a signal.
"""

from __future__ import annotations

import hashlib
import os
import struct
import sys
import threading
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native.quixo import PIECE as _PIECE
from inarow._native.quixo import PieceIndex, empty_bytes, piece_checksums, read_at, uniform_pieces
from inarow.errors import DamagedFile, MissingTable
from inarow.quixo.rules import Quixo
from inarow.quixo.table.entries import Packed, packed_size
from inarow.quixo.table.manifest import StoredFile
from inarow.quixo.table.pairs import classes_of

PIECE = _PIECE  # entries
_MAGIC, _VERSION = b"INAROWQC", 1
_HEADER = struct.Struct("<8sH8B2xIQ")
HEADER_SIZE = _HEADER.size  # 32 bytes
_INDEX = np.dtype([("length", "<u4"), ("crc", "<u4")])
_DIGEST = 32

_LEVEL = 3
_RUN = 256  # pieces that a thread takes, or that are read, at once
_UNPACKED_AT_ONCE = 1 << 12  # pieces of a plane: 16 MiB
_PACKED_AT_ONCE = 1 << 22  # bytes of outcomes: 1024 pieces
# Windows would translate line ends; elsewhere, programs that are started would inherit the file.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)

T = TypeVar("T")
R = TypeVar("R")


def pieces_of_plane(entries: int) -> int:
    return -(-entries // PIECE)


def whole_and_rest(all: int, each: int) -> NDArray[np.uint32]:
    """The sizes of parts: all the same, but for the last.

    >>> whole_and_rest(10, 4).tolist()
    [4, 4, 2]
    """
    sizes = np.full(-(-all // each), each, np.uint32)
    sizes[-1] = all - (sizes.size - 1) * each
    return sizes


class Run(NamedTuple):
    """Pieces one after the other, before they are packed."""

    data: NDArray[np.uint8]
    sizes: NDArray[np.uint32]  # the bytes of each piece


def outcome_runs(planes: Iterable[Packed]) -> Iterator[Run]:
    """The pieces of planes of packed outcomes."""
    for plane in planes:
        for first in range(0, plane.size, _PACKED_AT_ONCE):
            data = plane[first : first + _PACKED_AT_ONCE]
            yield Run(data, whole_and_rest(data.size, packed_size(PIECE)))


class _Fields(NamedTuple):
    magic: bytes
    version: int
    rows: int
    line: int
    code: int  # of the rules, `Quixo.code`
    a: int
    b: int
    width: int
    planes: int
    columns: int
    piece: int
    entries: int


def header(rules: Quixo, a: int, b: int, width: int, entries: int) -> bytes:
    """The header of a file: of outcomes if `width` is 0, else of plies with so many bytes each."""
    planes = len(classes_of(a, b))
    shape = rules.rows, rules.line, rules.code, a, b, width, planes, rules.columns
    return _HEADER.pack(*_Fields(_MAGIC, _VERSION, *shape, PIECE, entries))


def _width_and_entries(name: str, found: bytes, rules: Quixo, a: int, b: int) -> tuple[int, int]:
    """What the header of a file, called `name` in errors, says; `DamagedFile` if it is of anything else."""
    if len(found) < HEADER_SIZE:
        raise DamagedFile(f"{name} is cut short: {len(found)} bytes, less than its header")
    fields = _Fields._make(_HEADER.unpack(found))
    if fields.magic != _MAGIC:
        raise DamagedFile(
            f"{name} is not part of a Quixo tablebase: it starts with {fields.magic!r}, not with {_MAGIC!r}"
        )
    if fields.version != _VERSION:
        raise DamagedFile(f"{name} has format version {fields.version}; this program reads {_VERSION}")
    if found != header(rules, a, b, fields.width, fields.entries):
        raise DamagedFile(f"{name} is damaged: its header is not that of the pair {{{a}, {b}}} of {rules}")
    return fields.width, fields.entries


# --- Writing ---


def write_pieces(
    write: Callable[[Iterable[bytes]], None], header: bytes, runs: Iterable[Run], threads: int | None
) -> StoredFile:
    """Pack runs of pieces; `write` gets the bytes of a file of them behind this header."""
    digest = hashlib.sha256(header)
    size = 0

    def parts() -> Iterator[bytes]:
        nonlocal size
        index: list[NDArray[np.void]] = []
        yield header
        for run in runs:
            data, its_index = _packed(run, threads or os.cpu_count() or 1)
            index.append(its_index)
            yield data
        listed = b"".join(part.tobytes() for part in index)
        digest.update(listed)
        yield listed
        yield digest.digest()
        size = HEADER_SIZE + sum(int(part["length"].sum()) for part in index) + len(listed) + _DIGEST

    write(parts())
    return StoredFile(digest.hexdigest(), size)


def _packed(run: Run, threads: int) -> tuple[bytes, NDArray[np.void]]:
    """Pieces as a file has them, and their part of its index."""
    uniform = uniform_pieces(run.data, run.sizes)
    sizes = run.sizes.astype(np.uint64)
    segments = np.stack([np.cumsum(sizes) - sizes, sizes], axis=1)
    others = segments[uniform == 0]
    packed: Iterator[Any] = iter(())
    if others.size:
        source = zstandard.BufferWithSegments(run.data.data, others.tobytes())
        # One call for many pieces: it works in threads of its own, without the interpreter's lock.
        packed = iter(_coders.compressor.multi_compress_to_buffer(source, threads=threads))
    pieces: list[Any] = [
        run.data[first : first + min(1, size)] if same else next(packed)
        for same, (first, size) in zip(uniform.tolist(), segments.tolist(), strict=True)
    ]
    data = b"".join(pieces)
    index = np.empty(len(pieces), _INDEX)
    lengths = np.fromiter(map(len, pieces), np.uint32, len(pieces))
    index["length"] = lengths
    index["crc"] = piece_checksums(np.frombuffer(data, np.uint8), lengths)
    return data, index


# --- Reading ---


def _unpacked(
    data: bytes, lengths: NDArray[np.uint32], sizes: NDArray[np.uint32], threads: int
) -> NDArray[np.uint8]:
    """Pieces of these lengths unpacked to so many bytes each; `ZstdError` if that is not what they are."""
    lengths = lengths.astype(np.int64)
    if not np.array_equal(lengths == 0, sizes == 0):
        raise zstandard.ZstdError("a piece has no bytes where it should have some, or the other way round")
    begins = np.cumsum(lengths) - lengths
    spans = list(zip(begins.tolist(), lengths.tolist(), sizes.tolist(), strict=True))
    unpacked: Iterator[Any] = iter(())
    if np.any(others := lengths > 1):
        # In one call for many pieces, each must begin with a magic number.
        stored, magic = memoryview(data), zstandard.FRAME_HEADER
        pairs = ((magic, stored[begin : begin + length]) for begin, length, _ in spans if length > 1)
        whole = lengths[others] + len(magic)
        segments = np.stack([np.cumsum(whole) - whole, whole], axis=1).astype(np.uint64)
        source = zstandard.BufferWithSegments(b"".join(chain.from_iterable(pairs)), segments.tobytes())
        expected = sizes[others].astype(np.uint64).tobytes()
        unpacked = iter(_coders.framed.multi_decompress_to_buffer(source, expected, threads=threads))
    pieces: list[Any] = [
        next(unpacked) if length > 1 else data[begin : begin + length] * size for begin, length, size in spans
    ]
    return np.frombuffer(b"".join(pieces), np.uint8)


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


class _OpenFile:
    """Threads may share it; it is closed when nobody refers to it any more."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, _FLAGS)
        self.close = weakref.finalize(self, os.close, self._descriptor)

    def read(self, begin: int, end: int) -> bytes:
        """These bytes, or those of them that there are."""
        if sys.platform == "win32":
            return read_at(self._descriptor, begin, max(0, end - begin))
        parts = []
        while begin < end and (part := os.pread(self._descriptor, end - begin, begin)):
            parts.append(part)
            begin += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class LocalFile:
    """A file of this machine; it stays open once more than its ends are read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)
        try:
            self.size = path.stat().st_size
        except FileNotFoundError:
            raise self._missing() from None

    def ends(self, first: int, last: int) -> tuple[bytes, bytes]:
        file = self._opened()
        try:
            return file.read(0, first), file.read(max(0, self.size - last), self.size)
        finally:
            file.close()

    def read(self, begin: int, end: int) -> bytes:
        data = self._file.read(begin, end)
        if len(data) < end - begin:
            raise DamagedFile(f"{self.name} is cut short: {begin + len(data)} bytes, not {self.size}")
        return data

    @cached_property
    def _file(self) -> _OpenFile:
        return self._opened()

    def _opened(self) -> _OpenFile:
        try:
            return _OpenFile(self._path)
        except FileNotFoundError:
            raise self._missing() from None

    def _missing(self) -> MissingTable:
        return MissingTable(f"{self._path} is missing, though the manifest lists it")


class MemoryFile:
    """A file that is in memory."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.size, self._content = name, len(content), content

    def ends(self, first: int, last: int) -> tuple[bytes, bytes]:
        return self._content[:first], self._content[-last:]

    def read(self, begin: int, end: int) -> bytes:
        return self._content[begin:end]


class PieceFile:
    """The outcomes, or the plies, of a pair. The header is checked at once, a piece when it is read."""

    def __init__(self, source: ByteSource, rules: Quixo, a: int, b: int, digest: str) -> None:
        self.source = source
        self.name, self.size = source.name, source.size
        self._header, self._digest = source.ends(HEADER_SIZE, _DIGEST)
        self.width, self.entries = _width_and_entries(
            self.name, self._header, rules, a, b
        )  # entries of a plane
        self.planes = len(classes_of(a, b))
        if self.width > 2 or (self.width == 0) != self.name.endswith(".values"):
            raise DamagedFile(f"{self.name} is damaged: its header makes no sense")
        self.pieces = self.planes * pieces_of_plane(self.entries)
        begin = PieceIndex.begin_of(self.size, self.pieces)
        if begin is None:
            raise DamagedFile(f"{self.name} is cut short: {self.size} bytes, less than its index")
        self._index_begin = begin
        if self._digest.hex() != digest:
            raise DamagedFile(
                f"{self.name} is damaged, cut short, or not the file that the manifest lists: "
                "the checksum at its end differs"
            )

    def unpack(self, first: int, sizes: NDArray[np.uint32], threads: int | None = None) -> NDArray[np.uint8]:
        """The pieces from `first` on, unpacked to so many bytes each, one after the other.

        Many together take far less time than one by one. `DamagedFile` if one is not what was written.
        """
        data, lengths = self._run(first, sizes.size)
        with suppress(zstandard.ZstdError):
            return _unpacked(data, lengths, sizes, threads or os.cpu_count() or 1)
        # To say which piece is wrong.
        ends, pieces = np.cumsum(lengths).tolist(), []
        for nth, (length, end, size) in enumerate(zip(lengths.tolist(), ends, sizes.tolist(), strict=True)):
            stored = data[end - length : end]
            piece = self.unpacked(first + nth, stored, size) if length > 1 else stored * size
            if len(piece) != size or (size == 0) != (length == 0):
                raise self.damaged(first + nth, "has the wrong length")
            pieces.append(piece)
        return np.frombuffer(b"".join(pieces), np.uint8)

    def unpacked(self, number: int, stored: bytes, most: int) -> bytes:
        """A piece unpacked, to so many bytes at most."""
        try:
            # A length in the frame, which is not written, would be taken at its word.
            if zstandard.frame_content_size(zstandard.FRAME_HEADER + stored[:16]) > most:
                raise self.damaged(number, "has the wrong length")
            return _coders.decompressor.decompress(stored, max_output_size=most)
        except zstandard.ZstdError as error:
            raise self.damaged(number, f"({error})") from None

    def plane(self, plane: int, threads: int | None = None) -> Packed:
        """All outcomes of a plane, packed."""
        count, row = pieces_of_plane(self.entries), packed_size(PIECE)
        packed = empty_bytes(packed_size(self.entries))
        for first in range(0, count, _UNPACKED_AT_ONCE):
            part = packed[first * row : (first + _UNPACKED_AT_ONCE) * row]
            part[:] = self.unpack(plane * count + first, whole_and_rest(part.size, row), threads)
        return packed

    def check(self) -> None:
        """Compare every piece with its checksum: raises `DamagedFile`."""

        def check_run(first: int) -> None:
            self._run(first, _RUN)

        for _ in in_parallel(check_run, range(0, self.pieces, _RUN), None):
            pass

    def is_index(self, listed: bytes) -> bool:
        """Whether these bytes are the file's index: its digest covers them, and the header."""
        return hashlib.sha256(self._header + listed).digest() == self._digest

    def damaged(self, number: int, why: str) -> DamagedFile:
        """The error of a piece; of the index if there is no such piece."""
        return DamagedFile(
            f"{self.name} is damaged: piece {number} {why}" if number >= 0 else f"{self.name} {why}"
        )

    def _run(self, first: int, count: int) -> tuple[bytes, NDArray[np.uint32]]:
        """So many pieces as they are in the file, or those that are left, and their lengths."""
        begin, lengths = self._index.run(first, count)
        data = self.source.read(begin, begin + int(lengths.sum()))
        wrong = self._index.first_wrong(first, lengths.size, data)
        if wrong is not None:
            raise self.damaged(wrong, "does not match its checksum")
        return data, lengths

    @cached_property
    def _index(self) -> PieceIndex:
        part = Part(self, -1, self._index_begin, self.size - _DIGEST)
        listed = self.source.read(part.begin, part.end)
        part.unpacked(listed)
        try:
            return PieceIndex(listed, part.begin)
        except ValueError:
            raise self.damaged(-1, "is cut short, or longer than its pieces") from None


class Part(NamedTuple):
    """A part of a file that the core asks for."""

    file: PieceFile
    piece: int  # -1: the index
    begin: int
    end: int
    most: int = 0  # bytes of a piece when it is unpacked
    crc: int = 0

    def is_sound(self, stored: bytes) -> bool:
        return self.file.is_index(stored) if self.piece < 0 else zlib.crc32(stored) == self.crc

    def unpacked(self, stored: bytes) -> bytes:
        """What a piece unpacks to; nothing of an index. `DamagedFile` if it is not what was written."""
        if self.piece >= 0:
            return self.file.unpacked(self.piece, stored, self.most)
        if not self.is_sound(stored):
            raise DamagedFile(f"{self.file.name} is damaged: its index does not match its checksum")
        return b""


# --- For both ---


def in_parallel(work: Callable[[T], R], tasks: Iterable[T], threads: int | None) -> Iterator[R]:
    """The results in the order of the tasks; only a few tasks per thread are in flight at a time."""
    tasks = iter(tasks)
    begin = list(islice(tasks, 2))
    if len(begin) < 2 or threads == 1:  # not worth a thread
        yield from map(work, chain(begin, tasks))
        return
    count = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(count) as pool:  # zstd does not hold the interpreter's lock
        for some in batched(chain(begin, tasks), 4 * count):
            yield from pool.map(work, some)


def batched(items: Iterable[T], count: int) -> Iterator[tuple[T, ...]]:
    """Runs of so many items; the last may be shorter."""
    items = iter(items)
    while run := tuple(islice(items, count)):
        yield run


class _Coders(threading.local):
    """Each thread has its own."""

    def __init__(self) -> None:
        # Without magic number, length and checksum: all three are known for a piece.
        bare = zstandard.ZstdCompressionParameters(
            compression_level=_LEVEL,
            format=zstandard.FORMAT_ZSTD1_MAGICLESS,
            write_content_size=False,
            write_checksum=False,
            write_dict_id=False,
        )
        self.compressor = zstandard.ZstdCompressor(compression_params=bare)
        self.decompressor = zstandard.ZstdDecompressor(format=zstandard.FORMAT_ZSTD1_MAGICLESS)
        self.framed = zstandard.ZstdDecompressor()


_coders = _Coders()
