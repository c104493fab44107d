"""A table in memory, of a board that is solved in no time, where nothing can be written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from inarow._native.quixo import PlainReader
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.store import Content, NoStore, Reader


class MemoryStore(NoStore):
    """Keeps all pairs, and is read like the files of a table."""

    def __init__(self, rules: Quixo) -> None:
        self._rules = rules
        self._entries: dict[PairId, Entries] = {}
        self._records: list[PairRecord] = []

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        entries = cast("Entries", content())
        self._entries[a, b] = entries
        self._records.append(PairRecord(a, b, entries.itemsize, entries.size, "", classes))

    @property
    def manifest(self) -> Manifest:
        return Manifest(self._rules, tuple(self._records))

    def check(self, record: PairRecord) -> None:
        """Nothing happens to memory."""

    def reader(self, records: Sequence[PairRecord]) -> Reader:
        reader = PlainReader(self._rules.native, sum(record.entries * record.width for record in records))
        for record in records:
            reader.add_array(*record.pair, self._entries[record.pair])
        return reader
