"""The list of a tablebase's pairs, with the rules and the counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.games.quixo import Quixo
from inarow.tables.files import write_atomically
from inarow.tables.pair_file import file_name
from inarow.tables.statistics import ClassCounts, Statistics

FORMAT = "inarow-quixo"
VERSION = 1
NAME = "manifest.json"


def pairs_of(rules: Quixo) -> Iterator[tuple[int, int]]:
    """All pairs in the order of solving: full boards first."""
    for marks in range(rules.cells, -1, -1):
        for b in range(marks // 2 + 1):
            yield marks - b, b


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A finished pair: its file's checksum and what is in it."""

    a: int
    b: int
    width: int
    entries: int
    sha256: str
    classes: tuple[ClassCounts, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    rules: Quixo
    pairs: tuple[PairRecord, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.pairs) == sum(1 for _ in pairs_of(self.rules))

    @property
    def statistics(self) -> Statistics:
        return Statistics.of(counts for pair in self.pairs for counts in pair.classes)

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
        if not isinstance(data, dict) or data.get("format") != FORMAT:
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
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": {
                "size": self.rules.size,
                "line": self.rules.line,
                "double_line": self.rules.double_line,
            },
            "complete": self.complete,
            "pairs": [
                {
                    "file": file_name(pair.a, pair.b),
                    "a": pair.a,
                    "b": pair.b,
                    "width": pair.width,
                    "entries": pair.entries,
                    "sha256": pair.sha256,
                    "classes": [
                        {
                            "x": c.x,
                            "o": c.o,
                            "win": c.win,
                            "loss": c.loss,
                            "draw": c.draw,
                            "by_plies": c.by_plies,
                        }
                        for c in pair.classes
                    ],
                }
                for pair in self.pairs
            ],
        }

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Manifest:
        rules = Quixo(**data["rules"])
        pairs = tuple(
            PairRecord(
                a=int(pair["a"]),
                b=int(pair["b"]),
                width=int(pair["width"]),
                entries=int(pair["entries"]),
                sha256=str(pair["sha256"]),
                classes=tuple(
                    ClassCounts(c["x"], c["o"], c["draw"], tuple((p, w, n) for p, w, n in c["by_plies"]))
                    for c in pair["classes"]
                ),
            )
            for pair in data["pairs"]
        )
        return cls(rules, pairs)
