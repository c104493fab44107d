"""The manifest of a table: its rules, its form, and the checksums and counts of every finished pair."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any, Literal

from inarow.errors import DamagedFile, MissingTable
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, file_name, pairs_of

Form = Literal["plain", "compact"]

_FORMATS: dict[Form, str] = {"plain": "inarow-quixo", "compact": "inarow-quixo-compact"}
VERSION = 2  # of either form; those of version 1 have no checksum of their own

MANIFEST_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the compact form, as the manifest lists it."""

    sha256: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A finished pair: the checksums of its files, and the counts of its classes."""

    a: int
    b: int
    width: int  # bytes of an entry; in the compact form of the plies of a loss, 0 without plies
    entries: int  # in all planes
    sha256: str  # of the only file of the plain form, or of the file of outcomes
    classes: tuple[ClassCounts, ...]
    size: int = 0  # bytes of the file of outcomes, in the compact form
    plies: StoredFile | None = None  # the second file of the compact form

    @property
    def pair(self) -> PairId:
        return self.a, self.b

    @property
    def planes(self) -> int:
        return len(classes_of(self.a, self.b))


@dataclass(frozen=True, slots=True)
class Manifest:
    rules: Quixo
    pairs: tuple[PairRecord, ...] = ()
    form: Form = "plain"
    plies: bool = True  # the plain form always has them
    version: int = VERSION
    square_only: bool = False  # started by inarow 0.1: its files have no number of columns

    @property
    def complete(self) -> bool:
        return len(self.pairs) == sum(1 for _ in pairs_of(self.rules))

    @property
    def statistics(self) -> Statistics:
        return Statistics.of(counts for pair in self.pairs for counts in pair.classes)

    @property
    def files(self) -> list[str]:
        """The names of the files of all pairs."""
        if self.form == "plain":
            return [file_name(*record.pair, "bin") for record in self.pairs]
        names = [file_name(*record.pair, "values") for record in self.pairs]
        return names + [file_name(*record.pair, "plies") for record in self.pairs if self.plies]

    @property
    def kind(self) -> str:
        """The form in words, as in "compact table without plies"."""
        return f"{self.form} table{'' if self.plies else ' without plies'}"

    def save(self, folder: Path) -> None:
        write_atomically(folder / MANIFEST_NAME, [(json.dumps(self._to_json(), indent=1) + "\n").encode()])

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read the manifest of a table: raises `MissingTable` or `DamagedFile`."""
        path = folder / MANIFEST_NAME
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise MissingTable(f"no table in {folder}: there is no {MANIFEST_NAME}") from None
        except NotADirectoryError:
            raise MissingTable(f"no table in {folder}: it is not a folder") from None
        return cls.parse(content, str(path))

    @classmethod
    def parse(cls, content: bytes, name: str) -> Manifest:
        """The manifest in a file, called `name` in errors."""
        try:
            data = json.loads(content)
        except ValueError as error:
            raise DamagedFile(f"{name} is damaged: {error}") from None
        if not isinstance(data, dict) or data.get("format") not in _FORMATS.values():
            raise DamagedFile(f"{name} is not the manifest of a Quixo tablebase")
        if data.get("version") not in (1, VERSION):
            raise DamagedFile(
                f"{name} has format version {data.get('version')}; this program reads up to version {VERSION}"
            )
        try:
            manifest = cls._from_json(data)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DamagedFile(f"{name} is damaged: {type(error).__name__} {error}") from None
        expected = list(pairs_of(manifest.rules))[: len(manifest.pairs)]
        if [record.pair for record in manifest.pairs] != expected:
            raise DamagedFile(f"{name} is damaged: its pairs are not those of the game in their order")
        # What follows from the rest: names, sums, whether it is complete, its checksum.
        differing = _difference(data, json.loads(json.dumps(manifest._to_json())))
        if differing == ".sha256":
            raise DamagedFile(f"{name} is damaged: it does not match its checksum")
        if differing is not None:
            raise DamagedFile(f"{name} is damaged: {differing[1:]} does not follow from the rest")
        for record in manifest.pairs:
            if not _counts_all(manifest.rules, record):
                pair = f"{{{record.a}, {record.b}}}"
                raise DamagedFile(f"{name} is damaged: the pair {pair} has other counts than the game")
        return manifest

    def _to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": _FORMATS[self.form], "version": self.version}
        if self.form == "compact":
            data["plies"] = self.plies
        data["rules"] = self.rules.to_json()
        if self.square_only:
            line, double_line = self.rules.line, self.rules.double_line
            data["rules"] = {"size": self.rules.rows, "line": line, "double_line": double_line}
        data["complete"] = self.complete
        data["pairs"] = [self._pair_to_json(record) for record in self.pairs]
        if self.version > 1:
            data["sha256"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        return data

    def _pair_to_json(self, record: PairRecord) -> dict[str, Any]:
        a, b = record.pair
        data: dict[str, Any]
        if self.form == "plain":
            data = {"file": file_name(a, b, "bin"), "a": a, "b": b, "width": record.width}
            data |= {"entries": record.entries, "sha256": record.sha256}
        else:
            data = {"file": file_name(a, b, "values"), "a": a, "b": b, "entries": record.entries}
            data |= {"bytes": record.size, "sha256": record.sha256}
            if record.plies is not None:
                named = {"file": file_name(a, b, "plies"), "width": record.width}
                data["plies"] = {**named, "bytes": record.plies.size, "sha256": record.plies.sha256}
        data["classes"] = [_class_to_json(counts) for counts in record.classes]
        return data

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Manifest:
        form: Form = "plain" if data["format"] == _FORMATS["plain"] else "compact"
        plies = form == "plain" or bool(data["plies"])
        pairs = tuple(_pair_from_json(pair, form, plies) for pair in data["pairs"])
        square_only = "rows" not in data["rules"]
        return cls(Quixo.from_json(data["rules"]), pairs, form, plies, data["version"], square_only)


def _pair_from_json(data: dict[str, Any], form: Form, has_plies: bool) -> PairRecord:
    width, size, plies = 0, 0, None
    if form == "plain":
        width = int(data["width"])
    else:
        size = int(data["bytes"])
        if has_plies:
            width = int(data["plies"]["width"])
            plies = StoredFile(str(data["plies"]["sha256"]), int(data["plies"]["bytes"]))
    classes = tuple(_class_from_json(counts, has_plies) for counts in data["classes"])
    known = int(data["a"]), int(data["b"]), width, int(data["entries"]), str(data["sha256"])
    return PairRecord(*known, classes, size, plies)


def _class_to_json(counts: ClassCounts) -> dict[str, Any]:
    data: dict[str, Any] = {"x": counts.x, "o": counts.o}
    data |= {"win": counts.win, "loss": counts.loss, "draw": counts.draw}
    return data | {"by_plies": counts.by_plies} if counts.has_plies else data


def _class_from_json(data: dict[str, Any], has_plies: bool) -> ClassCounts:
    if not has_plies:
        return ClassCounts.of_outcomes(data["x"], data["o"], data["win"], data["loss"], data["draw"])
    by_plies = tuple((plies, won, lost) for plies, won, lost in data["by_plies"])
    return ClassCounts(data["x"], data["o"], data["draw"], by_plies)


def _counts_all(rules: Quixo, record: PairRecord) -> bool:
    """Whether a record has the entries of its pair, and counts every one of its positions."""
    cells, (a, b) = rules.cells, record.pair
    positions = comb(cells, a) * comb(cells - a, b)  # with either side to move
    return record.entries == entry_count(rules, a, b) and all(
        counts.win + counts.draw + counts.loss == positions for counts in record.classes
    )


def _difference(found: Any, expected: Any) -> str | None:
    """Where two values of JSON differ, as in ".pairs[3].classes[0].win"; at a checksum if nowhere else."""
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = sorted({*found, *expected}, key=lambda key: (key == "sha256", key))
        items = [(f".{key}", found.get(key), expected.get(key)) for key in keys]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        items = [(f"[{number}]", *both) for number, both in enumerate(zip(found, expected, strict=True))]
    else:
        return None if (type(found), found) == (type(expected), expected) else ""
    for name, one, other in items:
        if (where := _difference(one, other)) is not None:
            return name + where
    return None
