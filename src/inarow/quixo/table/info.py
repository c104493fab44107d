"""What a table on disk holds, without reading more of it than its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from inarow.quixo.rules import Quixo
from inarow.quixo.table.manifest import Form, Manifest, PairRecord, pairs_of

_NARROW_PLIES = 126  # the most that an entry of one byte holds


@dataclass(frozen=True, slots=True)
class Layer:
    """The pairs with so many marks."""

    marks: int
    pairs: int  # that are there
    missing: int
    entries: int
    size: int  # bytes on disk

    @property
    def bits_per_entry(self) -> float:
        return 8 * self.size / self.entries if self.entries else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "marks": self.marks,
            "pairs": self.pairs,
            "missing": self.missing,
            "entries": self.entries,
            "bytes": self.size,
            "bits_per_entry": round(self.bits_per_entry, 4),
        }


@dataclass(frozen=True, slots=True)
class TableInfo:
    rules: Quixo
    form: Form
    plies: bool
    complete: bool
    layers: tuple[Layer, ...]  # full boards first
    positions: int  # that the entries stand for, symmetric ones one by one
    sizes: dict[str, int]  # bytes of the files of each kind
    plain_size: int  # bytes that the plain form takes; with one byte an entry if plies are not known
    missing_files: tuple[str, ...]  # that the manifest lists

    @property
    def entries(self) -> int:
        return sum(layer.entries for layer in self.layers)

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    @property
    def missing_pairs(self) -> int:
        return sum(layer.missing for layer in self.layers)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "form": self.form,
            "has_plies": self.plies,
            "complete": self.complete,
            "pairs": sum(layer.pairs for layer in self.layers),
            "missing_pairs": self.missing_pairs,
            "missing_files": list(self.missing_files),
            "positions": self.positions,
            "entries": self.entries,
            "bytes": self.size,
            "bytes_by_kind": self.sizes,
            "bits_per_entry": round(8 * self.size / self.entries, 4) if self.entries else None,
            "plain_bytes": self.plain_size,
            "layers": [layer.to_json() for layer in self.layers],
        }


def table_info(folder: str | Path) -> TableInfo:
    """Look at a table: its manifest, and how large its files are."""
    folder = Path(folder)
    manifest = Manifest.load(folder)
    sizes = {name: _size(folder / name) for name in manifest.files}
    by_pair: dict[tuple[int, int], int] = {}
    by_kind: dict[str, int] = {}
    for name, size in sizes.items():
        stem, kind = name.split(".")
        a, b = map(int, stem.split("-")[1:])
        by_pair[a, b] = by_pair.get((a, b), 0) + (size or 0)
        by_kind[kind] = by_kind.get(kind, 0) + (size or 0)
    stored = {(pair.a, pair.b): pair for pair in manifest.pairs}
    layers = []
    for marks, group in groupby(pairs_of(manifest.rules), key=sum):
        pairs = list(group)
        there = [pair for pair in pairs if pair in stored]
        entries = sum(stored[pair].entries for pair in there)
        size = sum(by_pair[pair] for pair in there)
        layers.append(Layer(marks, len(there), len(pairs) - len(there), entries, size))
    return TableInfo(
        rules=manifest.rules,
        form=manifest.form,
        plies=manifest.plies,
        complete=manifest.complete,
        layers=tuple(layers),
        positions=sum(manifest.statistics.states.values()),
        sizes=by_kind,
        plain_size=sum(_plain_size(pair, manifest.form) for pair in manifest.pairs),
        missing_files=tuple(name for name, size in sizes.items() if size is None),
    )


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _plain_size(pair: PairRecord, form: Form) -> int:
    """Bytes of a pair's entries in the plain form."""
    longest = max((counts.max_plies or 0 for counts in pair.classes), default=0)
    width = pair.width if form == "plain" else 2 if longest > _NARROW_PLIES else 1
    return pair.entries * width
