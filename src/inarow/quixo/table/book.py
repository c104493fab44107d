"""A book: what becomes of all positions with few marks, in one small file. docs/book-format.md tells how."""

from __future__ import annotations

import hashlib
import json
import lzma
import struct
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from math import comb
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Locator
from inarow.errors import DamagedFile
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries, widened
from inarow.values import Outcome, Value

MAGIC = b"INAROWQB"
VERSION = 1
_FIELDS = struct.Struct("<8sII")  # magic, version, bytes of the header
_DIGEST = 32

_CHUNK = 1 << 16  # entries in a chunk, about: to look one up is to unpack all of them
_PRESET = 9 | lzma.PRESET_EXTREME
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": _PRESET, "lc": 4, "pb": 0, "dict_size": 1 << 17}]
_OUTCOMES: tuple[Value, ...] = ("loss", "draw", "win")
_TOP, _DRAW = 65535, 32767  # wide entries: Win in 0, and Draw

Kind = Literal["plies", "outcomes"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Where the entries of a pair are in the file."""

    kind: Kind
    alphabet: tuple[int, ...]  # what the codes stand for; empty if only outcomes are kept
    blocks: int  # of a plane, and in a chunk
    blocks_per_chunk: int
    offsets: tuple[int, ...]  # where each chunk begins, and the end


class Book:
    """The positions with few marks of a game: their values, and up to some number of marks their plies."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        header, begin = _checked_header(data, name)
        try:
            self.rules = Quixo.from_json(header)
            self.plies_marks = int(header["plies_marks"])
            self.outcome_marks = int(header["outcome_marks"])
            self.classes = tuple((c["x"], c["o"], c["win"], c["draw"], c["loss"]) for c in header["classes"])
            self._pairs = dict(_pairs(header, begin, len(data)))
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{name} is damaged: its header makes no sense ({error!r})") from None
        self._locator = Locator(self.rules.native)
        self._chunk = lru_cache(maxsize=256)(self._unpack)

    def get(self, word: int) -> Outcome | None:
        """The outcome of a position, as `Position.mover_word` gives it; None past the book.

        With more than `plies_marks` marks, the plies of a win or a loss are not known and None.
        """
        located = self._locator.locate(word)
        if located is None:
            raise ValueError(f"word 0x{word:016x} is not a position of this board")
        a, b, plane, block, rank = located
        pair = self._pairs.get((a, b))
        if pair is None:
            return None
        chunks = -(-pair.blocks // pair.blocks_per_chunk)
        chunk, within = divmod(block, pair.blocks_per_chunk)
        width = min(pair.blocks_per_chunk, pair.blocks - chunk * pair.blocks_per_chunk)
        code = self._chunk(a, b, plane * chunks + chunk)[rank * width + within]
        if pair.kind == "outcomes":
            return Outcome(_OUTCOMES[code], None)
        return _outcome(pair.alphabet[code])

    def entries(self, a: int, b: int) -> Entries:
        """All entries of a pair, as a table has them; with plies 0 where the book has outcomes only."""
        pair = self._pairs[a, b]
        alphabet = np.array(pair.alphabet if pair.kind == "plies" else (0, _DRAW, _TOP), np.uint16)
        chunks = []
        for chunk in range(len(pair.offsets) - 1):
            of_plane = chunk % -(-pair.blocks // pair.blocks_per_chunk)
            width = min(pair.blocks_per_chunk, pair.blocks - of_plane * pair.blocks_per_chunk)
            codes = np.frombuffer(self._chunk(a, b, chunk), np.uint8)
            chunks.append(alphabet[codes].reshape(-1, width).T.ravel())
        return np.concatenate(chunks)

    @property
    def pairs(self) -> Sequence[tuple[int, int]]:
        return tuple(self._pairs)

    @cached_property
    def sha256(self) -> str:
        return self._data[-_DIGEST:].hex()

    def __len__(self) -> int:
        return len(self._data)

    def _unpack(self, a: int, b: int, chunk: int) -> bytes:
        offsets = self._pairs[a, b].offsets
        return lzma.decompress(
            self._data[offsets[chunk] : offsets[chunk + 1]], format=lzma.FORMAT_RAW, filters=_FILTERS
        )


def open_book(path: str | Path) -> Book:
    """Read a book and check it; `DamagedFile` if it is not what was written."""
    return Book(Path(path).read_bytes(), str(path))


@lru_cache(maxsize=1)
def shipped_book(rules: Quixo) -> Book | None:
    """The book of these rules that comes with the package, if there is one."""
    path = files("inarow") / "data" / "quixo" / book_name(rules)
    return Book(path.read_bytes(), str(path)) if path.is_file() else None


def book_name(rules: Quixo) -> str:
    return f"{rules.name}.book"


def write_book(
    path: Path,
    rules: Quixo,
    pairs: Iterable[tuple[int, int, Entries]],
    classes: Iterable[ClassCounts],
    plies_marks: int,
    outcome_marks: int,
) -> str:
    """Write the pairs with few enough marks, and return the checksum of the file in hex."""
    locator = Locator(rules.native)
    described, payload = [], []
    with ThreadPoolExecutor() as threads:  # compression leaves the interpreter free
        for a, b, entries in sorted(pairs, key=lambda pair: (pair[0] + pair[1], pair[0])):
            kind: Kind = "plies" if a + b <= plies_marks else "outcomes"
            encoded = _encoded(entries, kind)
            if encoded is None:  # under some rules games are long, and codes of a byte do not suffice
                kind = "outcomes"
                encoded = _encoded(entries, kind)
            assert encoded is not None
            alphabet, codes = encoded
            blocks, ranks = locator.block_count(a), comb(rules.cells - a, b)
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
    parts = [_FIELDS.pack(MAGIC, VERSION, len(text)), text, *payload]
    digest = hashlib.sha256(b"".join(parts))
    write_atomically(path, (*parts, digest.digest()))
    return digest.hexdigest()


def _pack(chunk: bytes) -> bytes:
    return lzma.compress(chunk, format=lzma.FORMAT_RAW, filters=_FILTERS)


def _encoded(entries: Entries, kind: Kind) -> tuple[list[int], NDArray[np.uint8]] | None:
    """Entries as codes of one byte, and the wide entries that these stand for; None if there are too many."""
    wide = widened(entries)
    if kind == "outcomes":
        return [], (wide >= _DRAW).astype(np.uint8) + (wide > _DRAW).astype(np.uint8)
    found = np.unique(wide)
    if found.size > 256:
        return None
    codes = np.zeros(_TOP + 1, np.uint8)
    codes[found] = np.arange(found.size)
    return found.tolist(), codes[wide]


def _outcome(entry: int) -> Outcome:
    if entry == _DRAW:
        return Outcome("draw", None)
    return Outcome("loss", entry) if entry < _DRAW else Outcome("win", _TOP - entry)


def _checked_header(data: bytes, name: str) -> tuple[dict[str, Any], int]:
    """The header, and where the chunks begin."""
    if data[:8] != MAGIC:
        raise DamagedFile(f"{name} is not a book of Quixo: it starts with {data[:8]!r}")
    if len(data) < _FIELDS.size + _DIGEST:
        raise DamagedFile(f"{name} is cut short: {len(data)} bytes, less than any book")
    _, version, size = _FIELDS.unpack(data[: _FIELDS.size])
    if version != VERSION:
        raise DamagedFile(f"{name} has format version {version}; this program reads version {VERSION}")
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise DamagedFile(f"{name} is damaged: its checksum is not that of its content")
    try:
        header = json.loads(data[_FIELDS.size : _FIELDS.size + size])
    except ValueError:
        raise DamagedFile(f"{name} is damaged: its header cannot be read") from None
    if not isinstance(header, dict):
        raise DamagedFile(f"{name} is damaged: its header is no object")
    return header, _FIELDS.size + size


def _pairs(header: dict[str, Any], offset: int, size: int) -> Iterator[tuple[tuple[int, int], _Pair]]:
    """The pairs of a book whose header this is; `ValueError` if their chunks do not fill it."""
    for pair in header["pairs"]:
        offsets = [offset]
        for length in pair["chunks"]:
            offsets.append(offset := offset + length)
        kind = pair["kind"]
        if kind not in ("plies", "outcomes"):
            raise ValueError(f"kind {kind!r}")
        places = pair["blocks"], pair["blocks_per_chunk"]
        yield (pair["a"], pair["b"]), _Pair(kind, tuple(pair["alphabet"]), *places, tuple(offsets))
    if offset != size - _DIGEST:
        raise ValueError("the chunks do not fill the file")
