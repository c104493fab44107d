"""Reads the manifest of a Quixo table for the checker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.reading import field, read_json
from inarow.verify.quixo.rules import Pair, Rules, text_of

NAME = "manifest.json"
_FORMAT, _VERSION = "inarow-quixo-compact", 2
_PLAIN = "inarow-quixo"  # the format of tables in the plain form, which are no longer made
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
            said, where = stated[x, o], f"{name}, class of {x} and {o} marks"
            for what in ("win", "loss", "draw"):
                in_manifest, in_entries = getattr(said, what), getattr(counted, what)
                if in_manifest != in_entries:
                    return (
                        f"{where}: {what} is {in_manifest!s:.40} in the manifest, {in_entries} in the entries"
                    )
            if said.by_plies != counted.by_plies:
                return f"{where}: by_plies in the manifest does not agree with the entries"
        lost = [plies for counted in found.values() for plies, _, losses in counted.by_plies if losses]
        if self.plies is not None and (self.plies.width == 2) != (max(lost, default=0) > 255):
            return f"{self.plies.name}: {self.plies.width} bytes for at most {max(lost, default=0)} plies"
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
        _require_form(folder, data)
        expected = field(data, "sha256", str, NAME)
        if digest_of({key: value for key, value in data.items() if key != "sha256"}) != expected:
            raise DamagedFile(f"{NAME} is damaged: it does not match its checksum")
        rules = Rules.from_json(field(data, "rules", dict, NAME), NAME)
        has_plies = field(data, "plies", bool, NAME)
        pairs = _pairs(rules, field(data, "pairs", list, NAME), has_plies)
        missing = [pair for pair in rules.pairs() if pair not in pairs]
        if field(data, "complete", bool, NAME) and missing:
            raise DamagedFile(f"{NAME}: a complete table, but the pair {text_of(missing[0])} is not listed")
        return Manifest(rules, has_plies, pairs, not missing)


def digest_of(part: Any) -> str:
    """SHA-256 of a part of a manifest, as JSON text with sorted keys."""
    try:
        return sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()
    except RecursionError:
        raise DamagedFile(f"{NAME} is damaged: it is nested too deeply") from None


def _require_form(folder: Path, data: Any) -> None:
    form, version = field(data, "format", str, NAME), field(data, "version", int, NAME)
    if form == _PLAIN or (form == _FORMAT and version == 1):
        rules = field(data, "rules", dict, NAME)
        sides = {"rows": rules.get("size"), "columns": rules.get("size")}  # inarow 0.1 knew squares only
        known = Rules.from_json({**sides, **rules}, NAME)
        options = f"--size {known.rows}x{known.columns} --line {known.line} --double-line {known.double_line}"
        what = "the plain form" if form == _PLAIN else "the form of inarow 0.1"
        raise DamagedFile(
            f"the table in {folder} has {what}, which is no longer read; solve the game again: "
            f"inarow quixo solve {options} --out NEW_FOLDER"
        )
    if form != _FORMAT:
        raise DamagedFile(f"{NAME}: not a table of Quixo, the format is {form!r:.40}")
    if version != _VERSION:
        raise DamagedFile(f"{NAME}: format version {version!s:.40}, only {_VERSION} is known")


def _pairs(rules: Rules, entries: list[Any], has_plies: bool) -> dict[Pair, ListedPair]:
    listed: dict[Pair, ListedPair] = {}
    possible = list(rules.pairs())
    for entry in entries:
        pair = field(entry, "a", int, NAME), field(entry, "b", int, NAME)
        if pair not in possible:
            raise DamagedFile(f"{NAME}: {text_of(pair):.40} is not a pair of the board")
        if pair in listed:
            raise DamagedFile(f"{NAME}: the pair {text_of(pair)} is listed twice")
        listed[pair] = _listed(rules, pair, entry, has_plies)
    for pair in listed:
        for above in rules.pairs_above(pair):
            if above is not None and above not in listed:
                raise DamagedFile(f"{NAME}: {text_of(pair)} depends on {text_of(above)}, which is not listed")
    return {pair: listed[pair] for pair in possible if pair in listed}


def _listed(rules: Rules, pair: Pair, entry: Any, has_plies: bool) -> ListedPair:
    stem = f"pair-{pair[0]:02}-{pair[1]:02}"
    count = rules.entry_count(pair)
    if field(entry, "entries", int, NAME) != count:
        raise DamagedFile(f"{NAME}: {stem} has {entry['entries']!s:.40} entries, expected {count}")
    plies = None
    if has_plies:
        of_plies = field(entry, "plies", dict, NAME)
        width = field(of_plies, "width", int, NAME)
        if width not in (1, 2):
            raise DamagedFile(f"{NAME}: {stem}.plies has a width of {width!s:.40} bytes, not 1 or 2")
        plies = _file(of_plies, f"{stem}.plies", width)
    elif "plies" in entry:
        raise DamagedFile(f"{NAME}: {stem} has plies in a table without plies")
    classes = [_counts(counts, has_plies) for counts in field(entry, "classes", list, NAME)]
    return ListedPair(pair, _file(entry, f"{stem}.values", 0), plies, classes, digest_of(entry))


def _file(entry: Any, name: str, width: int) -> ListedFile:
    if field(entry, "file", str, NAME) != name:
        raise DamagedFile(f"{NAME}: the file {name} has another name: {entry['file']!r:.40}")
    return ListedFile(name, width, field(entry, "bytes", int, NAME), field(entry, "sha256", str, NAME))


def _counts(entry: Any, has_plies: bool) -> ClassCounts:
    rows = field(entry, "by_plies", list, NAME) if has_plies else []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or any(type(number) is not int for number in row):
            raise DamagedFile(f"{NAME}: a row of 'by_plies' must be three numbers")
    x, o, win, loss, draw = (field(entry, key, int, NAME) for key in ("x", "o", "win", "loss", "draw"))
    return ClassCounts(x, o, win, loss, draw, sorted(row for row in rows if row[1:] != [0, 0]))
