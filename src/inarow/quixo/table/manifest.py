"""The list of a tablebase's pairs, with the rules and the counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from inarow.errors import DamagedFile, MissingTable
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.pair_file import file_name
from inarow.quixo.table.piece_file import StoredFile, plies_name, values_name

Form = Literal["plain", "compact"]

FORMATS: dict[Form, str] = {"plain": "inarow-quixo", "compact": "inarow-quixo-compact"}
VERSION = 1  # of either
NAME = "manifest.json"


def pairs_of(rules: Quixo) -> Iterator[tuple[int, int]]:
    """All pairs in the order of solving: full boards first."""
    for marks in range(rules.cells, -1, -1):
        for b in range(marks // 2 + 1):
            yield marks - b, b


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A finished pair: the checksums of its files and what is in them."""

    a: int
    b: int
    width: int  # bytes of an entry; in the compact form of the plies of a loss, 0 without plies
    entries: int  # in both planes
    sha256: str  # of the file of the plain form, or of the outcomes
    classes: tuple[ClassCounts, ...]
    size: int = 0  # bytes of the file of the outcomes, in the compact form
    plies: StoredFile | None = None  # the second file of the compact form

    @property
    def planes(self) -> int:
        return 1 if self.a == self.b else 2


@dataclass(frozen=True, slots=True)
class Manifest:
    rules: Quixo
    pairs: tuple[PairRecord, ...] = ()
    form: Form = "plain"
    plies: bool = True  # the plain form always has them

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
            return [file_name(pair.a, pair.b) for pair in self.pairs]
        names = [values_name(pair.a, pair.b) for pair in self.pairs]
        return names + [plies_name(pair.a, pair.b) for pair in self.pairs if self.plies]

    def with_pair(self, record: PairRecord) -> Manifest:
        return replace(self, pairs=(*self.pairs, record))

    def save(self, folder: Path) -> None:
        write_atomically(folder / NAME, [(json.dumps(self._to_json(), indent=1) + "\n").encode()])

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        path = folder / NAME
        try:
            data = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise MissingTable(f"no table in {folder}: there is no {NAME}") from None
        except NotADirectoryError:
            raise MissingTable(f"no table in {folder}: it is not a folder") from None
        except ValueError as error:
            raise DamagedFile(f"{path} is damaged: {error}") from None
        if not isinstance(data, dict) or data.get("format") not in FORMATS.values():
            raise DamagedFile(f"{path} is not the manifest of a Quixo tablebase")
        if data.get("version") != VERSION:
            raise DamagedFile(
                f"{path} has format version {data.get('version')}; this program reads version {VERSION}"
            )
        try:
            manifest = cls._from_json(data)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{path} is damaged: {type(error).__name__} {error}") from None
        expected = list(pairs_of(manifest.rules))[: len(manifest.pairs)]
        if [(pair.a, pair.b) for pair in manifest.pairs] != expected:
            raise DamagedFile(f"{path} is damaged: its pairs are not those of the game in their order")
        if bool(data["complete"]) != manifest.complete:
            raise DamagedFile(f"{path} is damaged: complete is {data['complete']} with {len(expected)} pairs")
        return manifest

    def _to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": FORMATS[self.form], "version": VERSION}
        if self.form == "compact":
            data["plies"] = self.plies
        data["rules"] = self.rules.to_json()
        data["complete"] = self.complete
        data["pairs"] = [self._pair_to_json(pair) for pair in self.pairs]
        return data

    def _pair_to_json(self, pair: PairRecord) -> dict[str, Any]:
        a, b = pair.a, pair.b
        data: dict[str, Any]
        if self.form == "plain":
            data = {"file": file_name(a, b), "a": a, "b": b, "width": pair.width, "entries": pair.entries}
            data["sha256"] = pair.sha256
        else:
            data = {"file": values_name(a, b), "a": a, "b": b, "entries": pair.entries, "bytes": pair.size}
            data["sha256"] = pair.sha256
            if pair.plies is not None:
                named = {"file": plies_name(a, b), "width": pair.width}
                data["plies"] = {**named, "bytes": pair.plies.size, "sha256": pair.plies.sha256}
        data["classes"] = [_class_to_json(c) for c in pair.classes]
        return data

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Manifest:
        form: Form = "plain" if data["format"] == FORMATS["plain"] else "compact"
        plies = form == "plain" or bool(data["plies"])
        pairs = tuple(_pair_from_json(pair, form, plies) for pair in data["pairs"])
        return cls(Quixo.from_json(data["rules"]), pairs, form, plies)


def _pair_from_json(pair: dict[str, Any], form: Form, has_plies: bool) -> PairRecord:
    width, size, plies = 0, 0, None
    if form == "plain":
        width = int(pair["width"])
    else:
        size = int(pair["bytes"])
        if has_plies:
            width = int(pair["plies"]["width"])
            plies = StoredFile(str(pair["plies"]["sha256"]), int(pair["plies"]["bytes"]))
    classes = tuple(_class_from_json(c, has_plies) for c in pair["classes"])
    known = int(pair["a"]), int(pair["b"]), width, int(pair["entries"]), str(pair["sha256"])
    return PairRecord(*known, classes, size, plies)


def _class_to_json(counts: ClassCounts) -> dict[str, Any]:
    data: dict[str, Any] = {"x": counts.x, "o": counts.o}
    data |= {"win": counts.win, "loss": counts.loss, "draw": counts.draw}
    return data | {"by_plies": counts.by_plies} if counts.has_plies else data


def _class_from_json(c: dict[str, Any], has_plies: bool) -> ClassCounts:
    if not has_plies:
        return ClassCounts.of_outcomes(c["x"], c["o"], c["win"], c["loss"], c["draw"])
    return ClassCounts(c["x"], c["o"], c["draw"], tuple((p, w, n) for p, w, n in c["by_plies"]))
