"""A book: the values of all positions with few marks, in one small file. docs/book-format.md specifies it."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Locator
from inarow.errors import DamagedFile
from inarow.files import json_object, make_folder, read_file, write_atomically
from inarow.locking import locked
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP, Plane, wide_entries
from inarow.quixo.table.files import Content, MemoryFiles, Restorer, plane_of, plane_runs
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, classes_of
from inarow.quixo.table.store import INVALID, MISSING, StoredPair, outcomes_of
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


class BookStore:
    """Keeps the pairs with few marks, and writes a book of them at the end."""

    finished: Mapping[PairId, PairRecord] = {}

    def __init__(self, rules: Quixo, folder: Path) -> None:
        self.folder = folder
        self._rules = rules
        self._records: dict[PairId, PairRecord] = {}
        self._files = MemoryFiles(folder, rules)

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        make_folder(self.folder)
        return locked(self.folder, "making a book")

    def find(self, a: int, b: int) -> StoredPair | None:
        return None

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        if a + b <= OUTCOME_MARKS:
            made = content()
            assert isinstance(made, Content)
            self._records[a, b] = self._files.write(a, b, classes, made)

    def write(self) -> None:
        """Write the book, once all pairs are there."""
        marks = PLIES_MARKS, OUTCOME_MARKS
        classes = [counts for record in self._records.values() for counts in record.classes]
        write_book(self.folder / book_name(self._rules), self._rules, self._pairs(), classes, *marks)

    def _pairs(self) -> Iterator[tuple[int, int, NDArray[np.uint16]]]:
        restorer = Restorer(str(self.folder), self._rules)
        for (a, b), record in sorted(self._records.items(), key=lambda pair: (sum(pair[0]), pair[0])):
            numbers = range(record.planes)
            if a + b <= PLIES_MARKS:
                planes = [restorer.plane(a, b, number, self._plane) for number in numbers]
            else:
                planes = [self._plane((a, b), number) for number in numbers]
            in_plane = record.entries // record.planes
            yield a, b, np.concatenate([wide_entries(plane, in_plane) for plane in planes])

    def _plane(self, pair: PairId, number: int) -> Plane:
        """A plane without the plies of wins."""
        record = self._records[pair]
        return plane_of(str(self.folder), record, plane_runs(self._files, record, number))


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


@dataclass(frozen=True, slots=True)
class BookPair:
    """Where the entries of a pair are in the file."""

    kind: Kind
    alphabet: NDArray[np.uint16]  # the wide entries that codes stand for
    blocks: int  # of a plane
    blocks_per_chunk: int
    offsets: tuple[int, ...]  # where each chunk begins, and the end

    @property
    def chunks_of_plane(self) -> int:
        return -(-self.blocks // self.blocks_per_chunk)

    def width(self, chunk: int) -> int:
        """The number of blocks in a chunk: the last chunk of a plane may have fewer."""
        first = chunk % self.chunks_of_plane * self.blocks_per_chunk
        return min(self.blocks_per_chunk, self.blocks - first)


class Book:
    """The positions with few marks: their values, and up to some smaller number of marks their plies."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        header, begin = _checked_header(data, name)
        try:
            self.rules = Quixo.from_json(header)
            self.plies_marks = int(header["plies_marks"])
            self.outcome_marks = int(header["outcome_marks"])
            self.classes = tuple((c["x"], c["o"], c["win"], c["draw"], c["loss"]) for c in header["classes"])
            self._locator = Locator(self.rules.native)
            self._pairs = dict(self._listed_pairs(header["pairs"], begin))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DamagedFile(f"{name} is damaged: its header makes no sense ({error!r})") from None
        self.codes = lru_cache(maxsize=256)(self._unpack)

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """See `Reader.probe`."""
        planes, places = self._locator.locate_many(words)
        values = np.full(words.size, MISSING, np.int8)
        values[planes < 0] = INVALID
        plies = np.full(words.size, -1, np.int32)
        for number in range(words.size):
            plane = int(planes[number])
            a, b = plane >> 6, plane >> 1 & 31
            pair = self._pairs.get((a, b)) if plane >= 0 else None
            if pair is None:
                continue
            block, rank = divmod(int(places[number]), comb(self.rules.cells - a, b))
            chunk, within = divmod(block, pair.blocks_per_chunk)
            chunk += (plane & 1) * pair.chunks_of_plane
            code = self.codes(a, b, chunk)[rank * pair.width(chunk) + within]
            entry = int(pair.alphabet[code])
            values[number] = (entry > WIDE_DRAW) - (entry < WIDE_DRAW)
            if pair.kind == "plies" and entry != WIDE_DRAW:
                plies[number] = min(entry, WIDE_TOP - entry)
        return values, plies

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """See `Reader.values`."""
        return self.probe(words)[0]

    def outcomes(self, positions: Sequence[Position]) -> list[Outcome | None]:
        """The outcomes of positions, in their order; None if one has too many marks."""
        words = np.array([position.mover_word for position in positions], np.uint64)
        return outcomes_of(*self.probe(words))

    def get(self, word: int) -> Outcome | None:
        """The outcome of a position, as `Position.mover_word` gives it; None if it has too many marks.

        With more than `plies_marks` marks, the plies of a win or a loss are None.
        """
        values, plies = self.probe(np.array([word], np.uint64))
        if values[0] == INVALID:
            raise ValueError(f"word 0x{word:016x} is not a position of this board")
        return outcomes_of(values, plies)[0]

    def entries(self, a: int, b: int) -> NDArray[np.uint16]:
        """All entries of a pair; without plies, as if the game was over."""
        pair = self._pairs[a, b]
        chunks = []
        for chunk in range(len(pair.offsets) - 1):
            codes = np.frombuffer(self.codes(a, b, chunk), np.uint8)
            chunks.append(pair.alphabet[codes].reshape(-1, pair.width(chunk)).T.ravel())
        return np.concatenate(chunks)

    @property
    def pairs(self) -> Mapping[PairId, BookPair]:
        return self._pairs

    def packed_chunks(self, a: int, b: int) -> list[bytes]:
        """The chunks of a pair as they are in the file."""
        return [self._data[begin:end] for begin, end in pairwise(self._pairs[a, b].offsets)]

    @cached_property
    def sha256(self) -> str:
        return self._data[-_DIGEST:].hex()

    def __len__(self) -> int:
        return len(self._data)

    def _listed_pairs(self, listed: Any, offset: int) -> Iterator[tuple[PairId, BookPair]]:
        """The pairs in the header; `ValueError` if they are not those of such a book, or do not fill it."""
        for described in listed:
            a, b, blocks, per_chunk, lengths = (
                described[key] for key in ("a", "b", "blocks", "blocks_per_chunk", "chunks")
            )
            numbers = a, b, blocks, per_chunk, *lengths, *described["alphabet"]
            if not all(type(number) is int and number >= 0 for number in numbers):
                raise ValueError(f"numbers {numbers}")
            if not (b <= a and a + b <= self.rules.cells and blocks == self._locator.block_count(a)):
                raise ValueError(f"a pair {{{a}, {b}}} with {blocks} blocks")
            if described["kind"] not in ("plies", "outcomes"):
                raise ValueError(f"kind {described['kind']!r}")
            alphabet = described["alphabet"] if described["kind"] == "plies" else _WIDE_OUTCOMES
            offsets = (offset, *(offset := offset + length for length in lengths))
            if max(alphabet, default=0) > WIDE_TOP:
                raise ValueError(f"an entry of {max(alphabet)}")
            pair = BookPair(described["kind"], np.array(alphabet, np.uint16), blocks, per_chunk, offsets)
            if per_chunk == 0 or len(lengths) != len(classes_of(a, b)) * pair.chunks_of_plane:
                raise ValueError(f"{len(lengths)} chunks of {per_chunk} blocks")
            yield (a, b), pair
        if offset != len(self._data) - _DIGEST:
            raise ValueError("the chunks do not fill the file")

    def _unpack(self, a: int, b: int, chunk: int) -> bytes:
        """The codes of a chunk of a pair."""
        pair = self._pairs[a, b]
        size = pair.width(chunk) * comb(self.rules.cells - a, b)
        packed = self._data[pair.offsets[chunk] : pair.offsets[chunk + 1]]
        unpacking = zlib.decompressobj()
        with suppress(zlib.error):
            codes = unpacking.decompress(packed, size + 1)
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
