"""Check a Quixo table entry by entry against the rules of the game.

The reader here and the checker in C++ behind it are written from the page on the format of tables, and share
no code with the solver, nor with what reads tables elsewhere in the package.

Every entry of the table is derived anew from the entries of its children. That is enough to know the whole
table right, draws included. By induction on p, the positions stored as decided in p plies are those which
truly are: whether a position is decided in p plies rests only on which of its children are decided in fewer,
and there the table is right already. What is not decided in any number of plies is a draw, and nothing else
is left to be stored for it.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from inarow import _verify
from inarow.errors import DamagedFile, MissingTable

__all__ = ["Counterexample", "Report", "VerifyError", "verify_table"]

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
T = TypeVar("T")
Wrong: TypeAlias = tuple[int, int, int, int, int, int, int]

_HEADER = struct.Struct("<8sHBBBBBBB7sQ32s")
_AT_ONCE = 1 << 18  # entries between two calls of `progress`
_NARROW_PLIES = 126  # the most plies an entry of one byte holds


class VerifyError(DamagedFile):
    """The folder is not a whole table: something is missing or malformed, so there is nothing to check."""


@dataclass(frozen=True)
class Counterexample:
    """The first entry of a pair that is not what the rules and the entries of its children make of it.

    Either the entry is wrong or one of its children's is.
    """

    position: str  # rows from the top; x is the side to move
    stored: str  # as in "win in 3", for the side to move
    expected: str
    a: int
    b: int
    plane: int
    block: int
    rank: int

    def __str__(self) -> str:
        where = f"pair {{{self.a}, {self.b}}}, plane {self.plane}, block {self.block}, rank {self.rank}"
        return f"{self.position}: stored {self.stored}, expected {self.expected} ({where})"


@dataclass(frozen=True)
class Report:
    """What a check found. `problem` is a fault of the table other than a wrong entry."""

    entries: int  # checked, up to the first fault
    positions: int  # that the pairs without a fault stand for, symmetric ones one by one
    seconds: float
    counterexample: Counterexample | None = None
    problem: str | None = None

    @property
    def ok(self) -> bool:
        return self.counterexample is None and self.problem is None

    @property
    def per_second(self) -> float:
        return self.entries / self.seconds if self.seconds > 0 else 0.0


def verify_table(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check every entry of the table in a folder, and the counts in its manifest.

    Stops at the first fault. `threads` is all of the machine's unless said; the report is the same for any
    number. `progress` is called with the number of entries checked so far and of all. Checksums are not
    computed.

    :raises VerifyError: if the folder is not a table, `MissingTable` if a part of it is not there.
    """
    started = time.perf_counter()
    if threads is None:
        threads = os.cpu_count() or 1
    table = _Table(Path(path))
    rules = table.size, table.line, table.double_line_wins
    total = sum(_verify.entry_count(table.size, a, b) for a, b in table.pairs)
    done = positions = 0

    def report(counterexample: Counterexample | None = None, problem: str | None = None) -> Report:
        return Report(done, positions, time.perf_counter() - started, counterexample, problem)

    for a, b in table.pairs:
        entries, larger, smaller = table.open(a, b), None, None
        if a + b < table.size**2:
            larger = table.open(a + 1, b)
            smaller = table.open(a, b + 1) if a > b else None
        for first in range(0, entries.size, _AT_ONCE):
            last = min(first + _AT_ONCE, entries.size)
            checked, wrong = _verify.check(*rules, a, b, entries, larger, smaller, first, last, threads)
            done += checked
            if wrong is not None:
                return report(counterexample=_counterexample(table.size, a, b, wrong))
            if progress is not None:
                progress(done, total)
        counts = _count(table.size, a, b, entries)
        problem = table.differs(a, b, counts)
        if problem is not None:
            return report(problem=problem)
        positions += sum(counted.win + counted.loss + counted.draw for counted in counts)
    return report()


# --- The folder ---


