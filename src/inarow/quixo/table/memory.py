"""A table in memory, of a board that is solved in no time, where nothing can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from inarow._native.quixo import PlainReader
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.store import Content, Reader, StoredPair


class MemoryStore:
    """Keeps all pairs, and is read like the files of a table."""

    finished: Mapping[PairId, PairRecord] = {}

    def __init__(self, rules: Quixo) -> None:
        self._rules = rules
        self._entries: dict[PairId, Entries] = {}
        self._records: list[PairRecord] = []

    # --- To write ---

    def prepare(self, needed: int) -> AbstractContextManager[None]:
        return nullcontext()

    def find(self, a: int, b: int) -> StoredPair | None:
        return None

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> None:
        entries = cast("Entries", content())
        self._entries[a, b] = entries
        self._records.append(PairRecord(a, b, entries.itemsize, entries.size, "", classes))

    # --- To read ---

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
