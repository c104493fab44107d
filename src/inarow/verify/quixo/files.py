"""Reads the folder of a Quixo table for the checker, in either form.

Written from the page on the format of tables, and sharing no code with what reads them elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as _verify
from inarow.errors import DamagedFile, MissingTable

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
T = TypeVar("T")

_HEADER = struct.Struct("<8sHBBBBBBB7sQ32s")
_PIECES_HEADER = struct.Struct("<8sHBBBBBBB3sIQ")
_PIECE = 16384  # entries
_DIGEST = 32
_NARROW_PLIES = 126  # the most plies an entry of one byte holds
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # left out in the files
_TOLD = np.array([0, _verify.DRAW, 65535, _verify.NOT_AN_ENTRY], np.uint32)
_LOSSES = np.array([sum(byte >> 2 * i & 3 == 0 for i in range(4)) for byte in range(256)], np.uint8)
_RUN = 64  # pieces that a thread unpacks at once
_KEPT = 2048  # unpacked pieces that are remembered


class VerifyError(DamagedFile):
    """The folder is not a whole table: something is missing or malformed, so there is nothing to check."""


@dataclass(frozen=True)
class Class:
    """The counts of the positions with x marks of the side to move and o of the other."""

    x: int
    o: int
    win: int
    loss: int
    draw: int
    by_plies: list[list[int]]  # rows of plies, wins, losses; none in a table of outcomes


class TableFiles:
    """A folder whose manifest and headers have been read, and agree with each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        manifest = _manifest(folder)
        self.compact = manifest["format"] == "inarow-quixo-compact"
        self.has_plies = not self.compact or _get(manifest, "plies", bool)

        rules = _get(manifest, "rules", dict)
        self.size = _get(rules, "rows" if "rows" in rules else "size", int)
        self.line = _get(rules, "line", int)
        if rules.get("columns", self.size) != self.size:
            raise VerifyError(f"no such rules: {self.size} rows and {rules['columns']} columns")
        if not 2 <= self.line <= self.size <= 5:
            raise VerifyError(f"no such rules: size {self.size}, line {self.line}")
        if _get(rules, "double_line", str) not in ("loses", "wins"):
            raise VerifyError(f"no such rules: double_line {rules['double_line']!r}")
        self.double_line_wins = rules["double_line"] == "wins"

        if not _get(manifest, "complete", bool):
            raise MissingTable(f"the table in {folder} is not complete")
        self.listed: dict[tuple[int, int], dict[str, Any]] = {}
        for entry in _get(manifest, "pairs", list):
            pair = _get(entry, "a", int), _get(entry, "b", int)
            if pair in self.listed:
                raise VerifyError(f"manifest.json has the pair {self.name(*pair)} twice")
            self.listed[pair] = entry
        self.pairs = list(_pairs(self.size))
        self._values: dict[tuple[int, int], _Pieces] = {}
        self._plies: dict[tuple[int, int], _Pieces] = {}
        for pair in self.pairs:
            if pair not in self.listed:
                raise VerifyError(f"manifest.json does not have the pair {self.name(*pair)}")
            if self.compact:
                self._open_pieces(*pair)
            else:
                self._check_file(*pair)
        for pair in self.listed.keys() - set(self.pairs):
            raise VerifyError(f"manifest.json has {self.name(*pair)}, which is no pair of the board")
        self._values_piece = lru_cache(maxsize=_KEPT)(self._unpack_values)
        self._plies_piece = lru_cache(maxsize=_KEPT // 8)(self._unpack_plies)

    @property
    def leaves_plies_out(self) -> bool:
        """Whether losses have plies, and wins have not."""
        return self.compact and self.has_plies

    # --- Whole pairs ---

    def entries(self, a: int, b: int, threads: int = 1) -> Entries:
        """The entries of a pair as the plain form has them.

        Of the compact form, two bytes each, with wins as if in 0 plies; without plies, two bits each.
        """
        if not self.compact:
            width = self.listed[a, b]["width"]
            return np.memmap(self._file(a, b), np.dtype(f"<u{width}"), mode="r", offset=_HEADER.size)
        pieces = self._values[a, b]
        of_plane = pieces.entries if self.has_plies else -(-pieces.entries // 4)
        count = pieces.planes * of_plane
        unpacked: Entries = np.empty(count, np.uint16) if self.has_plies else np.empty(count, np.uint8)

        def unpack(number: int) -> None:
            plane, nth = divmod(number, pieces.of_plane)
            packed = self._unpack_values(a, b, number)
            if not self.has_plies:
                first = plane * of_plane + nth * (_PIECE // 4)
                unpacked[first : first + packed.size] = packed
                return
            first = plane * of_plane + nth * _PIECE
            codes = _codes(packed)[: pieces.entries_of(number)]
            there = unpacked[first : first + codes.size]
            there[:] = _TOLD[codes]
            there[codes == 0] = self._unpack_plies(a, b, number, int(np.sum(codes == 0)))

        def unpack_run(first: int) -> None:
            for number in range(first, min(first + _RUN, pieces.count)):
                unpack(number)

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(unpack_run, range(0, pieces.count, _RUN)):
                pass
        return unpacked

    def differs(self, a: int, b: int, counts: list[Class]) -> str | None:
        """What the manifest says otherwise of a pair than its entries do."""
        stated = self.classes(a, b)
        if sorted((c.x, c.o) for c in stated) != sorted((c.x, c.o) for c in counts):
            return f"{self.name(a, b)}: the manifest's classes are {[(c.x, c.o) for c in stated]}"
        for found in counts:
            said = next(c for c in stated if (c.x, c.o) == (found.x, found.o))
            where = f"{self.name(a, b)}, class of {found.x} and {found.o} marks"
            for what in ("win", "loss", "draw"):
                in_manifest, in_entries = getattr(said, what), getattr(found, what)
                if in_manifest != in_entries:
                    return f"{where}: {what} is {in_manifest} in the manifest, {in_entries} in the entries"
            if said.by_plies != found.by_plies:
                return f"{where}: by_plies in the manifest is not what the entries give"
        rows = [row for found in counts for row in found.by_plies]
        if not self.compact:
            width, longest, most = (
                self.listed[a, b]["width"],
                max((r[0] for r in rows), default=0),
                _NARROW_PLIES,
            )
        elif self.has_plies:  # of losses alone
            width, most = self.listed[a, b]["plies"]["width"], 255
            longest = max((row[0] for row in rows if row[2]), default=0)
        else:
            return None
        if (width == 2) != (longest > most):
            return f"{self.name(a, b)}: entries of {width} bytes for at most {longest} plies"
        return None

    def classes(self, a: int, b: int) -> list[Class]:
        """What the manifest says of a pair."""
        return [_read_class(entry, self.has_plies) for entry in _get(self.listed[a, b], "classes", list)]

    def is_as_written(self, a: int, b: int) -> bool:
        """Whether the files of a pair have the content that their digests are of."""
        if not self.compact:
            with self._file(a, b).open("rb") as file:
                digest = hashlib.sha256(file.read(_HEADER.size - _DIGEST))
            digest.update(self.entries(a, b).data)
            return digest.hexdigest() == str(self.listed[a, b]["sha256"])
        try:
            for files in (self._values, self._plies):
                if (a, b) in files:
                    for number in range(files[a, b].count):
                        files[a, b].stored(number)
        except VerifyError:
            return False
        return True

    # --- Single entries ---

    def told(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """What is stored for positions, as entries of two bytes; compact wins as if in 0 plies."""
        planes, indices = _verify.places(self.size, words)
        found = np.empty(words.size, np.uint32)
        order = np.lexsort((indices, planes))
        numbers = planes[order].astype(np.int64) << 32 | (indices[order] // _PIECE).astype(np.int64)
        for run in np.split(order, np.flatnonzero(np.diff(numbers)) + 1) if words.size else ():
            plane = int(planes[run[0]])
            found[run] = self._told(plane >> 6, plane >> 1 & 31, plane & 1, indices[run])
        return found

    def _told(self, a: int, b: int, plane: int, indices: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Of entries of one piece; of the plain form, of one plane."""
        if not self.compact:
            entries = self.entries(a, b)
            top = int(np.iinfo(entries.dtype).max)
            here = np.array(entries[indices + np.uint64(plane * entries.size // 2)], np.uint32)
            draw = top // 2
            here[here > draw + 1] += 65535 - top
            here[here == draw + 1] = _verify.NOT_AN_ENTRY
            here[here == draw] = _verify.DRAW
            return here
        pieces = self._values[a, b]
        number = plane * pieces.of_plane + int(indices[0]) // _PIECE
        packed = self._values_piece(a, b, number)
        places = (indices % np.uint64(_PIECE)).astype(np.int64)
        codes = packed[places // 4] >> (places % 4 * 2).astype(np.uint8) & 3
        found = np.array(_TOLD[codes], np.uint32)
        lost = np.flatnonzero(codes == 0)
        if self.has_plies and lost.size:
            before = np.concatenate([[0], np.cumsum(_LOSSES[packed], dtype=np.int64)])
            padding = 4 * packed.size - pieces.entries_of(number)  # of zeros, like losses
            plies = self._plies_piece(a, b, number, int(before[-1]) - padding)
            for nth in lost:
                byte, place = divmod(int(places[nth]), 4)
                within = sum(int(packed[byte]) >> 2 * i & 3 == 0 for i in range(place))
                found[nth] = plies[before[byte] + within]
        return found

    # --- Files ---

    def name(self, a: int, b: int) -> str:
        return f"pair-{a:02}-{b:02}.{'values' if self.compact else 'bin'}"

    def _file(self, a: int, b: int) -> Path:
        return self.folder / self.name(a, b)

    def _unpack_values(self, a: int, b: int, number: int) -> NDArray[np.uint8]:
        """A piece of outcomes, packed."""
        pieces = self._values[a, b]
        entries = pieces.entries_of(number)
        packed = np.frombuffer(pieces.unpacked(number, -(-entries // 4)), np.uint8)
        if entries % 4 and packed[-1] >> entries % 4 * 2:
            raise VerifyError(f"{self.name(a, b)}: piece {number} has bits set past its last entry")
        return packed

    def _unpack_plies(self, a: int, b: int, number: int, lost: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """The plies of a piece's losses."""
        pieces = self._plies[a, b]
        return np.frombuffer(pieces.unpacked(number, lost * pieces.width), np.dtype(f"<u{pieces.width}"))

    def _open_pieces(self, a: int, b: int) -> None:
        entry, count = self.listed[a, b], _verify.entry_count(self.size, a, b)
        if _get(entry, "entries", int) != count:
            raise VerifyError(
                f"{self.name(a, b)}: {entry['entries']} entries in manifest.json, expected {count}"
            )
        self._values[a, b] = self._pieces(a, b, entry, 0)
        if self.has_plies:
            plies = _get(entry, "plies", dict)
            if _get(plies, "width", int) not in (1, 2):
                raise VerifyError(f"{self.name(a, b)}: no such width of plies: {plies['width']}")
            self._plies[a, b] = self._pieces(a, b, plies, plies["width"])
        elif "plies" in entry:
            raise VerifyError(f"{self.name(a, b)}: plies in a table that says it has none")

    def _pieces(self, a: int, b: int, entry: dict[str, Any], width: int) -> _Pieces:
        name = f"pair-{a:02}-{b:02}.{'plies' if width else 'values'}"
        if _get(entry, "file", str) != name:
            raise VerifyError(f"{name} has another name in manifest.json: {entry['file']!r}")
        planes = 1 if a == b else 2
        count = _verify.entry_count(self.size, a, b) // planes
        expected = {
            "magic": b"INAROWQC",
            **self._fields_of(a, b),
            "width": width,
            "planes": planes,
            "zeros": bytes(3),
            "entries of a piece": _PIECE,
            "entries of a plane": count,
        }
        header, length = self._read_header(name, _PIECES_HEADER.size)
        _compare(name, _PIECES_HEADER.unpack(header), expected)
        pieces = _Pieces(self.folder / name, header, length, width, planes, count)
        if pieces.digest.hex() != _get(entry, "sha256", str):
            raise VerifyError(f"{name}: the digest at its end is not the one in manifest.json")
        if length != _get(entry, "bytes", int):
            raise VerifyError(f"{name} has {length} bytes, {entry['bytes']} in manifest.json")
        return pieces

    def _fields_of(self, a: int, b: int) -> dict[str, int]:
        """What the headers of both forms say after their first bytes."""
        rules = {"size": self.size, "line": self.line, "double line": int(self.double_line_wins)}
        return {"version": 1, **rules, "a": a, "b": b}

    def _check_file(self, a: int, b: int) -> None:
        entry, name = self.listed[a, b], self.name(a, b)
        width, count = _get(entry, "width", int), _verify.entry_count(self.size, a, b)
        if _get(entry, "file", str) != name:
            raise VerifyError(f"{name} has another name in manifest.json: {entry['file']!r}")
        if width not in (1, 2):
            raise VerifyError(f"{name}: no such width of an entry: {width}")
        if _get(entry, "entries", int) != count:
            raise VerifyError(f"{name}: {entry['entries']} entries in manifest.json, expected {count}")
        header, length = self._read_header(name, _HEADER.size)
        *fields, digest = _HEADER.unpack(header)
        expected = {
            "magic": b"INAROWQX",
            **self._fields_of(a, b),
            "width": width,
            "planes": 1 if a == b else 2,
            "zeros": bytes(7),
            "entries": count,
        }
        _compare(name, tuple(fields), expected)
        if digest.hex() != _get(entry, "sha256", str):
            raise VerifyError(f"{name}: the digest in the header is not the one in manifest.json")
        if length != _HEADER.size + count * width:
            raise VerifyError(f"{name} has {length} bytes, expected {_HEADER.size + count * width}")

    def _read_header(self, name: str, size: int) -> tuple[bytes, int]:
        """The header, and the length of the file."""
        try:
            with (self.folder / name).open("rb") as file:
                header = file.read(size)
                length = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            raise MissingTable(f"{self.folder / name} is missing, though the manifest lists it") from None
        except OSError as error:
            raise VerifyError(f"cannot read {name}: {error}") from error
        if len(header) < size:
            raise VerifyError(f"{name} ends within its header")
        return header, length


class _Pieces:
    """A file of pieces: the outcomes of a pair (width 0), or the plies of its losses."""

    def __init__(self, path: Path, header: bytes, length: int, width: int, planes: int, entries: int) -> None:
        self.name, self.width, self.planes, self.entries = path.name, width, planes, entries
        self.of_plane = -(-entries // _PIECE)
        self.count = planes * self.of_plane
        index = length - _DIGEST - 8 * self.count
        if index < len(header):
            raise VerifyError(f"{self.name} has {length} bytes, too few for its index")
        self._content: NDArray[np.uint8] = np.memmap(path, np.uint8, mode="r")
        listed = self._content[index : length - _DIGEST].tobytes()
        self.digest = self._content[length - _DIGEST :].tobytes()
        if hashlib.sha256(header + listed).digest() != self.digest:
            raise VerifyError(f"{self.name}: the digest at its end is not that of its header and index")
        lengths_and_sums = np.frombuffer(listed, "<u4").reshape(-1, 2)
        self._checksums = lengths_and_sums[:, 1]
        self._ends = len(header) + np.cumsum(lengths_and_sums[:, 0], dtype=np.int64)
        self._begin = len(header)
        if int(self._ends[-1]) != index:
            raise VerifyError(f"{self.name} has {length} bytes, not as many as its index says")

    def entries_of(self, number: int) -> int:
        return min(_PIECE, self.entries - number % self.of_plane * _PIECE)

    def stored(self, number: int) -> bytes:
        begin = int(self._ends[number - 1]) if number else self._begin
        stored = self._content[begin : int(self._ends[number])].tobytes()
        if zlib.crc32(stored) != self._checksums[number]:
            raise VerifyError(f"{self.name}: the checksum of piece {number} is wrong")
        return stored

    def unpacked(self, number: int, size: int) -> bytes:
        stored = self.stored(number)
        if len(stored) <= 1:
            data = stored * size
        else:
            try:
                data = zstandard.ZstdDecompressor().decompress(_ZSTD_MAGIC + stored, max_output_size=size)
            except zstandard.ZstdError as error:
                raise VerifyError(f"{self.name}: piece {number} cannot be unpacked: {error}") from None
        if len(data) != size or (size == 0) != (not stored):
            raise VerifyError(f"{self.name}: piece {number} has not the {size} bytes it should have")
        return data


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        text = (folder / "manifest.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingTable(f"no table in {folder}: there is no manifest.json") from None
    except (OSError, UnicodeDecodeError) as error:
        raise VerifyError(f"cannot read {folder / 'manifest.json'}: {error}") from error
    try:
        manifest = json.loads(text)
    except ValueError as error:
        raise VerifyError(f"manifest.json is not JSON: {error}") from error
    if _get(manifest, "format", str) not in ("inarow-quixo", "inarow-quixo-compact"):
        raise VerifyError(f"not a table of Quixo: the format is {manifest['format']!r}")
    if _get(manifest, "version", int) != 1:
        raise VerifyError(f"format version {manifest['version']}: only 1 is known")
    assert isinstance(manifest, dict)
    return manifest


def _compare(name: str, fields: tuple[Any, ...], expected: dict[str, Any]) -> None:
    for (what, right), found in zip(expected.items(), fields, strict=True):
        if found != right:
            raise VerifyError(f"{name}: {what} in the header is {found!r}, expected {right!r}")


def _get(mapping: Any, key: str, kind: type[T]) -> T:
    """A key of a JSON object, if it is there and of this very type (to Python true is an int)."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    if type(value) is not kind:
        raise VerifyError(f"manifest.json: {key!r} is missing or is no {kind.__name__}: {value!r:.40}")
    return value


def _read_class(entry: Any, has_plies: bool) -> Class:
    rows = _get(entry, "by_plies", list) if has_plies else []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or any(type(number) is not int for number in row):
            raise VerifyError(f"manifest.json: a row of 'by_plies' must be three numbers: {row!r:.40}")
    x, o, win, loss, draw = (_get(entry, key, int) for key in ("x", "o", "win", "loss", "draw"))
    return Class(x, o, win, loss, draw, sorted(row for row in rows if row[1:] != [0, 0]))


def _pairs(size: int) -> Iterator[tuple[int, int]]:
    """All pairs {a, b}, those with more marks first."""
    for marks in range(size * size, -1, -1):
        for b in range(marks // 2 + 1):
            yield marks - b, b


def _codes(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The two bits of each entry, one a byte."""
    codes = packed[:, None] >> np.array([0, 2, 4, 6], np.uint8) & np.uint8(3)
    return np.asarray(codes.ravel(), np.uint8)


def pairs_above(size: int, a: int, b: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The pairs that a new mark leads to: {a + 1, b} and {a, b + 1}, where there are such."""
    if a + b == size * size:
        return None, None
    return (a + 1, b), (a, b + 1) if a > b else None
