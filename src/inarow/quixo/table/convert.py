"""From the plain form of a table to the compact one and back, without loss, pair by pair."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import WinPlies
from inarow.errors import DamagedFile, InarowError, MissingTable, WrongTable
from inarow.files import remove_leftovers, write_atomically
from inarow.quixo.table.compact import lost_plies, open_plies, open_values
from inarow.quixo.table.entries import Entries, narrowed
from inarow.quixo.table.manifest import NAME, Form, Manifest, PairRecord
from inarow.quixo.table.outcomes import LOSS, WIN, pack, unpack
from inarow.quixo.table.pair_file import check_pair, open_pair, write_pair
from inarow.quixo.table.piece_file import (
    PIECE,
    PieceFile,
    batched,
    in_parallel,
    pieces_of_plane,
    values_name,
    write_plies,
    write_values,
)
from inarow.quixo.table.table import check_files

_WIDE = np.array([0, 32767, 65535], np.uint16)  # entries of a loss, a draw and a win without their plies
_AT_ONCE = 1 << 20  # entries between two chances for Ctrl-C
_RUN = 32  # pieces that a thread takes at once
_COPIED = 1 << 20  # bytes

Progress = Callable[[int, int], None]  # entries converted so far, entries in all


def convert(
    source: str | Path,
    out: str | Path,
    form: Form = "compact",
    *,
    plies: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Write a table in the other form to another folder, or a compact one again without its plies.

    What is finished there is kept, so an interrupted conversion is continued; files that were damaged since
    are made anew. A table without plies has nothing to make the plain form from.
    """
    source, out = Path(source), Path(out)
    manifest = Manifest.load(source)
    if (form, plies or form == "plain") == (manifest.form, manifest.plies):
        raise InarowError(f"{source} has this form already")
    if plies and not manifest.plies:
        raise InarowError(f"{source} holds outcomes only: its plies are lost, and no conversion finds them")
    target = _prepared(out, Manifest(manifest.rules, (), form, plies or form == "plain"))
    kept = {(pair.a, pair.b): pair for pair in target.pairs}
    total, done = sum(pair.entries for pair in manifest.pairs), 0
    converter = _Converter(source, manifest, out, target, threads or os.cpu_count() or 1)
    for pair in manifest.pairs:
        record = kept.get((pair.a, pair.b))
        if record is None or not _is_whole(out, target, record):
            made = converter.convert(pair)
            if record is None:
                target = target.with_pair(made)
                target.save(out)
            elif record != made:
                raise DamagedFile(
                    f"{out / NAME} is not of the table in {source}: {{{pair.a}, {pair.b}}} differs"
                )
        done += pair.entries
        if progress:
            progress(done, total)
    return target