@dataclass(frozen=True)
class _Class:
    """The counts of the positions with x marks of the side to move and o of the other."""

    x: int
    o: int
    win: int
    loss: int
    draw: int
    by_plies: list[list[int]]  # rows of plies, wins, losses


class _Table:
    """A folder whose manifest and headers have been read, and agree with each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
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
        if _get(manifest, "format", str) != "inarow-quixo":
            raise VerifyError(f"not a table of Quixo: the format is {manifest['format']!r}")
        if _get(manifest, "version", int) != 1:
            raise VerifyError(f"format version {manifest['version']}: only 1 is known")

        rules = _get(manifest, "rules", dict)
        self.size, self.line = _get(rules, "size", int), _get(rules, "line", int)
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
                raise VerifyError(f"manifest.json has the pair {_name(*pair)} twice")
            self.listed[pair] = entry
        self.pairs = list(_pairs(self.size))
        for pair in self.pairs:
            if pair not in self.listed:
                raise VerifyError(f"manifest.json does not have the pair {_name(*pair)}")
            self._check_file(*pair)
        for pair in self.listed.keys() - set(self.pairs):
            raise VerifyError(f"manifest.json has {_name(*pair)}, which is no pair of the board")

    def open(self, a: int, b: int) -> Entries:
        """The entries of a pair, read from the disk as they are used."""
        width = self.listed[a, b]["width"]
        return np.memmap(self._file(a, b), np.dtype(f"<u{width}"), mode="r", offset=_HEADER.size)

    def differs(self, a: int, b: int, counts: list[_Class]) -> str | None:
        """What the manifest says otherwise of a pair than its entries do."""
        stated = [_read_class(entry) for entry in _get(self.listed[a, b], "classes", list)]
        if sorted((c.x, c.o) for c in stated) != sorted((c.x, c.o) for c in counts):
            return f"{_name(a, b)}: the manifest's classes are {[(c.x, c.o) for c in stated]}"
        for found in counts:
            said = next(c for c in stated if (c.x, c.o) == (found.x, found.o))
            where = f"{_name(a, b)}, class of {found.x} and {found.o} marks"
            for what in ("win", "loss", "draw"):
                in_manifest, in_entries = getattr(said, what), getattr(found, what)
                if in_manifest != in_entries:
                    return f"{where}: {what} is {in_manifest} in the manifest, {in_entries} in the entries"
            if said.by_plies != found.by_plies:
                return f"{where}: by_plies in the manifest is not what the entries give"
        plies = max((row[0] for found in counts for row in found.by_plies), default=0)
        if (self.listed[a, b]["width"] == 2) != (plies > _NARROW_PLIES):
            return f"{_name(a, b)}: entries of {self.listed[a, b]['width']} bytes for at most {plies} plies"
        return None

    def _file(self, a: int, b: int) -> Path:
        return self.folder / _name(a, b)

    def _check_file(self, a: int, b: int) -> None:
        entry, name = self.listed[a, b], _name(a, b)
        width, count = _get(entry, "width", int), _verify.entry_count(self.size, a, b)
        if _get(entry, "file", str) != name:
            raise VerifyError(f"{name} has another name in manifest.json: {entry['file']!r}")
        if width not in (1, 2):
            raise VerifyError(f"{name}: no such width of an entry: {width}")
        if _get(entry, "entries", int) != count:
            raise VerifyError(f"{name}: {entry['entries']} entries in manifest.json, expected {count}")
        try:
            with self._file(a, b).open("rb") as file:
                header = file.read(_HEADER.size)
                length = os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            raise MissingTable(f"{self.folder / name} is missing, though the manifest lists it") from None
        except OSError as error:
            raise VerifyError(f"cannot read {name}: {error}") from error
        if len(header) < _HEADER.size:
            raise VerifyError(f"{name} ends within its header")
        *fields, digest = _HEADER.unpack(header)
        expected = {
            "magic": b"INAROWQX",
            "version": 1,
            "size": self.size,
            "line": self.line,
            "double line": int(self.double_line_wins),
            "a": a,
            "b": b,
            "width": width,
            "planes": 1 if a == b else 2,
            "zeros": bytes(7),
            "entries": count,
        }
        for (what, right), found in zip(expected.items(), fields, strict=True):
            if found != right:
                raise VerifyError(f"{name}: {what} in the header is {found!r}, expected {right!r}")
        if digest.hex() != _get(entry, "sha256", str):
            raise VerifyError(f"{name}: the digest in the header is not the one in manifest.json")
        if length != _HEADER.size + count * width:
            raise VerifyError(f"{name} has {length} bytes, expected {_HEADER.size + count * width}")


def _get(mapping: Any, key: str, kind: type[T]) -> T:
    """A key of a JSON object, if it is there and of this very type (to Python true is an int)."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    if type(value) is not kind:
        raise VerifyError(f"manifest.json: {key!r} is missing or is no {kind.__name__}: {value!r:.40}")
    return value


