"""Supplies the core with the files of a table, in the parts that it asks for.

A small table is unpacked into memory once that is worth it; then a look-up takes a fiftieth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn

from inarow._native.quixo import Table as NativeTable
from inarow._native.quixo import WholeTable
from inarow.errors import DamagedFile, InarowError
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.files import PairFiles, Restorer, plane_of, plane_runs
from inarow.quixo.table.location import Location, nearly_full_of
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.pieces import Part, batched, in_parallel

_RUN = 256  # pieces that make a thread worthwhile
_SMALL = 1 << 26  # bytes of a table in memory
_PRICE = 12  # entries that are unpacked, with the plies of wins, in the time of looking one up in pieces
_NEVER = (1 << 63) - 1


class TableSupply:
    """The files of a table, for the core. Threads may share it."""

    def __init__(self, path: Location, manifest: Manifest, files: PairFiles) -> None:
        self._path, self._manifest, self._files = path, manifest, files
        self._opened = [
            (files.open(record), files.open(record, plies=True) if manifest.plies else None)
            for record in manifest.pairs
        ]

    def table(self) -> NativeTable:
        """What looks positions up in them."""
        rules, plies = self._manifest.rules, self._manifest.plies
        far = self._files.at_once is not None
        entries = sum(record.entries for record in self._manifest.pairs)
        small = not far and 2 * entries + (4 << rules.cells) <= _SMALL
        worth = round(min(entries / _PRICE, _NEVER)) if small else _NEVER
        table = NativeTable(rules.native, plies, self._manifest.complete, far, worth, self)
        for record in self._manifest.pairs:
            sizes = record.values.size, record.plies.size if record.plies else 0
            table.add_pair(*record.pair, record.entries // record.planes, *sizes, record.width)
        return table

    def fetch(
        self, parts: Sequence[tuple[int, bool, int, int, int, int, int]], may: bool
    ) -> list[tuple[bytes, bytes]] | None:
        """What is stored, and what that unpacks to; None if what `may` be needed is too much for one go."""
        if may and self._files.at_once is not None and len(parts) > self._files.at_once:
            return None
        wanted: list[Part] = []
        for pair, plies, *part in parts:
            file = self._opened[pair][plies]
            assert file is not None
            wanted.append(Part(file, *part))
        stored = self._files.fetch(wanted)

        def unpack(run: tuple[tuple[Part, bytes], ...]) -> list[tuple[bytes, bytes]]:
            return [(data, part.unpacked(data)) for part, data in run]

        runs = batched(zip(wanted, stored, strict=True), _RUN)
        return [its for run in in_parallel(unpack, runs, None) for its in run]

    def whole(self) -> WholeTable | None:
        """All of it, unpacked; None if it cannot be."""
        whole = WholeTable(self._manifest.rules.native, self._manifest.plies)
        restorer = Restorer("table", self._manifest.rules)
        records = {record.pair: record for record in self._manifest.pairs}

        @lru_cache(maxsize=2 * (self._manifest.rules.cells + 2))  # those of two layers
        def read(pair: PairId, number: int) -> Plane:
            record = records[pair]
            return plane_of("table", record, plane_runs(self._files, record, number))

        try:
            for (a, b), record in records.items():
                numbers = range(record.planes)
                if self._manifest.plies:
                    whole.add(a, b, [restorer.plane(a, b, number, read) for number in numbers])
                else:
                    whole.add(a, b, [read((a, b), number) for number in numbers])
        except InarowError:
            return None
        return whole

    # --- What is wrong ---

    def damaged(self, pair: int, plies: bool, piece: int, why: str) -> NoReturn:
        file = self._opened[pair][plies]
        assert file is not None
        raise file.damaged(piece, why)

    def wrong(self, word: int) -> NoReturn:
        position = self._manifest.rules.from_word(word)
        raise DamagedFile(f"the table is wrong: {position} is a win in it, but no position after it is lost")

    def contradicted(self) -> NoReturn:
        other = nearly_full_of(self._path)
        raise DamagedFile(f"the tables in {self._path} and in {other} contradict each other")
