"""What a table on disk holds, according to its manifest and the sizes of its files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inarow.quixo.rules import Quixo
from inarow.quixo.table.files import size_of
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId, layers_of


@dataclass(frozen=True, slots=True)
class Layer:
    """The pairs with the same number of marks."""

    marks: int
    pairs: int  # that the table has
    missing: int
    entries: int
    bytes: int  # on disk

    @property
    def bits_per_entry(self) -> float:
        return 8 * self.bytes / self.entries if self.entries else 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "bits_per_entry": round(self.bits_per_entry, 4)}


@dataclass(frozen=True, slots=True)
class TableInfo:
    rules: Quixo
    plies: bool
    complete: bool
    layers: tuple[Layer, ...]  # full boards first
    positions: int  # that the entries stand for, symmetric ones counted one by one
    sizes: dict[str, int]  # bytes of the files of each kind
    missing_files: tuple[str, ...]  # listed in the manifest, but not there

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
            "layers": [layer.to_json() for layer in self.layers],
        }


def table_info(folder: str | Path) -> TableInfo:
    """Read the manifest of a table, and the sizes of its files.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(2), folder)
    ...     found = table_info(folder)
    >>> found.plies, found.complete, found.positions
    (True, True, 81)
    """
    folder = Path(folder)
    manifest = Manifest.load(folder)
    sizes = {name: size_of(folder / name) for name in manifest.files}
    by_pair: dict[PairId, int] = {}
    by_kind: dict[str, int] = {}
    for name, size in sizes.items():
        stem, kind = name.split(".")
        a, b = map(int, stem.split("-")[1:])
        by_pair[a, b] = by_pair.get((a, b), 0) + (size or 0)
        by_kind[kind] = by_kind.get(kind, 0) + (size or 0)
    stored = {record.pair: record for record in manifest.pairs}
    layers = []
    for pairs in layers_of(manifest.rules):
        there = [pair for pair in pairs if pair in stored]
        entries = sum(stored[pair].entries for pair in there)
        size = sum(by_pair[pair] for pair in there)
        layers.append(Layer(sum(pairs[0]), len(there), len(pairs) - len(there), entries, size))
    return TableInfo(
        rules=manifest.rules,
        plies=manifest.plies,
        complete=manifest.complete,
        layers=tuple(layers),
        positions=sum(manifest.statistics.states.values()),
        sizes=by_kind,
        missing_files=tuple(name for name, size in sizes.items() if size is None),
    )
