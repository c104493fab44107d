"""The folder of a Quixo table as the checker reads it, from the page on the format of tables alone."""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.manifest import ListedFile, ListedPair, Manifest
from inarow.verify.quixo.reading import open_regular
from inarow.verify.quixo.rules import Pair, Rules, planes_of

PIECE = 16384  # entries
_PIECES_AT_ONCE = 512  # are read and unpacked together
_RUNS_AHEAD = 2  # for each thread
_HEADER = struct.Struct("<8sH8B2sIQ")
_IN_HEADER = ["magic", "version", "rows", "line", "lines", "a", "b", "width", "planes", "columns", "zeros"]
_IN_HEADER += ["size of a piece", "entries"]
_DIGEST = 32
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # left out in the files
_VALUES = np.array([native.LOST, native.DRAW, native.WON, native.NOT_AN_ENTRY], np.uint32)  # of two bits


class Run(NamedTuple):
    """Entries of a plane, in order."""

    outcomes: NDArray[np.uint8]  # four in a byte
    losses: NDArray[np.int64]  # of each piece; 0 without plies
    plies: NDArray[np.uint8]  # of the losses, `width` bytes each; none if that is 0
    width: int
    first: int  # entry of the plane, the first of a piece
    entries: int


class TableFiles:
    """A folder whose manifest, headers and indices have been read, and agree with each other.

    :raises MissingTable: if there is no table, or a file of it is missing.
    :raises DamagedFile: if a file is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.load(folder)
        self.rules, self.has_plies = self.manifest.rules, self.manifest.has_plies
        self.pairs = list(self.manifest.pairs)  # those with more marks first
        if not self.pairs:
            raise MissingTable(f"the table in {folder} has no entries yet")
        listed = self.manifest.pairs
        self.files = {pair: PairFiles(folder, self.rules, listed[pair]) for pair in self.pairs}

    def values(self, words: NDArray[np.uint64], threads: int = 1) -> NDArray[np.uint32]:
        """The entries of positions, as entries of two bytes. Wins have 0 plies."""
        planes, indices = self.rules.game.places(words)
        found = np.empty(words.size, np.uint32)
        for plane in np.unique(planes).tolist():
            here = np.flatnonzero(planes == plane)
            pair = plane >> 6, plane >> 1 & 31
            found[here] = self.files[pair].values(plane & 1, indices[here].astype(np.int64), threads)
        return found

    def content_digest(self, pair: Pair) -> str:
        """SHA-256 of all bytes of the pair's files."""
        digest, listed = sha256(), self.manifest.pairs[pair]
        for file in filter(None, (listed.values, listed.plies)):
            with open_regular(self.folder / file.name) as content:
                while part := content.read(1 << 22):
                    digest.update(part)
        return digest.hexdigest()


class Reader:
    """Reads planes, some runs ahead of who asks for them in the same order."""

    def __init__(self, table: TableFiles, threads: int, pairs: list[Pair]) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self._table, self._ahead = table, _RUNS_AHEAD * threads
        planes = ((pair, plane) for pair in pairs for plane in planes_of(pair))
        self._tasks = ((plane, first) for plane in planes for first in self._begins(*plane))
        self._running: deque[tuple[tuple[Pair, int], Future[Run]]] = deque()

    def runs(self, pair: Pair, plane: int) -> Iterator[Run]:
        self._read_ahead()
        if not self._running or self._running[0][0] != (pair, plane):  # it is read once more
            yield from map(self._table.files[pair].run, self._begins(pair, plane))
            return
        while self._running and self._running[0][0] == (pair, plane):
            yield self._running.popleft()[1].result()
            self._read_ahead()

    def close(self) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _begins(self, pair: Pair, plane: int) -> range:
        of_plane = self._table.files[pair].of_plane
        return range(plane * of_plane, (plane + 1) * of_plane, _PIECES_AT_ONCE)

    def _read_ahead(self) -> None:
        while len(self._running) < self._ahead and (task := next(self._tasks, None)) is not None:
            plane, first = task
            self._running.append((plane, self.pool.submit(self._table.files[plane[0]].run, first)))


