"""A file of the compact form: pieces that are packed, checked and unpacked each on its own.

docs/tablebase-format.md specifies it. The outcomes of a pair are in one such file, the plies of its losses in
another with the same pieces.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow.errors import DamagedFile, MissingTable, WrongTable
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.table.outcomes import Packed, packed_size

MAGIC = b"INAROWQC"
VERSION = 1
PIECE = 1 << 14  # entries
_FIELDS = struct.Struct("<8sH7B3xIQ")
_INDEX = np.dtype([("length", "<u4"), ("crc", "<u4")])
_DIGEST = 32

_LEVEL = 3
_RUN = 256  # pieces that a thread takes at once

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was written: what the manifest keeps of it."""

    sha256: str
    size: int  # bytes


def values_name(a: int, b: int) -> str:
    return f"pair-{a:02}-{b:02}.values"


def plies_name(a: int, b: int) -> str:
    return f"pair-{a:02}-{b:02}.plies"


def pieces_of_plane(entries: int) -> int:
    return -(-entries // PIECE)


# --- Writing ---


def write_values(
    folder: Path,
    rules: Quixo,
    a: int,
    b: int,
    entries: int,
    planes: Sequence[Packed],
    threads: int | None = None,
) -> StoredFile:
    """Write the outcomes of a pair, two bits each: for each plane an array of so many entries, packed."""
    if len(planes) != (1 if a == b else 2) or any(p.size != packed_size(entries) for p in planes):
        raise ValueError(f"pair {{{a}, {b}}}: these are not its planes of {entries} entries")
    size = packed_size(PIECE)
    pieces = (
        plane[first : first + size].tobytes() for plane in planes for first in range(0, plane.size, size)
    )
    fields = _fields(rules, a, b, 0, entries)
    return _write(folder / values_name(a, b), fields, pieces, threads)


def write_plies(
    folder: Path,
    rules: Quixo,
    a: int,
    b: int,
    entries: int,
    width: int,
    pieces: Iterable[bytes],
    threads: int | None = None,
) -> StoredFile:
    """Write the plies of a pair's losses: for each piece of its outcomes, `width` bytes for each loss."""
    return _write(folder / plies_name(a, b), _fields(rules, a, b, width, entries), pieces, threads)


def _write(path: Path, fields: bytes, pieces: Iterable[bytes], threads: int | None) -> StoredFile:
    digest = hashlib.sha256(fields)
    size = 0

    def parts() -> Iterator[bytes]:
        nonlocal size
        index: list[NDArray[np.void]] = []
        yield fields
        for run in in_parallel(_packed_run, batched(pieces, _RUN), threads):
            index.append(np.array([(len(piece), zlib.crc32(piece)) for piece in run], _INDEX))
            yield b"".join(run)
        listed = np.concatenate(index).tobytes()
        digest.update(listed)
        yield listed
        yield digest.digest()
        size = _FIELDS.size + sum(int(part["length"].sum()) for part in index) + len(listed) + _DIGEST

    write_atomically(path, parts())
    return StoredFile(digest.hexdigest(), size)


def _packed_run(pieces: Sequence[bytes]) -> list[bytes]:
    compressor = _coders.compressor
    return [piece[:1] if piece == piece[:1] * len(piece) else compressor.compress(piece) for piece in pieces]


# --- Reading ---


class PieceFile:
    """The outcomes, or the plies, of a pair. Its header is checked at once, a piece when it is read."""

    def __init__(self, path: Path, rules: Quixo, a: int, b: int, digest: str) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                fields = file.read(_FIELDS.size)
                self.size = os.fstat(file.fileno()).st_size
                file.seek(max(0, self.size - _DIGEST))
                found = file.read(_DIGEST)
        except FileNotFoundError:
            raise MissingTable(f"{path} is missing, though the manifest lists it") from None
        if len(fields) < _FIELDS.size:
            raise DamagedFile(f"{path} is cut short: {self.size} bytes, less than its header")
        magic, version, *_rest, width, planes, piece, entries = _FIELDS.unpack(fields)
        self.width: int = width
        self.planes: int = planes
        self.entries: int = entries  # of a plane
        if magic != MAGIC:
            raise DamagedFile(f"{path} is not part of a compact Quixo tablebase: it starts with {magic!r}")
        if version != VERSION:
            raise DamagedFile(f"{path} has format version {version}; this program reads version {VERSION}")
        if self.width > 2 or piece != PIECE or (self.width == 0) != (path.suffix == ".values"):
            raise DamagedFile(f"{path} is damaged: its header makes no sense")
        if fields != _fields(rules, a, b, self.width, self.entries):
            raise WrongTable(f"{path} is of another pair or of other rules than {rules}, {{{a}, {b}}}")
        self.pieces = self.planes * pieces_of_plane(self.entries)
        if self.size < _FIELDS.size + self.pieces * _INDEX.itemsize + _DIGEST:
            raise DamagedFile(f"{path} is cut short: {self.size} bytes, less than its index")
        if found.hex() != digest:
            raise DamagedFile(
                f"{path} is damaged, cut short, or not the file that the manifest lists: "
                "the checksum at its end differs"
            )
        self._header = fields
        self._digest = found

    def piece(self, number: int, size: int) -> bytes:
        """Unpack a piece, which has so many bytes then; `DamagedFile` if it is not what was written."""
        stored = self._stored(number)
        if len(stored) <= 1:
            piece = stored * size
        else:
            try:
                piece = _coders.decompressor.decompress(stored, max_output_size=size)
            except zstandard.ZstdError as error:
                raise DamagedFile(f"{self.path} is damaged: piece {number} ({error})") from None
        if len(piece) != size or (size == 0) != (not stored):
            raise DamagedFile(f"{self.path} is damaged: piece {number} has not the length it should have")
        return piece

    def values_piece(self, number: int) -> bytes:
        """Unpack a piece of the outcomes."""
        return self.piece(number, packed_size(self.entries_of(number)))

    def entries_of(self, number: int) -> int:
        """The entries of a piece: the last one of a plane may have fewer."""
        return min(PIECE, self.entries - number % pieces_of_plane(self.entries) * PIECE)

    def plane(self, plane: int, threads: int | None = None) -> Packed:
        """All outcomes of a plane, packed."""
        count = pieces_of_plane(self.entries)
        packed = np.empty(packed_size(self.entries), np.uint8)

        def unpack(numbers: Sequence[int]) -> None:
            for number in numbers:
                first = number % count * packed_size(PIECE)
                piece = self.values_piece(number)
                packed[first : first + len(piece)] = np.frombuffer(piece, np.uint8)

        for _ in in_parallel(unpack, batched(range(plane * count, (plane + 1) * count), _RUN), threads):
            pass
        return packed

    def check(self) -> None:
        """Compare every piece with its checksum: raises `DamagedFile`."""
        for number in range(self.pieces):
            self._stored(number)

    @cached_property
    def _data(self) -> mmap.mmap:
        with self.path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Where pieces begin, with the end of the last, and their checksums."""
        end = self.size - _DIGEST
        listed = self._data[end - self.pieces * _INDEX.itemsize : end]
        if hashlib.sha256(self._header + listed).digest() != self._digest:
            raise DamagedFile(f"{self.path} is damaged: its index does not match its checksum")
        index = np.frombuffer(listed, _INDEX)
        offsets = np.zeros(self.pieces + 1, np.int64)
        np.cumsum(index["length"], out=offsets[1:])
        offsets += _FIELDS.size
        if offsets[-1] != end - len(listed):
            raise DamagedFile(f"{self.path} is cut short, or longer than its pieces are")
        return offsets, np.ascontiguousarray(index["crc"])

    def _stored(self, number: int) -> bytes:
        offsets, checksums = self._index
        stored = self._data[offsets[number] : offsets[number + 1]]
        if zlib.crc32(stored) != checksums[number]:
            raise DamagedFile(f"{self.path} is damaged: piece {number} does not match its checksum")
        return stored


def read_plane(
    folder: Path, rules: Quixo, a: int, b: int, plane: int, digest: str, threads: int | None = None
) -> Packed:
    """All outcomes of a plane of a pair, packed, each piece compared with its checksum."""
    return PieceFile(folder / values_name(a, b), rules, a, b, digest).plane(plane, threads)


# --- What both need ---


def in_parallel(work: Callable[[T], R], tasks: Iterable[T], threads: int | None) -> Iterator[R]:
    """The results in the order of the tasks, of which only a few for each thread are under way."""
    tasks = iter(tasks)
    begin = list(islice(tasks, 2))
    if len(begin) < 2 or threads == 1:  # not worth a thread
        yield from map(work, chain(begin, tasks))
        return
    count = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(count) as pool:  # the interpreter is free while zstd works
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
        # Neither magic number nor length nor checksum: what a piece is, is known.
        bare = zstandard.ZstdCompressionParameters(
            compression_level=_LEVEL,
            format=zstandard.FORMAT_ZSTD1_MAGICLESS,
            write_content_size=False,
            write_checksum=False,
            write_dict_id=False,
        )
        self.compressor = zstandard.ZstdCompressor(compression_params=bare)
        self.decompressor = zstandard.ZstdDecompressor(format=zstandard.FORMAT_ZSTD1_MAGICLESS)


_coders = _Coders()


def _fields(rules: Quixo, a: int, b: int, width: int, entries: int) -> bytes:
    wins = rules.double_line == "wins"
    planes = 1 if a == b else 2
    return _FIELDS.pack(MAGIC, VERSION, rules.rows, rules.line, wins, a, b, width, planes, PIECE, entries)
