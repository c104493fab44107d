"""The manifest of a table: its rules, and the checksums and counts of every finished pair."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable, OldTable
from inarow.files import json_object, read_file, write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.location import Location, is_url, solve_command
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, file_name, pairs_of

_FORMAT, _VERSION = "inarow-quixo-compact", 2
_OLD_FORMAT = "inarow-quixo"  # of 0.2 and before: a byte or two for each entry

MANIFEST_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file, as the manifest lists it."""

    sha256: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A finished pair: the checksums of its files, and the counts of its classes."""

    a: int
    b: int
    width: int  # bytes of the plies of a loss, 0 without plies
    entries: int  # in all planes
    values: StoredFile  # the outcomes
    plies: StoredFile | None  # of the losses
    classes: tuple[ClassCounts, ...]

    @property
    def pair(self) -> PairId:
        return self.a, self.b

    @property
    def planes(self) -> int:
        return len(classes_of(self.a, self.b))

    def file(self, plies: bool) -> tuple[str, StoredFile, int]:
        """The name of one of the two files, how it is listed, and the bytes of its plies."""
        if not plies:
            return file_name(*self.pair, "values"), self.values, 0
        assert self.plies is not None
        return file_name(*self.pair, "plies"), self.plies, self.width


@dataclass(frozen=True, slots=True)
class Manifest:
    rules: Quixo
    pairs: tuple[PairRecord, ...] = ()
    plies: bool = True

    @property
    def complete(self) -> bool:
        return len(self.pairs) == sum(1 for _ in pairs_of(self.rules))

    @property
    def statistics(self) -> Statistics:
        return Statistics.of(counts for pair in self.pairs for counts in pair.classes)

    @property
    def files(self) -> list[str]:
        """The names of the files of all pairs."""
        names = [file_name(*record.pair, "values") for record in self.pairs]
        return names + [file_name(*record.pair, "plies") for record in self.pairs if self.plies]

    @property
    def kind(self) -> str:
        """As in "table without plies"."""
        return "table" if self.plies else "table without plies"

    def save(self, folder: Path) -> None:
        write_atomically(folder / MANIFEST_NAME, [(json.dumps(self._to_json(), indent=1) + "\n").encode()])

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read the manifest of a table: raises `MissingTable` or `DamagedFile`."""
        path = folder / MANIFEST_NAME
        try:
            content = read_file(path)
        except FileNotFoundError:
            raise MissingTable(f"no table in {folder}: there is no {MANIFEST_NAME}") from None
        except NotADirectoryError:
            raise MissingTable(f"no table in {folder}: it is not a folder") from None
        return cls.parse(content, str(path))

    @classmethod
    def parse(cls, content: bytes, name: str) -> Manifest:
        """The manifest in a file, called `name` in errors."""
        data = json_object(content, name)
        if data.get("format") not in (_FORMAT, _OLD_FORMAT):
            raise DamagedFile(f"{name} is not the manifest of a Quixo tablebase")
        if data["format"] == _OLD_FORMAT or data.get("version") == 1:
            raise OldTable(
                f"{name} is of a table of an older inarow, which this one cannot read.\n"
                f"Solve it again in another folder: {_command(data)}"
            )
        if data.get("version") != _VERSION:
            raise DamagedFile(
                f"{name} has format version {data.get('version')}; this program reads version {_VERSION}"
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
        data: dict[str, Any] = {"format": _FORMAT, "version": _VERSION, "plies": self.plies}
        data["rules"] = self.rules.to_json()
        data["complete"] = self.complete
        data["pairs"] = [_pair_to_json(record) for record in self.pairs]
        data["sha256"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        return data

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Manifest:
        plies = bool(data["plies"])
        pairs = tuple(_pair_from_json(pair, plies) for pair in data["pairs"])
        return cls(Quixo.from_json(data["rules"]), pairs, plies)


def make_command(manifest: Manifest, path: Location) -> str:
    """The command that makes a table like this one, or completes it; for a URL, in a folder of your own."""
    path = "DIR" if is_url(path) else path
    return solve_command(manifest.rules, path) + ("" if manifest.plies else " --outcomes-only")


def _command(data: dict[str, Any]) -> str:
    """The command that makes a table of the rules in an old manifest, which may be damaged."""
    try:
        command = solve_command(Quixo.from_json(data["rules"]), "DIR")
    except (KeyError, TypeError, ValueError):
        command = "inarow quixo solve --size N --out DIR"
    return command if data.get("plies", True) else f"{command} --outcomes-only"


def _pair_to_json(record: PairRecord) -> dict[str, Any]:
    a, b = record.pair
    data: dict[str, Any] = {"file": file_name(a, b, "values"), "a": a, "b": b, "entries": record.entries}
    data |= {"bytes": record.values.size, "sha256": record.values.sha256}
    if record.plies is not None:
        named = {"file": file_name(a, b, "plies"), "width": record.width}
        data["plies"] = {**named, "bytes": record.plies.size, "sha256": record.plies.sha256}
    data["classes"] = [_class_to_json(counts) for counts in record.classes]
    return data


def _pair_from_json(data: dict[str, Any], has_plies: bool) -> PairRecord:
    width, plies = 0, None
    if has_plies:
        width, plies = int(data["plies"]["width"]), _file_from_json(data["plies"])
        if width not in (1, 2):
            raise ValueError(f"plies of {width} bytes")
    return PairRecord(
        a=int(data["a"]),
        b=int(data["b"]),
        width=width,
        entries=int(data["entries"]),
        values=_file_from_json(data),
        plies=plies,
        classes=tuple(_class_from_json(counts, has_plies) for counts in data["classes"]),
    )


def _file_from_json(data: dict[str, Any]) -> StoredFile:
    size = int(data["bytes"])
    if not 0 <= size < 1 << 63:
        raise ValueError(f"a file of {size} bytes")
    return StoredFile(str(data["sha256"]), size)


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
