"""Reads the manifest of a Quixo table for the checker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.json_fields import field
from inarow.verify.quixo.rules import Pair, Rules

NAME = "manifest.json"
_FORMATS = {"inarow-quixo": False, "inarow-quixo-compact": True}


@dataclass(frozen=True)
class ClassCounts:
    """How many positions have x marks of the side to move and o of the other, symmetric ones one by one."""

    x: int
    o: int
    win: int
    loss: int
    draw: int
    by_plies: list[list[int]]  # rows of plies, wins, losses; empty in a table without plies

    @property
    def positions(self) -> int:
        return self.win + self.loss + self.draw


@dataclass(frozen=True)
class ListedFile:
    """A file of a pair as the manifest lists it."""

    name: str
    width: int  # bytes of an entry, or of the plies of a loss; 0 for outcomes at two bits
    sha256: str
    length: int | None  # not listed in the plain form


@dataclass(frozen=True)
class ListedPair:
    """What the manifest says of a pair."""

    a: int
    b: int
    file: ListedFile
    plies: ListedFile | None  # a file of its own in the compact form
    classes: list[ClassCounts]
    digest: str  # SHA-256 of this part of the manifest
    version: int  # of the table


@dataclass(frozen=True)
class Manifest:
    rules: Rules
    compact: bool
    has_plies: bool
    pairs: Mapping[Pair, ListedPair]  # those with more marks first
    is_complete: bool

    @staticmethod
    def load(folder: Path) -> Manifest:
        """
        :raises MissingTable: if there is no manifest.
        :raises DamagedFile: if it is not that of a table, or a pair is listed without those it depends on.
        """
        data = _read_json(folder)
        form = field(data, "format", str, NAME)
        if form not in _FORMATS:
            raise DamagedFile(f"{NAME}: not a table of Quixo, the format is {form!r:.40}")
        version = field(data, "version", int, NAME)
        if version not in (1, 2):
            raise DamagedFile(f"{NAME}: format version {version}, only 1 and 2 are known")
        if version == 2:
            _require_checksum(data)
        compact = _FORMATS[form]
        has_plies = field(data, "plies", bool, NAME) if compact else True
        rules = Rules.from_json(field(data, "rules", dict, NAME), NAME)
        pairs = _pairs(rules, field(data, "pairs", list, NAME), compact, has_plies, version)
        is_complete = len(pairs) == sum(1 for _ in rules.pairs())
        if field(data, "complete", bool, NAME) and not is_complete:
            missing = next(pair for pair in rules.pairs() if pair not in pairs)
            raise DamagedFile(f"{NAME}: a complete table, but the pair {_text(missing)} is not listed")
        return Manifest(rules, compact, has_plies, pairs, is_complete)


def listed_digest(entry: Any) -> str:
    """SHA-256 of a part of the manifest, as JSON text with sorted keys."""
    return sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


def _read_json(folder: Path) -> Any:
    try:
        return json.loads((folder / NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise MissingTable(f"no table in {folder}: there is no {NAME}") from None
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{folder / NAME} is not JSON: {error}") from None


def _require_checksum(data: Any) -> None:
    """Compare the manifest with its own checksum."""
    expected = field(data, "sha256", str, NAME)
    rest = {key: value for key, value in data.items() if key != "sha256"}
    if listed_digest(rest) != expected:
        raise DamagedFile(f"{NAME} is damaged: it does not match its checksum")


def _pairs(
    rules: Rules, entries: list[Any], compact: bool, has_plies: bool, version: int
) -> dict[Pair, ListedPair]:
    listed: dict[Pair, ListedPair] = {}
    possible = list(rules.pairs())
    for entry in entries:
        pair = field(entry, "a", int, NAME), field(entry, "b", int, NAME)
        if pair not in possible:
            raise DamagedFile(f"{NAME}: {_text(pair)} is not a pair of the board")
        if pair in listed:
            raise DamagedFile(f"{NAME}: the pair {_text(pair)} is listed twice")
        listed[pair] = _listed_pair(rules, pair, entry, compact, has_plies, version)
    for pair in listed:
        for above in rules.pairs_above(*pair):
            if above is not None and above not in listed:
                raise DamagedFile(f"{NAME}: {_text(pair)} depends on {_text(above)}, which is not listed")
    return {pair: listed[pair] for pair in possible if pair in listed}


def _listed_pair(
    rules: Rules, pair: Pair, entry: Any, compact: bool, has_plies: bool, version: int
) -> ListedPair:
    a, b = pair
    stem = f"pair-{a:02}-{b:02}"
    if compact:
        file = _file(entry, f"{stem}.values", 0, field(entry, "bytes", int, NAME))
    else:
        file = _file(entry, f"{stem}.bin", _width(entry, stem), None)
    count = rules.game.entry_count(a, b)
    if field(entry, "entries", int, NAME) != count:
        raise DamagedFile(f"{NAME}: {file.name} has {entry['entries']} entries, expected {count}")
    plies = None
    if compact and has_plies:
        of_plies = field(entry, "plies", dict, NAME)
        length = field(of_plies, "bytes", int, NAME)
        plies = _file(of_plies, f"{stem}.plies", _width(of_plies, stem), length)
    elif compact and "plies" in entry:
        raise DamagedFile(f"{NAME}: {stem} has plies in a table without plies")
    classes = [_counts(counts, has_plies) for counts in field(entry, "classes", list, NAME)]
    return ListedPair(a, b, file, plies, classes, listed_digest(entry), version)


def _file(entry: Any, name: str, width: int, length: int | None) -> ListedFile:
    if field(entry, "file", str, NAME) != name:
        raise DamagedFile(f"{NAME}: the file {name} has another name: {entry['file']!r:.40}")
    return ListedFile(name, width, field(entry, "sha256", str, NAME), length)


def _width(entry: Any, stem: str) -> int:
    width = field(entry, "width", int, NAME)
    if width not in (1, 2):
        raise DamagedFile(f"{NAME}: {stem} has a width of {width} bytes, not 1 or 2")
    return width


def _counts(entry: Any, has_plies: bool) -> ClassCounts:
    rows = field(entry, "by_plies", list, NAME) if has_plies else []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or any(type(number) is not int for number in row):
            raise DamagedFile(f"{NAME}: a row of 'by_plies' must be three numbers: {row!r:.40}")
    x, o, win, loss, draw = (field(entry, key, int, NAME) for key in ("x", "o", "win", "loss", "draw"))
    return ClassCounts(x, o, win, loss, draw, sorted(row for row in rows if row[1:] != [0, 0]))


def _text(pair: Pair) -> str:
    return f"{{{pair[0]}, {pair[1]}}}"
