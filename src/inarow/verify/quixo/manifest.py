"""Reads the manifest of a Quixo table for the checker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.reading import field, fields, read_json
from inarow.verify.quixo.rules import Pair, Rules, text_of

NAME = "manifest.json"
_FORMAT, _VERSION = "inarow-quixo-compact", 2
_MOST_BYTES = 64 << 20  # hundreds of times what a table of 4×4 takes


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
    """A file of a pair: its outcomes at two bits, or the plies of its losses."""

    name: str
    width: int  # bytes of the plies of a loss; 0 for outcomes
    length: int
    sha256: str


@dataclass(frozen=True)
class ListedPair:
    """What the manifest says of a pair."""

    pair: Pair
    values: ListedFile
    plies: ListedFile | None  # in a table with plies
    classes: list[ClassCounts]
    digest: str  # SHA-256 of this part of the manifest

    def fault(self, counts: Iterable[ClassCounts]) -> str | None:
        """Where this disagrees with the entries of the pair."""
        name, stated = self.values.name, {(said.x, said.o): said for said in self.classes}
        found = {(counted.x, counted.o): counted for counted in counts}
        if len(stated) != len(self.classes) or stated.keys() != found.keys():
            return f"{name}: the classes in the manifest are {list(stated)!s:.200}"
        for (x, o), counted in found.items():
            for what in ("win", "loss", "draw", "by_plies"):
                said, real = getattr(stated[x, o], what), getattr(counted, what)
                if said != real:
                    where = f"{name}, class of {x} and {o} marks"
                    return f"{where}: {what} is {said!s:.40} in the manifest, {real!s:.40} in the entries"
        most = max((row[0] for counted in found.values() for row in counted.by_plies if row[2]), default=0)
        if self.plies is not None and (self.plies.width == 2) != (most > 255):
            return f"{self.plies.name}: {self.plies.width} bytes for at most {most} plies"
        return None


@dataclass(frozen=True)
class Manifest:
    rules: Rules
    has_plies: bool
    pairs: Mapping[Pair, ListedPair]  # those with more marks first
    is_complete: bool

    @staticmethod
    def load(folder: Path) -> Manifest:
        """
        :raises MissingTable: if there is no manifest.
        :raises DamagedFile: if it is not that of a table, or a pair is listed without those it depends on.
        """
        try:
            data = read_json(folder / NAME, _MOST_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            raise MissingTable(f"no table in {folder}: there is no {NAME}") from None
        form, version = fields(data, NAME, format=str, version=int)
        if form != _FORMAT:
            raise DamagedFile(f"{NAME}: not a table of Quixo, the format is {form!r:.40}")
        if version != _VERSION:
            raise DamagedFile(f"{NAME}: format version {version!s:.40}, only {_VERSION} is known")
        unsigned = {key: value for key, value in data.items() if key != "sha256"}
        if field(data, "sha256", str, NAME) != digest_of(unsigned):
            raise DamagedFile(f"{NAME} is damaged: it does not match its checksum")
        rules = Rules.from_json(field(data, "rules", dict, NAME), NAME)
        has_plies, listed, is_complete = fields(data, NAME, plies=bool, pairs=list, complete=bool)
        pairs = _pairs(rules, listed, has_plies)
        missing = [pair for pair in rules.pairs() if pair not in pairs]
        if is_complete and missing:
            raise DamagedFile(f"{NAME}: a complete table, but the pair {text_of(missing[0])} is not listed")
        return Manifest(rules, has_plies, pairs, not missing)


def digest_of(part: Any) -> str:
    """SHA-256 of a part of a manifest, as JSON text with sorted keys."""
    try:
        return sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()
    except RecursionError:
        raise DamagedFile(f"{NAME} is damaged: it is nested too deeply") from None


def _pairs(rules: Rules, entries: list[Any], has_plies: bool) -> dict[Pair, ListedPair]:
    listed: dict[Pair, ListedPair] = {}
    possible = list(rules.pairs())
    for entry in entries:
        a, b = fields(entry, NAME, a=int, b=int)
        if (a, b) not in possible:
            raise DamagedFile(f"{NAME}: {text_of((a, b)):.40} is not a pair of the board")
        if (a, b) in listed:
            raise DamagedFile(f"{NAME}: the pair {text_of((a, b))} is listed twice")
        listed[a, b] = _listed(rules, (a, b), entry, has_plies)
    for pair in listed:
        for above in rules.pairs_above(pair):
            if above is not None and above not in listed:
                raise DamagedFile(f"{NAME}: {text_of(pair)} depends on {text_of(above)}, which is not listed")
    return {pair: listed[pair] for pair in possible if pair in listed}


def _listed(rules: Rules, pair: Pair, entry: Any, has_plies: bool) -> ListedPair:
    stem = f"pair-{pair[0]:02}-{pair[1]:02}"
    entries, classes = fields(entry, NAME, entries=int, classes=list)
    if entries != rules.entry_count(pair):
        expected = rules.entry_count(pair)
        raise DamagedFile(f"{NAME}: {stem} has {entries!s:.40} entries, expected {expected}")
    plies = None
    if has_plies:
        of_plies = field(entry, "plies", dict, NAME)
        width = field(of_plies, "width", int, NAME)
        if width not in (1, 2):
            raise DamagedFile(f"{NAME}: {stem}.plies has a width of {width!s:.40} bytes, not 1 or 2")
        plies = _file(of_plies, f"{stem}.plies", width)
    elif "plies" in entry:
        raise DamagedFile(f"{NAME}: {stem} has plies in a table without plies")
    counts = [_counts(found, has_plies) for found in classes]
    return ListedPair(pair, _file(entry, f"{stem}.values", 0), plies, counts, digest_of(entry))


def _file(entry: Any, name: str, width: int) -> ListedFile:
    file, length, digest = fields(entry, NAME, file=str, bytes=int, sha256=str)
    if file != name:
        raise DamagedFile(f"{NAME}: the file {name} has another name: {file!r:.40}")
    return ListedFile(name, width, length, digest)


def _counts(entry: Any, has_plies: bool) -> ClassCounts:
    rows = field(entry, "by_plies", list, NAME) if has_plies else []
    for row in rows:
        if not isinstance(row, list) or [*map(type, row)] != [int] * 3:
            raise DamagedFile(f"{NAME}: a row of 'by_plies' must be three numbers")
    x, o, win, loss, draw = fields(entry, NAME, x=int, o=int, win=int, loss=int, draw=int)
    return ClassCounts(x, o, win, loss, draw, sorted(row for row in rows if row[1:] != [0, 0]))
