"""A table in memory, of a board that is solved in no time, where nothing can be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content, MemoryFiles
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.store import NoStore


class MemoryStore(NoStore):
    """Keeps the files of all pairs."""

    def __init__(self, rules: Quixo) -> None:
        self.files = MemoryFiles(Path("memory"), rules)
        self._records: list[PairRecord] = []

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        made = content()
        assert isinstance(made, Content)
        self._records.append(self.files.write(a, b, classes, made))

    @property
    def manifest(self) -> Manifest:
        return Manifest(self.files.rules, tuple(self._records))
