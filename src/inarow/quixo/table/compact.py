"""Looks positions up in the compact form of a table: a few pieces are unpacked, and no more."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Locator, Successors, lost_before
from inarow.errors import DamagedFile
from inarow.quixo.rules import Quixo
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.outcomes import LOSS, WIN, packed_size
from inarow.quixo.table.piece_file import (
    PIECE,
    PieceFile,
    batched,
    in_parallel,
    pieces_of_plane,
    plies_name,
    values_name,
)

_ROW = packed_size(PIECE)  # bytes of a piece of outcomes
_AT_ONCE = 1 << 13  # pieces: 32 MiB
_WINS_AT_ONCE = 1 << 14
_KEPT = 1 << 12  # unpacked pieces that are remembered
_RUN = 256  # pieces worth a thread's while
_PLACE_BITS = 40  # no plane has more entries than that
_MISSING, _INVALID, _FAR = 2, 3, 1 << 30


def open_values(folder: Path, rules: Quixo, pair: PairRecord) -> PieceFile:
    """The outcomes of a pair that the manifest lists."""
    return _opened(folder / values_name(pair.a, pair.b), rules, pair, pair.sha256, pair.size)


def open_plies(folder: Path, rules: Quixo, pair: PairRecord) -> PieceFile:
    """The plies of a pair's losses."""
    assert pair.plies is not None
    path = folder / plies_name(pair.a, pair.b)
    file = _opened(path, rules, pair, pair.plies.sha256, pair.plies.size)
    if file.width != pair.width:
        raise DamagedFile(f"{path} has plies of {file.width} bytes, of {pair.width} in the manifest")
    return file


def _opened(path: Path, rules: Quixo, pair: PairRecord, digest: str, size: int) -> PieceFile:
    file = PieceFile(path, rules, pair.a, pair.b, digest)
    if (file.entries * file.planes, file.size) != (pair.entries, size):
        raise DamagedFile(
            f"{path} has {file.entries * file.planes} entries in {file.size} bytes; "
            f"in the manifest there are {pair.entries} in {size}"
        )
    return file


def lost_plies(piece: bytes, width: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """The plies of a piece's losses, in their order."""
    return np.frombuffer(piece, np.uint8 if width == 1 else "<u2")


class CompactProber:
    """Values and plies of positions, as the prober of the plain form gives them."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        rules = manifest.rules
        self._rules = rules
        self._has_plies = manifest.plies
        self._locator = Locator(rules.native)
        self._successors = Successors(rules.native)
        self._values: dict[int, PieceFile] = {}  # by a << 5 | b, as planes are numbered less their last bit
        self._plies: dict[int, PieceFile] = {}
        for pair in manifest.pairs:
            pair_id = pair.a << 5 | pair.b
            self._values[pair_id] = open_values(folder, rules, pair)
            if manifest.plies:
                self._plies[pair_id] = open_plies(folder, rules, pair)
        known = np.zeros(1 << 10, bool)
        known[list(self._values)] = True
        self._known = known
        self._values_piece = lru_cache(maxsize=_KEPT)(self._unpack_values)
        self._plies_piece = lru_cache(maxsize=_KEPT // 8)(self._unpack_plies)

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values (2 where the pair is missing, 3 where a word is no position) and plies, −1 if not known."""
        values, plies = self._look_up(words)
        if not self._has_plies:
            plies[self._successors.over(words)] = 0
            return values, plies
        won = np.flatnonzero(values == 1)
        for first in range(0, won.size, _WINS_AT_ONCE):
            some = won[first : first + _WINS_AT_ONCE]
            plies[some] = self._win_plies(words[some])
        return values, plies

    def _win_plies(self, words: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One more than the fewest plies of a lost position after each; none if its game is over."""
        children, ends = self._successors.of(words)
        values, plies = self._look_up(children)
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

    def _look_up(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values, and the plies of losses."""
        planes, places = self._locator.locate_many(words)
        values = np.full(words.size, _MISSING, np.int8)
        values[planes < 0] = _INVALID
        plies = np.full(words.size, -1, np.int32)
        stored = np.flatnonzero((planes >= 0) & self._known[planes >> 1])
        # Sorted, so that each piece is unpacked once, and gone through once.
        keys = planes[stored].astype(np.int64) << _PLACE_BITS | places[stored].astype(np.int64)
        order = np.argsort(keys)
        stored, keys = stored[order], keys[order]
        pieces, places_there = keys // PIECE, (keys % PIECE).astype(np.uint32)
        first_of = np.flatnonzero(np.diff(pieces, prepend=-1))  # the first position in each piece
        for some in batched(range(first_of.size), _AT_ONCE):
            begin = int(first_of[some[0]])
            end = int(first_of[some[-1] + 1]) if some[-1] + 1 < first_of.size else stored.size
            here = slice(begin, end)
            names = pieces[first_of[some[0] : some[-1] + 1]].tolist()
            rows = self._rows(names)
            row_of = np.searchsorted(np.array(names), pieces[here])
            there = places_there[here]
            codes = rows[row_of, there >> 2] >> (2 * (there & 3)).astype(np.uint8) & 3
            if np.any(codes > WIN):
                name = names[int(row_of[int(np.argmax(codes > WIN))])]
                file, number = self._piece_of(self._values, name)
                raise DamagedFile(f"{file.path} is damaged: piece {number} has entries that mean nothing")
            values[stored[here]] = codes.astype(np.int8) - 1
            if self._has_plies and np.any(lost := codes == LOSS):
                plies[stored[here][lost]] = self._lost_plies(names, rows, row_of[lost], there[lost])
        return values, plies

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
        """The plies of losses, whose rows ascend."""
        before = lost_before(rows, row_of, places)
        first_of = np.flatnonzero(np.diff(row_of, prepend=-1))
        used = row_of[first_of]
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
        """A piece of outcomes, filled up to the length of a whole one."""
        file, number = self._piece_of(self._values, name)
        return file.values_piece(number).ljust(_ROW, b"\0")

    def _unpack_plies(self, name: int, lost: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        file, number = self._piece_of(self._plies, name)
        return lost_plies(file.piece(number, lost * file.width), file.width)

    def _entries_of(self, name: int) -> int:
        file, number = self._piece_of(self._values, name)
        return file.entries_of(number)

    @staticmethod
    def _piece_of(files: dict[int, PieceFile], name: int) -> tuple[PieceFile, int]:
        """The file of a piece, and its number there."""
        plane, piece = divmod(name, (1 << _PLACE_BITS) // PIECE)
        file = files[plane >> 1]
        count = pieces_of_plane(file.entries)
        if piece >= count:
            raise DamagedFile(f"{file.path} is damaged: it has fewer entries than its pair")
        return file, (plane & 1) * count + piece
