"""A book: the values of all positions with few marks, in one small file. docs/book-format.md specifies it."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from math import comb
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Book as NativeBook
from inarow.errors import DamagedFile
from inarow.files import json_object, make_folder, read_file, write_atomically
from inarow.locking import locked
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP, Plane, wide_entries
from inarow.quixo.table.files import Content, Restorer, plane_of, plane_runs
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, classes_of
from inarow.quixo.table.store import INVALID, MemoryStore, outcomes_of
from inarow.values import Outcome

# A book of 5×5 with so many marks takes 20.6 MB; plies of nine marks would take 28 MB more.
PLIES_MARKS, OUTCOME_MARKS = 8, 10

_MAGIC = b"INAROWQB"
_MOST_BYTES = 1 << 28  # of a book
_VERSION = 2
_FIELDS = struct.Struct("<8sII")  # magic, version, bytes of the header
_DIGEST = 32

_CHUNK = 1 << 16  # entries in a chunk, roughly: to look one up, all of them are unpacked
_WIDE_OUTCOMES = (0, WIDE_DRAW, WIDE_TOP)  # the codes of a pair without plies, as entries

Kind = Literal["plies", "outcomes"]


# --- Writing ---


class BookStore(MemoryStore):
    """Keeps the pairs with few marks, and writes a book of them at the end."""

    def __init__(self, rules: Quixo, folder: Path) -> None:
        super().__init__(rules)
        self.folder = folder
        self._rules = rules

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        make_folder(self.folder)
        return locked(self.folder, "making a book")

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        if a + b <= OUTCOME_MARKS:
            super().save(a, b, classes, content)

    def write(self) -> None:
        """Write the book, once all pairs are there."""
        marks = PLIES_MARKS, OUTCOME_MARKS
        classes = [counts for record in self.records.values() for counts in record.classes]
        write_book(self.folder / book_name(self._rules), self._rules, self._pairs(), classes, *marks)

    def _pairs(self) -> Iterator[tuple[int, int, NDArray[np.uint16]]]:
        restorer = Restorer(str(self.folder), self._rules)
        for (a, b), record in sorted(self.records.items(), key=lambda pair: (sum(pair[0]), pair[0])):
            numbers = range(record.planes)
            if a + b <= PLIES_MARKS:
                planes = [restorer.plane(a, b, number, self._plane) for number in numbers]
            else:
                planes = [self._plane((a, b), number) for number in numbers]
            in_plane = record.entries // record.planes
            yield a, b, np.concatenate([wide_entries(plane, in_plane) for plane in planes])

    def _plane(self, pair: PairId, number: int) -> Plane:
        """A plane without the plies of wins."""
        record = self.records[pair]
        return plane_of(str(self.folder), record, plane_runs(self.files, record, number))


def book_name(rules: Quixo) -> str:
    return f"{rules.name}.book"


def write_book(
    path: Path,
    rules: Quixo,
    pairs: Iterable[tuple[int, int, NDArray[np.uint16]]],
    classes: Iterable[ClassCounts],
    plies_marks: int,
    outcome_marks: int,
) -> str:
    """Write these pairs, those with few marks first, and return the checksum of the file in hex."""
    described, payload = [], []
    with ThreadPoolExecutor() as threads:  # compression does not hold the interpreter's lock
        for a, b, entries in pairs:
            kind: Kind = "plies" if a + b <= plies_marks else "outcomes"
            encoded = _encoded(entries, kind)
            if encoded is None:  # under some rules games are so long that codes of one byte are too few
                kind = "outcomes"
                encoded = _encoded(entries, kind)
            assert encoded is not None
            alphabet, codes = encoded
            ranks = comb(rules.cells - a, b)
            blocks = codes.size // ranks // len(classes_of(a, b))
            per_chunk = max(1, _CHUNK // ranks)
            planes = codes.reshape(-1, blocks, ranks)
            chunks = [
                plane[i : i + per_chunk].T.tobytes() for plane in planes for i in range(0, blocks, per_chunk)
            ]
            packed = list(threads.map(_pack, chunks))
            payload += packed
            described.append(
                {
                    "a": a,
                    "b": b,
                    "kind": kind,
                    "alphabet": alphabet,
                    "blocks": blocks,
                    "blocks_per_chunk": per_chunk,
                    "chunks": [len(chunk) for chunk in packed],
                }
            )
    header = {
        **rules.to_json(),
        "plies_marks": plies_marks,
        "outcome_marks": outcome_marks,
        "pairs": described,
        "classes": [
            {"x": c.x, "o": c.o, "win": c.win, "draw": c.draw, "loss": c.loss}
            for c in sorted(classes, key=lambda c: (c.x + c.o, c.x))
            if c.x + c.o <= outcome_marks
        ],
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    parts = [_FIELDS.pack(_MAGIC, _VERSION, len(text)), text, *payload]
    digest = hashlib.sha256(b"".join(parts))
    write_atomically(path, (*parts, digest.digest()))
    return digest.hexdigest()


def _pack(chunk: bytes) -> bytes:
    return zlib.compress(chunk, 9)


def _encoded(wide: NDArray[np.uint16], kind: Kind) -> tuple[list[int], NDArray[np.uint8]] | None:
    """Entries as codes of one byte, and the wide entries that these stand for; None if there are too many."""
    if kind == "outcomes":
        return [], (wide >= WIDE_DRAW).astype(np.uint8) + (wide > WIDE_DRAW).astype(np.uint8)
    found = np.unique(wide)
    if found.size > 256:
        return None
    codes = np.zeros(WIDE_TOP + 1, np.uint8)
    codes[found] = np.arange(found.size)
    return found.tolist(), codes[wide]


# --- Reading ---


class BookPair(NamedTuple):
    """Where the entries of a pair are in the file."""

    kind: Kind
    alphabet: NDArray[np.uint16]  # the wide entries that codes stand for
    blocks: int  # of a plane
    blocks_per_chunk: int
    offsets: tuple[int, ...]  # where each chunk begins, and the end
    sizes: list[int]  # of the chunks, unpacked


class Book:
    """The positions with few marks: their values, and up to some smaller number of marks their plies."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        header, begin = _checked_header(data, name)
        self._chunks = _Chunks(data, name)
        try:
            self.rules = Quixo.from_json(header)
            self.plies_marks = int(header["plies_marks"])
            self.outcome_marks = int(header["outcome_marks"])
            self.classes = tuple((c["x"], c["o"], c["win"], c["draw"], c["loss"]) for c in header["classes"])
            self.native = NativeBook(
                self.rules.native, self.outcome_marks, self.plies_marks, self._chunks.codes
            )
            self._list_pairs(header["pairs"], begin)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DamagedFile(f"{name} is damaged: its header makes no sense ({error!r})") from None

    @property
    def pairs(self) -> Mapping[PairId, BookPair]:
        return self._chunks.pairs

    def get(self, word: int) -> Outcome | None:
        """The outcome of a position, as `Position.mover_word` gives it; None if it has too many marks.

        With more than `plies_marks` marks, the plies of a win or a loss are None.
        """
        values, plies = self.native.probe_many(np.array([word], np.uint64))
        if values[0] == INVALID:
            raise ValueError(f"word 0x{word:016x} is not a position of this board")
        return outcomes_of(values, plies)[0]

    def entries(self, a: int, b: int) -> NDArray[np.uint16]:
        """All entries of a pair; without plies, as if the game was over."""
        pair = self.pairs[a, b]
        ranks = comb(self.rules.cells - a, b)
        return np.concatenate(
            [
                pair.alphabet[np.frombuffer(self._chunks.codes(a, b, chunk), np.uint8)]
                .reshape(ranks, -1)
                .T.ravel()
                for chunk in range(len(pair.sizes))
            ]
        )

    def packed_chunks(self, a: int, b: int) -> list[bytes]:
        """The chunks of a pair as they are in the file, each packed with zlib by itself."""
        return [self._chunks.packed(a, b, chunk) for chunk in range(len(self.pairs[a, b].sizes))]

    def _list_pairs(self, listed: list[dict[str, Any]], offset: int) -> None:
        """The pairs of a header; `ValueError` if they are not those of such a book, or do not fill it."""
        for described in listed:
            a, b, blocks, per_chunk, lengths = (
                described[key] for key in ("a", "b", "blocks", "blocks_per_chunk", "chunks")
            )
            if not all(type(length) is int and length >= 0 for length in lengths):
                raise ValueError(f"chunks of {lengths} bytes")
            if described["kind"] not in ("plies", "outcomes"):
                raise ValueError(f"kind {described['kind']!r}")
            has_plies = described["kind"] == "plies"
            alphabet = list(described["alphabet"] if has_plies else _WIDE_OUTCOMES)
            sizes = self.native.add_pair(a, b, has_plies, alphabet, blocks, per_chunk)
            if len(lengths) != len(sizes):
                raise ValueError(f"{len(lengths)} chunks of {per_chunk} blocks")
            offsets = tuple(accumulate(lengths, initial=offset))
            offset = offsets[-1]
            wide = np.array(alphabet, np.uint16)
            self._chunks.pairs[a, b] = BookPair(described["kind"], wide, blocks, per_chunk, offsets, sizes)
        if offset != self._chunks.end:
            raise ValueError("the chunks do not fill the file")