class _Converter:
    """Converts a pair; to plain ones those above it must have been written."""

    def __init__(self, source: Path, manifest: Manifest, out: Path, target: Manifest, threads: int) -> None:
        self._source, self._manifest = source, manifest
        self._out, self._target = out, target
        self._threads = threads
        self._rules = manifest.rules
        self._written: dict[tuple[int, int], str] = {(p.a, p.b): p.sha256 for p in target.pairs}
        self._wins: WinPlies | None = None

    def convert(self, pair: PairRecord) -> PairRecord:
        if self._target.form == "plain":
            made = self._to_plain(pair)
        elif self._manifest.form == "plain":
            made = self._to_compact(pair)
        else:
            made = self._without_plies(pair)
        self._written[pair.a, pair.b] = made.sha256
        return made

    def _to_compact(self, pair: PairRecord) -> PairRecord:
        a, b, rules = pair.a, pair.b, self._rules
        entries = check_pair(self._source, rules, a, b, pair.sha256)
        planes: NDArray[np.uint8] | NDArray[np.uint16] = entries.reshape(pair.planes, -1)
        count = planes.shape[1]
        packed = [pack(plane) for plane in planes]
        stored = write_values(self._out, rules, a, b, count, packed, self._threads)
        if not self._target.plies:
            return _outcomes_of(replace(pair, sha256=stored.sha256, size=stored.size))
        draw = int(np.iinfo(entries.dtype).max) // 2

        def losses() -> Iterator[NDArray[np.uint8] | NDArray[np.uint16]]:
            for plane in planes:
                for first in range(0, count, PIECE):
                    some = plane[first : first + PIECE]
                    yield some[some < draw]

        longest = max(int(lost.max(initial=0)) for lost in losses())
        width = 1 if longest < 256 else 2
        pieces = (lost.astype(f"<u{width}").tobytes() for lost in losses())
        stored_plies = write_plies(self._out, rules, a, b, count, width, pieces, self._threads)
        return replace(pair, width=width, sha256=stored.sha256, size=stored.size, plies=stored_plies)

    def _without_plies(self, pair: PairRecord) -> PairRecord:
        file = open_values(self._source, self._rules, pair)
        file.check()
        with file.path.open("rb") as content:
            parts = iter(lambda: content.read(_COPIED), b"")
            write_atomically(self._out / values_name(pair.a, pair.b), parts)
        return _outcomes_of(pair)

    def _to_plain(self, pair: PairRecord) -> PairRecord:
        a, b = pair.a, pair.b
        entries = self._decided(pair)
        larger = smaller = None
        if a + b < self._rules.cells:
            larger = self._above(a + 1, b)
            smaller = self._above(a, b + 1) if a > b else None
        if self._wins is None:
            self._wins = WinPlies(self._rules.native)
        blocks = self._wins.blocks(a) * pair.planes
        step = max(1, _AT_ONCE * blocks // pair.entries)
        for first in range(0, blocks, step):
            last = min(first + step, blocks)
            if not self._wins.fill(a, b, entries, larger, smaller, first, last, self._threads):
                raise DamagedFile(
                    f"{self._source}: pair {{{a}, {b}}} has a win that no lost position follows"
                )
        narrow = narrowed(entries)
        digest = write_pair(self._out, self._rules, a, b, narrow)
        return PairRecord(a, b, narrow.itemsize, narrow.size, digest, pair.classes)

    def _decided(self, pair: PairRecord) -> NDArray[np.uint16]:
        """The entries of a pair of the compact form, wins without their plies."""
        values = open_values(self._source, self._rules, pair)
        plies = open_plies(self._source, self._rules, pair)
        entries = np.empty(pair.entries, np.uint16)

        def unpack_run(numbers: tuple[int, ...]) -> None:
            for number in numbers:
                plane, of_plane = divmod(number, pieces_of_plane(values.entries))
                first = plane * values.entries + of_plane * PIECE
                _unpack_piece(values, plies, number, entries[first : first + values.entries_of(number)])

        for _ in in_parallel(unpack_run, batched(range(values.pieces), _RUN), self._threads):
            pass
        return entries

    def _above(self, a: int, b: int) -> Entries:
        return open_pair(self._out, self._rules, a, b, self._written[a, b])


def _unpack_piece(values: PieceFile, plies: PieceFile, number: int, entries: NDArray[np.uint16]) -> None:
    packed = np.frombuffer(values.values_piece(number), np.uint8)
    codes = unpack(packed, entries.size)
    if np.any(codes > WIN):
        raise DamagedFile(f"{values.path} is damaged: piece {number} has entries that mean nothing")
    lost = codes == LOSS
    entries[:] = _WIDE[codes]
    entries[lost] = lost_plies(plies.piece(number, int(lost.sum()) * plies.width), plies.width)


def _outcomes_of(pair: PairRecord) -> PairRecord:
    return replace(pair, width=0, plies=None, classes=tuple(c.without_plies() for c in pair.classes))


def _prepared(out: Path, empty: Manifest) -> Manifest:
    """The folder to write to: what is there already, or an empty table."""
    out.mkdir(exist_ok=True)
    if (out / NAME).exists():
        found = Manifest.load(out)
        if (found.rules, found.form, found.plies) != (empty.rules, empty.form, empty.plies):
            raise WrongTable(
                f"{out} holds a {_form(found)} of {found.rules}, "
                f"not a {_form(empty)} of {empty.rules}; choose another folder"
            )
        remove_leftovers(out)
        return found
    if any(out.iterdir()):
        raise WrongTable(f"{out} is not empty and holds no table; choose another folder")
    empty.save(out)
    return empty


def _form(manifest: Manifest) -> str:
    return f"{manifest.form} table{'' if manifest.plies else ' without plies'}"


def _is_whole(folder: Path, manifest: Manifest, pair: PairRecord) -> bool:
    """Whether the files of a pair are those that were written."""
    try:
        check_files(folder, manifest, pair)
    except (DamagedFile, MissingTable, WrongTable):
        return False
    return True