class PairFiles:
    """A file of outcomes and, unless the table has no plies, one with the plies of losses."""

    def __init__(self, folder: Path, rules: Rules, listed: ListedPair) -> None:
        self._entries = rules.game.of_plane(*listed.pair)
        self.of_plane = -(-self._entries // PIECE)
        self._values = _PieceFile(folder, rules, listed.pair, listed.values)
        self._plies = listed.plies and _PieceFile(folder, rules, listed.pair, listed.plies)

    def run(self, first: int) -> Run:
        """The run that begins with this piece."""
        begin = first % self.of_plane
        numbers = np.arange(first, first - begin + min(begin + _PIECES_AT_ONCE, self.of_plane))
        outcomes, counts, begins = self._outcomes(numbers, 1)
        losses, plies, width = np.zeros(numbers.size, np.int64), np.empty(0, np.uint8), 0
        if self._plies:
            width = self._plies.width
            losses = native.losses_before(outcomes, begins, counts)
            plies = self._plies.unpacked(numbers, losses * width, 1)
        return Run(outcomes, losses, plies, width, begin * PIECE, int(counts.sum()))

    def values(self, plane: int, indices: NDArray[np.int64], threads: int) -> NDArray[np.uint32]:
        found = np.empty(indices.size, np.uint32)
        order = np.argsort(indices)
        numbers, first = np.unique(indices[order] // PIECE, return_index=True)
        ends = np.append(first, indices.size)
        for nth in range(0, numbers.size, _PIECES_AT_ONCE):  # each piece is unpacked once
            some = numbers[nth : nth + _PIECES_AT_ONCE] + plane * self.of_plane
            here = order[ends[nth] : ends[nth + some.size]]
            which = np.repeat(np.arange(some.size), np.diff(ends[nth : nth + some.size + 1]))
            found[here] = self._values_in(some, which, indices[here] % PIECE, threads)
        return found

    def _values_in(
        self, numbers: NDArray[np.int64], which: NDArray[np.int64], places: NDArray[np.int64], threads: int
    ) -> NDArray[np.uint32]:
        """The entries at some places, each in the piece numbers[which]."""
        outcomes, counts, begins = self._outcomes(numbers, threads)
        codes = outcomes[begins[which] + places // 4] >> (places % 4 * 2).astype(np.uint8) & np.uint8(3)
        found = np.array(_VALUES[codes], np.uint32)
        lost = np.flatnonzero(codes == 0)
        if self._plies and lost.size:
            with_losses = np.unique(which[lost])
            losses = native.losses_before(outcomes, begins[with_losses], counts[with_losses])
            width = self._plies.width
            plies = self._plies.unpacked(numbers[with_losses], losses * width, threads).view(f"<u{width}")
            of_piece = np.cumsum(losses) - losses
            before = native.losses_before(outcomes, begins[which[lost]], places[lost])
            found[lost] = plies[of_piece[np.searchsorted(with_losses, which[lost])] + before]
        return found

    def _outcomes(
        self, numbers: NDArray[np.int64], threads: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """The bytes of some pieces, one after another; how many entries each has, and where it begins."""
        counts = np.minimum(PIECE, self._entries - numbers % self.of_plane * PIECE)
        sizes = (counts + 3) // 4
        ends = np.cumsum(sizes)
        outcomes = self._values.unpacked(numbers, sizes, threads)
        bits = (counts % 4 * 2).astype(np.uint8)
        for piece in np.flatnonzero((bits > 0) & (outcomes[ends - 1] >> bits > 0)):
            where = f"{self._values.name}: piece {numbers[piece]}"
            raise DamagedFile(f"{where} has bits set past its last entry")
        return outcomes, counts, ends - sizes


class _PieceFile:
    """A file of pieces: the outcomes of a pair (width 0), or the plies of its losses.

    It is read in parts: one that is cut short meanwhile is an error, where a mapped one would end the program
    by a signal.
    """

    def __init__(self, folder: Path, rules: Rules, pair: Pair, listed: ListedFile) -> None:
        self.name, self.width, self._path = listed.name, listed.width, folder / listed.name
        entries, planes = rules.game.of_plane(*pair), len(planes_of(pair))
        count = planes * -(-entries // PIECE)
        board = rules.rows, rules.line, rules.code, *pair, listed.width, planes, rules.columns
        expected = b"INAROWQC", 1, *board, bytes(2), PIECE, entries
        with self._open() as file:
            header, length = self._read(file, 0, _HEADER.size), os.fstat(file.fileno()).st_size
            for what, right, found in zip(_IN_HEADER, expected, _HEADER.unpack(header), strict=True):
                if found != right:
                    raise DamagedFile(f"{self.name}: {what} in the header is {found!r}, expected {right!r}")
            if length != listed.length:
                raise DamagedFile(f"{self.name} has {length} bytes, {listed.length!s:.40} in manifest.json")
            index = length - _DIGEST - 8 * count
            if index < len(header):
                raise DamagedFile(f"{self.name} has {length} bytes, too few for its index")
            lengths_and_sums = self._read(file, index, 8 * count)
            digest = self._read(file, length - _DIGEST, _DIGEST)
        if sha256(header + lengths_and_sums).digest() != digest:
            raise DamagedFile(f"{self.name}: the digest at its end is not that of its header and index")
        if digest.hex() != listed.sha256:
            raise DamagedFile(f"{self.name}: the digest at its end is not the one in manifest.json")
        lengths, self._checksums = np.frombuffer(lengths_and_sums, "<u4").reshape(-1, 2).T
        self._offsets = len(header) + np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        most = 2 * (PIECE * self.width or PIECE // 4)  # what does not get smaller gets little larger
        if int(self._offsets[-1]) != index or int(lengths.max()) > most:
            raise DamagedFile(f"{self.name} has {length} bytes, and an index of other pieces")

    def unpacked(
        self, numbers: NDArray[np.int64], sizes: NDArray[np.int64], threads: int
    ) -> NDArray[np.uint8]:
        """The bytes of some pieces, in ascending order, one after another; so many of each."""
        stored = self._stored(numbers)
        for number, piece, size in zip(numbers, stored, sizes.tolist(), strict=True):
            if (not piece) != (size == 0):
                raise DamagedFile(f"{self.name}: piece {number} does not have the expected {size} bytes")
        is_framed = [len(piece) > 1 for piece in stored]
        framed: list[Any] = [_ZSTD_MAGIC + piece for piece in stored if len(piece) > 1]
        frames: Iterator[Any] = iter(())
        try:
            if framed:
                unpacked = zstandard.ZstdDecompressor().multi_decompress_to_buffer(
                    framed, decompressed_sizes=sizes[is_framed].astype(np.uint64).tobytes(), threads=threads
                )
                frames = iter(cast(Any, unpacked))
        except zstandard.ZstdError as error:
            for at in range(numbers.size if numbers.size > 1 else 0):  # which of them
                self.unpacked(numbers[at : at + 1], sizes[at : at + 1], 1)
            raise DamagedFile(f"{self.name}: piece {numbers[0]} cannot be unpacked: {error}") from None
        parts = (
            next(frames) if len(piece) > 1 else piece * size
            for piece, size in zip(stored, sizes.tolist(), strict=True)
        )
        return np.frombuffer(b"".join(parts), np.uint8)

    def _stored(self, numbers: NDArray[np.int64]) -> list[bytes]:
        """Some pieces as they are stored; neighbours are read together."""
        found = []
        with self._open() as file:
            for run in np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1):
                offsets = self._offsets[run[0] : run[-1] + 2].tolist()
                data = self._read(file, offsets[0], offsets[-1] - offsets[0])
                found += [data[begin - offsets[0] : end - offsets[0]] for begin, end in pairwise(offsets)]
        for number, piece, expected in zip(numbers, found, self._checksums[numbers].tolist(), strict=True):
            if zlib.crc32(piece) != expected:
                raise DamagedFile(f"{self.name}: the checksum of piece {number} is wrong")
        return found

    def _open(self) -> IO[bytes]:
        try:
            return open_regular(self._path)
        except FileNotFoundError:
            raise MissingTable(f"{self._path} is missing, though the manifest lists it") from None

    def _read(self, file: IO[bytes], begin: int, size: int) -> bytes:
        file.seek(begin)
        data = file.read(size)
        if len(data) < size:
            raise DamagedFile(f"{self.name} is cut short: {begin + len(data)} bytes")
        return data
