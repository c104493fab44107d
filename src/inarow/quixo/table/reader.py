"""Looks positions up in a table: in pieces that are unpacked when they are needed, or in memory as a whole.

A small table is unpacked into memory once that is worth it; then a look-up takes a fiftieth of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board, Locator, UnpackedPieces, WholeTable, lost_before
from inarow.errors import DamagedFile, InarowError
from inarow.quixo.table.entries import LOSS, WIN, Plane, Plies, packed_size
from inarow.quixo.table.files import PairFiles, Restorer, plane_of, plane_runs
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.pieces import PIECE, Part, PieceFile, batched, in_parallel, pieces_of_plane
from inarow.quixo.table.store import INVALID, MISSING

_ROW = packed_size(PIECE)  # bytes of a piece of outcomes
_AT_ONCE = 1 << 13  # pieces: 32 MiB
_WINS_AT_ONCE = 1 << 14
_KEPT = 1 << 14  # unpacked pieces that are remembered for single probes and searches: 64 MiB
_RUN = 256  # pieces that make a thread worthwhile
_PLACE_BITS = 40  # no plane has more entries than that
_PLANE = (1 << _PLACE_BITS) // PIECE  # pieces: more than any plane has
_FAR = 1 << 30
_FEW = 64  # positions: one with all its moves
_SOME = 1 << 10  # positions: one with all moves after its moves

_SMALL = 1 << 26  # bytes of a table in memory
_PRICE = 12  # entries that are unpacked, with the plies of wins, in the time of looking one up in pieces


@runtime_checkable
class Fetcher(Protocol):
    """Files that are far away: has parts of them at hand before they are read."""

    @property
    def at_once(self) -> int:
        """The number of parts that take hardly longer to fetch than one."""

    def fetch(self, parts: Sequence[Part]) -> None:
        """Fetch these parts, unless they are at hand, all in parallel."""


class TableReader:
    """Looks positions up in a table. Threads may share it."""

    def __init__(self, files: PairFiles, records: Sequence[PairRecord]) -> None:
        rules = files.rules
        self._rules = rules
        self._has_plies = files.plies
        self._fetcher = files if isinstance(files, Fetcher) else None
        self._locator = Locator(rules.native)
        self._board = Board(rules.native)
        self._values: dict[int, PieceFile] = {}  # by a << 5 | b: the number of a plane without its last bit
        self._plies: dict[int, PieceFile] = {}
        for record in records:
            self._values[record.a << 5 | record.b] = files.open(record)
            if files.plies:
                self._plies[record.a << 5 | record.b] = files.open_plies(record)
        known = np.zeros(1 << 10, bool)
        known[list(self._values)] = True
        self._known = known
        self._unpacked = UnpackedPieces(rules.native, files.plies)
        for record in records:
            self._unpacked.add_pair(*record.pair)
        self._files, self._records = files, records
        self._left = self._worth_unpacking()
        self._whole: WholeTable | None = None
        self._unpacking = Lock()
        self._values_piece = lru_cache(maxsize=_KEPT // 4)(self._unpack_values)
        self._plies_piece = lru_cache(maxsize=_KEPT // 32)(self._unpack_plies)

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """See `Reader.probe`."""
        if whole := self._in_memory(words.size):
            return whole.probe(words)
        if self._fetcher and words.size <= _FEW:
            self._fetch_around(self._fetcher, words)
        values, plies = self._look_up(words)
        if not self._has_plies:
            plies[self._board.over(words)] = 0
            return values, plies
        won = np.flatnonzero(values == 1)
        for first in range(0, won.size, _WINS_AT_ONCE):
            some = won[first : first + _WINS_AT_ONCE]
            plies[some] = self._win_plies(words[some])
        return values, plies

    def probe_with_moves(self, word: int) -> tuple[list[int], list[int]]:
        """See `Reader.probe_with_moves`."""
        if whole := self._in_memory(1):
            return whole.probe_with_moves(word)
        self._forget_pieces()
        found, lacking = self._unpacked.probe_with_moves(word)
        if found is None and self._fetcher and any(lacking):
            self._fetch_around(self._fetcher, self._with_moves(word))
        while found is None and any(lacking):
            self._unpack(*lacking)
            found, lacking = self._unpacked.probe_with_moves(word)
        if found is None:
            # Something is wrong; this says what.
            values, plies = self.probe(self._with_moves(word))
            return values.tolist(), plies.tolist()
        return found

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """See `Reader.values`."""
        if whole := self._in_memory(words.size):
            return whole.probe(words)[0]
        if words.size <= _SOME and not self._fetcher:
            # A search asks for few at a time, and most of them are near those that it asked for before.
            self._forget_pieces()
            found, lacking = self._unpacked.values(words)
            while found is None and lacking:
                self._unpack(lacking, [], [])
                found, lacking = self._unpacked.values(words)
            if found is not None:
                return found
        return self._look_up(words, with_plies=False)[0]

    def _worth_unpacking(self) -> float:
        """How many positions are looked up before the whole table is unpacked into memory."""
        entries = sum(record.entries for record in self._records)
        size = 2 * entries + (4 << self._rules.cells)
        return np.inf if self._fetcher or size > _SMALL else entries / _PRICE

    def _in_memory(self, asked: int) -> WholeTable | None:
        """The whole table, if so many more positions make that worth it."""
        self._left -= asked
        if self._left > 0 or self._whole is not None:
            return self._whole
        with self._unpacking:
            if self._whole is None and self._left <= 0:
                try:
                    self._whole = self._unpacked_whole()
                except InarowError:  # what is damaged may never be asked for
                    self._left = np.inf
        return self._whole

    def _unpacked_whole(self) -> WholeTable:
        whole = WholeTable(self._rules.native, self._has_plies)
        restorer = Restorer("table", self._rules)
        records = {record.pair: record for record in self._records}

        @lru_cache(maxsize=2 * (self._rules.cells + 2))  # those of two layers
        def read(pair: PairId, number: int) -> Plane:
            record = records[pair]
            return plane_of("table", record, plane_runs(self._files, record, number))

        for (a, b), record in records.items():
            numbers = range(record.planes)
            if self._has_plies:
                whole.add(a, b, [restorer.plane(a, b, number, read) for number in numbers])
            else:
                whole.add(a, b, [read((a, b), number) for number in numbers])
        return whole

    def _forget_pieces(self) -> None:
        if len(self._unpacked) > _KEPT:
            self._unpacked.clear()

    def _win_plies(self, words: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One more than the fewest plies of a lost position after each; 0 if its game is over."""
        children, ends = self._board.successors(words)
        values, plies = self._look_up(children, lost_only=True)
        plies[values != -1] = _FAR
        sizes = np.diff(ends, prepend=0)
        found = np.zeros(words.size, np.int32)
        if children.size:
            found[sizes > 0] = 1 + np.minimum.reduceat(plies, (ends - sizes)[sizes > 0])
        if np.any(found > _FAR):
            word = int(words[int(np.argmax(found > _FAR))])
            raise DamagedFile(
                f"the table is wrong: {self._rules.from_word(word)} is a win in it, "
                "but no position after it is lost"
            )
        return found

    def _look_up(
        self, words: NDArray[np.uint64], *, lost_only: bool = False, with_plies: bool = True
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values, and the plies of losses; with `lost_only`, other positions may be `MISSING`."""
        planes, places = self._locator.locate_many(words)
        values = np.full(words.size, MISSING, np.int8)
        values[planes < 0] = INVALID
        plies = np.full(words.size, -1, np.int32)
        stored = np.flatnonzero((planes >= 0) & self._known[planes >> 1])
        # Sorted, so that each piece is unpacked once and read in one sweep.
        keys = planes[stored].astype(np.int64) << _PLACE_BITS | places[stored].astype(np.int64)
        order = np.argsort(keys)
        stored, keys = stored[order], keys[order]
        pieces, places_there = keys // PIECE, (keys % PIECE).astype(np.uint32)
        self._fetch_indexes(pieces)
        if lost_only and self._has_plies:
            lost = self._with_losses(pieces)
            stored, pieces, places_there = stored[lost], pieces[lost], places_there[lost]
        first_of = np.flatnonzero(np.diff(pieces, prepend=-1))  # the first position in each piece
        for some in batched(range(first_of.size), _AT_ONCE):
            begin = int(first_of[some[0]])
            end = int(first_of[some[-1] + 1]) if some[-1] + 1 < first_of.size else stored.size
            here = slice(begin, end)
            names = pieces[first_of[some[0] : some[-1] + 1]].tolist()
            self._fetch_pieces(self._values, names)
            rows = self._rows(names)
            row_of = np.searchsorted(np.array(names), pieces[here])
            there = places_there[here]
            codes = rows[row_of, there >> 2] >> (2 * (there & 3)).astype(np.uint8) & 3
            if np.any(codes > WIN):
                name = names[int(row_of[int(np.argmax(codes > WIN))])]
                file, number = self._piece_of(self._values, name)
                raise DamagedFile(f"{file.name} is damaged: piece {number} has entries that mean nothing")
            values[stored[here]] = codes.astype(np.int8) - 1
            if with_plies and self._has_plies and np.any(lost := codes == LOSS):
                plies[stored[here][lost]] = self._lost_plies(names, rows, row_of[lost], there[lost])
        return values, plies

    def _with_moves(self, word: int) -> NDArray[np.uint64]:
        """A position, and those after its moves."""
        here = np.array([word], np.uint64)
        return np.concatenate((here, self._board.moves(here)[2]))

    def _unpack(self, outcomes: list[int], losses: list[int], plies: list[int]) -> None:
        """Unpack what `UnpackedPieces` lacks."""
        pieces = np.array(losses, np.int64)
        self._fetch_indexes(pieces)
        lost = self._with_losses(pieces)
        for name in pieces[~lost].tolist():
            self._unpacked.add_without_losses(name)
        names = sorted({*outcomes, *pieces[lost].tolist()})
        self._fetch_pieces(self._values, names)
        for name in names:
            row = np.frombuffer(self._unpack_values(name), np.uint8)
            self._unpacked.add_outcomes(name, row, self._entries_of(name))
        self._fetch_pieces(self._plies, plies)
        for name in plies:
            count = self._unpacked.losses(name)
            if count is not None:  # another thread may have cleared it
                self._unpacked.add_plies(name, self._plies_piece(name, count))

    # --- What is about to be read, of a table that is far away ---

    def _fetch_around(self, fetcher: Fetcher, words: NDArray[np.uint64]) -> None:
        """Fetch what a probe of these positions may need in one go, and not one thing after the other.

        Which positions are won, and so need the plies of what follows them, is not known yet: all are
        taken to be. Pieces without losses are left out, as nothing in them shortens a win. If that is too
        much for one go, step by step is faster, as it takes less.
        """
        here = self._pieces(words)
        after = self._pieces(self._board.successors(words)[0]) if self._has_plies else here[:0]
        self._fetch_indexes(np.union1d(here, after))
        names = np.union1d(here, after[self._with_losses(after)]).tolist()
        parts = list(self._parts(self._values, names))
        if self._has_plies:
            parts += self._parts(self._plies, names)
        if len(parts) <= fetcher.at_once:
            fetcher.fetch(parts)

    def _pieces(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The pieces that hold these positions, in ascending order."""
        planes, places = self._locator.locate_many(words)
        stored = (planes >= 0) & self._known[planes >> 1]
        keys = planes[stored].astype(np.int64) << _PLACE_BITS | places[stored].astype(np.int64)
        return np.unique(keys // PIECE)

    def _fetch_indexes(self, pieces: NDArray[np.int64]) -> None:
        if self._fetcher:
            pairs = np.unique(pieces // (_PLANE << 1)).tolist()
            files = [of[pair] for pair in pairs for of in (self._values, self._plies) if pair in of]
            self._fetcher.fetch([file.index_part() for file in files if not file.has_index])

    def _fetch_pieces(self, files: dict[int, PieceFile], names: Iterable[int]) -> None:
        if self._fetcher:
            self._fetcher.fetch(list(self._parts(files, names)))

    def _parts(self, files: dict[int, PieceFile], names: Iterable[int]) -> Iterator[Part]:
        for name in names:
            file, number = self._piece_of(files, name)
            yield from file.parts([number])

    def _with_losses(self, pieces: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each piece, in ascending order, whether it has losses."""
        found = np.ones(pieces.size, bool)
        planes, numbers = pieces // _PLANE, pieces % _PLANE
        ends = [*(np.flatnonzero(np.diff(planes)) + 1).tolist(), pieces.size]
        for first, last in pairwise([0, *ends] if pieces.size else []):
            plane = int(planes[first])
            file = self._plies[plane >> 1]
            count = pieces_of_plane(file.entries)
            within = np.minimum(numbers[first:last], count - 1)  # one past the end is an error later on
            found[first:last] = ~file.is_empty((plane & 1) * count + within)
        return found

    # --- Pieces ---

    def _rows(self, names: list[int]) -> NDArray[np.uint8]:
        """The outcomes of some pieces, a row each."""

        def unpack(run: tuple[int, ...]) -> bytes:
            return b"".join(map(self._values_piece, run))

        data = b"".join(in_parallel(unpack, batched(names, _RUN), None))
        return np.frombuffer(data, np.uint8).reshape(len(names), _ROW)

    def _lost_plies(
        self,
        names: list[int],
        rows: NDArray[np.uint8],
        row_of: NDArray[np.int64],
        places: NDArray[np.uint32],
    ) -> NDArray[np.int32]:
        """The plies of losses; `row_of` ascends."""
        before = lost_before(rows, row_of, places)
        first_of = np.flatnonzero(np.diff(row_of, prepend=-1))
        used = row_of[first_of]
        self._fetch_pieces(self._plies, [names[row] for row in used.tolist()])
        sizes = [self._entries_of(names[row]) for row in used.tolist()]
        losses = lost_before(rows, used, np.array(sizes, np.uint32)).tolist()
        ends = [*first_of.tolist()[1:], row_of.size]
        plies = np.empty(row_of.size, np.int32)

        def unpack(run: tuple[tuple[int, int, int, int], ...]) -> None:
            for row, lost, begin, end in run:
                plies[begin:end] = self._plies_piece(names[row], lost)[before[begin:end]]

        tasks = zip(used.tolist(), losses, first_of.tolist(), ends, strict=True)
        for _ in in_parallel(unpack, batched(tasks, _RUN), None):
            pass
        return plies

    def _unpack_values(self, name: int) -> bytes:
        """A piece of outcomes, padded to the length of a whole one."""
        file, number = self._piece_of(self._values, name)
        return file.values_piece(number).ljust(_ROW, b"\0")

    def _unpack_plies(self, name: int, lost: int) -> Plies:
        file, number = self._piece_of(self._plies, name)
        return np.frombuffer(file.piece(number, lost * file.width), f"<u{file.width}")

    def _entries_of(self, name: int) -> int:
        file, number = self._piece_of(self._values, name)
        return file.entries_of(number)

    @staticmethod
    def _piece_of(files: dict[int, PieceFile], name: int) -> tuple[PieceFile, int]:
        """The file of a piece, and its number there."""
        plane, piece = divmod(name, _PLANE)
        file = files[plane >> 1]
        count = pieces_of_plane(file.entries)
        if piece >= count:
            raise DamagedFile(f"{file.name} is damaged: it has fewer entries than its pair")
        return file, (plane & 1) * count + piece