class _Chunks:
    """The chunks of a book, for the core."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self.end = len(data) - _DIGEST
        self.pairs: dict[PairId, BookPair] = {}

    def packed(self, a: int, b: int, chunk: int) -> bytes:
        begin, end = self.pairs[a, b].offsets[chunk : chunk + 2]
        return self._data[begin:end]

    def codes(self, a: int, b: int, chunk: int) -> bytes:
        """A chunk of a pair, unpacked."""
        pair = self.pairs[a, b]
        size = pair.sizes[chunk]
        unpacking = zlib.decompressobj()
        with suppress(zlib.error):
            codes = unpacking.decompress(self.packed(a, b, chunk), size + 1)
            if unpacking.eof and len(codes) == size and max(codes, default=0) < pair.alphabet.size:
                return codes
        raise DamagedFile(f"{self._name} is damaged: chunk {chunk} of the pair {{{a}, {b}}}")


def open_book(path: str | Path) -> Book:
    """Read a book and check it; `DamagedFile` if it is not what was written."""
    return Book(read_file(Path(path), _MOST_BYTES), str(path))


@lru_cache(maxsize=1)
def shipped_book(rules: Quixo) -> Book | None:
    """The book of these rules that comes with the package, if there is one."""
    path = files("inarow") / "data" / "quixo" / book_name(rules)
    return Book(path.read_bytes(), str(path)) if path.is_file() else None


def _checked_header(data: bytes, name: str) -> tuple[dict[str, Any], int]:
    """The header, and where the chunks begin."""
    if data[:8] != _MAGIC:
        raise DamagedFile(f"{name} is not a book of Quixo: it starts with {data[:8]!r}")
    if len(data) < _FIELDS.size + _DIGEST:
        raise DamagedFile(f"{name} is cut short: {len(data)} bytes, less than any book")
    _, version, size = _FIELDS.unpack(data[: _FIELDS.size])
    if version != _VERSION:
        raise DamagedFile(f"{name} has format version {version}; this program reads version {_VERSION}")
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise DamagedFile(f"{name} is damaged: its checksum is not that of its content")
    header = data[_FIELDS.size : _FIELDS.size + size]
    return json_object(header, f"the header of {name}"), _FIELDS.size + size