def _read_class(entry: Any) -> _Class:
    rows = _get(entry, "by_plies", list)
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or any(type(number) is not int for number in row):
            raise VerifyError(f"manifest.json: a row of 'by_plies' must be three numbers: {row!r:.40}")
    x, o, win, loss, draw = (_get(entry, key, int) for key in ("x", "o", "win", "loss", "draw"))
    return _Class(x, o, win, loss, draw, sorted(row for row in rows if row[1:] != [0, 0]))


def _pairs(size: int) -> Iterator[tuple[int, int]]:
    """All pairs {a, b}, those with more marks first."""
    for marks in range(size * size, -1, -1):
        for b in range(marks // 2 + 1):
            yield marks - b, b


def _name(a: int, b: int) -> str:
    return f"pair-{a:02}-{b:02}.bin"


# --- Entries ---


def _count(size: int, a: int, b: int, entries: Entries) -> list[_Class]:
    """The counts of each class of a pair: of plane 0, and of plane 1 if there is one."""
    orbits = np.array(_verify.orbits(size, a))
    planes: NDArray[Any] = entries.reshape(1 if a == b else 2, orbits.size, -1)
    top = int(np.iinfo(entries.dtype).max)
    draw = (top - 1) // 2
    at_once = max(1, (1 << 20) // planes.shape[2])
    counts = []
    for plane, (x, o) in zip(planes, ((a, b), (b, a)), strict=False):
        of_entry = np.zeros(top + 1, dtype=np.int64)
        for orbit in np.unique(orbits):
            blocks = np.flatnonzero(orbits == orbit)
            for first in range(0, blocks.size, at_once):
                some = plane[blocks[first : first + at_once]]
                of_entry += orbit * np.bincount(some.ravel(), minlength=top + 1)
        loss, win = of_entry[:draw], of_entry[: draw + 1 : -1]
        by_plies = [[int(p), int(win[p]), int(loss[p])] for p in np.flatnonzero(win + loss)]
        counts.append(_Class(x, o, int(win.sum()), int(loss.sum()), int(of_entry[draw]), by_plies))
    return counts


def _counterexample(size: int, a: int, b: int, wrong: Wrong) -> Counterexample:
    plane, block, rank, larger, smaller, stored, expected = wrong
    mover, other = (larger, smaller) if plane == 0 else (smaller, larger)
    cells = ["x" if mover >> k & 1 else "o" if other >> k & 1 else "." for k in reversed(range(size * size))]
    rows = ("".join(cells[first : first + size]) for first in range(0, size * size, size))
    return Counterexample("/".join(rows) + " x", _value(stored), _value(expected), a, b, plane, block, rank)


def _value(entry: int) -> str:
    """A value as the checker tells it, in words."""
    if entry == _verify.DRAW:
        return "draw"
    if entry == _verify.NO_VALUE:
        return "no value"
    if entry == _verify.NOT_AN_ENTRY:
        return "what no entry may be"
    return f"loss in {entry}" if entry < _verify.DRAW else f"win in {65535 - entry}"
