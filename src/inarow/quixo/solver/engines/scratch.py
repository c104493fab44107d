"""What a table leaves out but the pairs below still need: the plies of wins, in temporary files.

They are beside the table, in a folder of their own, so that an interrupted run can be resumed. Every plane is
read exactly once, by the pair that one mark fewer leads to, and is removed when that pair is in the table.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native.quixo import empty_bytes
from inarow.files import remove_leftovers, write_atomically
from inarow.quixo.table.entries import Plane, packed_size
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.pieces import in_parallel

SCRATCH_NAME = "unfinished"  # the folder, in the table's

_HEADER = struct.Struct("<8sBBBBQ")  # magic, a, b, plane, width, entries; their CRC-32 follows
_MAGIC = b"INAROWQS"
_NAME = re.compile(r"(\d\d)-(\d\d)-([01])\.plane")
_LENGTH = struct.Struct("<I")
_CHUNK = 1 << 22  # bytes that are packed at a time
_LEVEL = 1  # it is read once: quick rather than small


class Scratch:
    """Planes with the plies of wins, until the pairs that need them are finished."""

    def __init__(
        self, folder: Path, finished: Mapping[PairId, object] | None, threads: int, fewest_marks: int = 0
    ) -> None:
        """`finished` tells at any time which pairs are in the table, which never has fewer marks.

        It is None for a worker of a cluster: others write to the folder too, and somebody else tidies it up.
        """
        self._folder = folder
        self._finished = finished
        self._threads = threads
        self._fewest_marks = fewest_marks

    def save(self, a: int, b: int, planes: Sequence[Plane]) -> None:
        """Keep the planes of a pair that other pairs will need."""
        self._folder.mkdir(exist_ok=True)
        for number, plane in enumerate(planes):
            if self._is_needed(a, b, number):
                write_atomically(self._path(a, b, number), self._packed(a, b, number, plane))

    def load(self, a: int, b: int, number: int) -> Plane | None:
        """A plane, if it was kept and is as it was written; what is not can be derived from the table."""
        try:
            content = self._path(a, b, number).read_bytes()
        except FileNotFoundError:
            return None
        try:
            magic, *found, width, entries = _HEADER.unpack_from(content)
            (checksum,) = _LENGTH.unpack_from(content, _HEADER.size)
            if (magic, *found, checksum) != (_MAGIC, a, b, number, zlib.crc32(content[: _HEADER.size])):
                return None
            outcomes = empty_bytes(packed_size(entries))
            plies = empty_bytes(entries * width).view(f"<u{width}")
            self._unpack(content, [outcomes, plies.view(np.uint8)])
        except (ValueError, struct.error, zstandard.ZstdError):
            return None
        return Plane(outcomes, plies)

    def tidy(self) -> None:
        """Remove the planes that no pair needs any more, and the folder when nothing is left."""
        if self._finished is None or not self._folder.is_dir():
            return
        remove_leftovers(self._folder)
        for path in self._folder.iterdir():
            named = _NAME.fullmatch(path.name)
            if named and not self._is_needed(*map(int, named.groups())):
                path.unlink()
        with suppress(OSError):
            self._folder.rmdir()

    def _is_needed(self, a: int, b: int, number: int) -> bool:
        reader = _reader_of(a, b, number)
        if reader is None or sum(reader) < self._fewest_marks:
            return False
        return self._finished is None or reader not in self._finished

    def _path(self, a: int, b: int, number: int) -> Path:
        return self._folder / f"{a:02}-{b:02}-{number}.plane"

    def _packed(self, a: int, b: int, number: int, plane: Plane) -> Iterator[bytes]:
        plies = plane.plies
        assert plies is not None
        header = _HEADER.pack(_MAGIC, a, b, number, plies.itemsize, plies.size)
        yield header + _LENGTH.pack(zlib.crc32(header))
        parts = [plane.outcomes, plies.view(np.uint8)]
        chunks = (part[first : first + _CHUNK] for part in parts for first in range(0, part.size, _CHUNK))
        for frame in in_parallel(_pack, chunks, self._threads):
            yield _LENGTH.pack(len(frame))
            yield frame

    def _unpack(self, content: bytes, parts: list[NDArray[np.uint8]]) -> None:
        """Fill the parts; `ValueError` or `ZstdError` if the content does not."""

        def tasks() -> Iterator[tuple[bytes, NDArray[np.uint8]]]:
            at = _HEADER.size + _LENGTH.size
            for part in parts:
                for first in range(0, part.size, _CHUNK):
                    (length,) = _LENGTH.unpack_from(content, at)
                    at += _LENGTH.size + length
                    yield content[at - length : at], part[first : first + _CHUNK]
            if at != len(content):
                raise ValueError("it has the wrong length")

        def unpack(task: tuple[bytes, NDArray[np.uint8]]) -> None:
            frame, into = task
            data = zstandard.ZstdDecompressor().decompress(frame)
            if len(data) != into.size:
                raise ValueError("a part has the wrong length")
            into[:] = np.frombuffer(data, np.uint8)

        for _ in in_parallel(unpack, tasks(), self._threads):
            pass


def _reader_of(a: int, b: int, number: int) -> PairId | None:
    """The pair that looks into this plane of {a, b} for its children with a new mark."""
    if number == 1:
        return (a - 1, b)
    return (a, b - 1) if b > 0 else None


def _pack(chunk: NDArray[np.uint8]) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(chunk.data)
