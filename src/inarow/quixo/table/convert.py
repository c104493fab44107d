"""Converts a table from the plain form to the compact one and back, without loss, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import WinPlies
from inarow.errors import DamagedFile, InarowError
from inarow.processors import thread_count
from inarow.quixo.table.compact import CompactFiles, lost_plies
from inarow.quixo.table.entries import LOSS, WIDE_DRAW, WIDE_TOP, WIN, Entries, unpack
from inarow.quixo.table.folder import TableFolder, files_of
from inarow.quixo.table.info import plain_size
from inarow.quixo.table.manifest import Form, Manifest, PairRecord
from inarow.quixo.table.nearly_full import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.pairs import pairs_above
from inarow.quixo.table.pieces import PIECE, PieceFile, batched, in_parallel, pieces_of_plane
from inarow.quixo.table.store import Content, Progress

_WIDE = np.array([0, WIDE_DRAW, WIDE_TOP], np.uint16)  # a loss, a draw and a win, all without plies
_AT_ONCE = 1 << 20  # entries between two chances for Ctrl-C
_RUN = 32  # pieces that a thread takes at once


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

    Pairs that are finished there are kept, so an interrupted conversion is resumed; damaged files are written
    again. A table without plies cannot be converted to the plain form; those of nearly full boards are kept
    beside it.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import Quixo, solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(2), Path(folder) / "plain")
    ...     print(convert(Path(folder) / "plain", Path(folder) / "compact", "compact").form)
    compact
    """
    source, out = Path(source), Path(out)
    if form not in ("plain", "compact"):
        raise InarowError(f"the form is 'plain' or 'compact', not {form!r}")
    manifest = Manifest.load(source)
    plies = plies or form == "plain"
    if (form, plies) == (manifest.form, manifest.plies):
        raise InarowError(f"{source} has this form already")
    if plies and not manifest.plies:
        raise InarowError(f"{source} holds outcomes only: no conversion can restore its plies")
    threads = thread_count(threads)
    written = _convert(source, manifest, out, form, plies, threads, progress)
    if not plies:
        marks = nearly_full_marks(manifest.rules)
        pairs = tuple(record for record in manifest.pairs if sum(record.pair) >= marks)
        _convert(source, replace(manifest, pairs=pairs), out / NEARLY_FULL, "compact", True, threads, None)
    return written


def _convert(
    source: Path,
    manifest: Manifest,
    out: Path,
    form: Form,
    plies: bool,
    threads: int,
    progress: Progress | None,
) -> Manifest:
    """Convert the pairs of a manifest."""
    folder = TableFolder(out, manifest.rules, form, plies=plies, threads=threads)
    left = [record for record in manifest.pairs if record.pair not in folder.finished]
    # How small the compact form will be is not known beforehand.
    needed = sum(plain_size(record, manifest.form) for record in left) if form == "plain" else 0
    converter = _Converter(source, manifest, folder, threads)
    total, done = sum(record.entries for record in manifest.pairs), 0
    with folder.prepare(needed):
        for record in manifest.pairs:
            if folder.find(*record.pair) is None:
                folder.save(*record.pair, record.classes, partial(converter.convert, record)).result()
            done += record.entries
            if progress:
                progress(done, total)
    return folder.manifest


class _Converter:
    """Converts the pairs of a table one after the other."""

    def __init__(self, source: Path, manifest: Manifest, folder: TableFolder, threads: int) -> None:
        self._path, self._manifest = source, manifest
        self._source = files_of(source, manifest, threads)
        self._folder = folder
        self._threads = threads
        self._wins: WinPlies | None = None

    def convert(self, record: PairRecord) -> Content | PairRecord:
        """The content of a pair for the other form, or the record of the files that it was copied to."""
        if self._manifest.form == "plain":
            self._source.check(record)
            return self._source.open(record)
        source = cast("CompactFiles", self._source)
        if self._folder.manifest.form == "plain":
            return self._entries(source, record)
        target = cast("CompactFiles", self._folder.files)
        return (self._copied if target.plies else self._without_plies)(source, target, record)

    def _copied(self, source: CompactFiles, target: CompactFiles, record: PairRecord) -> PairRecord:
        """Copy both files as they are."""
        values = target.copy_pieces(*record.pair, source.open(record))
        plies = target.copy_pieces(*record.pair, source.open_plies(record))
        return replace(record, sha256=values.sha256, size=values.size, plies=plies)

    def _without_plies(self, source: CompactFiles, target: CompactFiles, record: PairRecord) -> PairRecord:
        """Copy the outcomes as they are."""
        written = target.copy_pieces(*record.pair, source.open(record))
        return replace(
            record,
            width=0,
            sha256=written.sha256,
            size=written.size,
            plies=None,
            classes=tuple(counts.without_plies() for counts in record.classes),
        )

    def _entries(self, source: CompactFiles, record: PairRecord) -> Entries:
        """All entries of a pair, from the pairs above it, which have been converted before."""
        a, b = record.pair
        if self._wins is None:
            self._wins = WinPlies(self._manifest.rules.native)
        entries = _decided(source.open(record), source.open_plies(record), self._threads)
        above = list(self._above(a, b))
        larger, smaller = above + [None] * (2 - len(above))
        blocks = self._wins.blocks(a) * record.planes
        step = max(1, _AT_ONCE * blocks // record.entries)
        for first in range(0, blocks, step):
            last = min(first + step, blocks)
            if not self._wins.fill(a, b, entries, larger, smaller, first, last, self._threads):
                raise DamagedFile(f"{self._path}: pair {{{a}, {b}}} has a win that no lost position follows")
        return entries

    def _above(self, a: int, b: int) -> Iterator[Entries | None]:
        for pair in pairs_above(self._manifest.rules, a, b):
            yield cast("Entries", self._folder.files.open(self._folder.finished[pair]))


def _decided(values: PieceFile, plies: PieceFile, threads: int) -> NDArray[np.uint16]:
    """The entries of a pair of the compact form, all wins as if in 0 plies."""
    entries = np.empty(values.entries * values.planes, np.uint16)

    def unpack_run(numbers: tuple[int, ...]) -> None:
        for number in numbers:
            plane, of_plane = divmod(number, pieces_of_plane(values.entries))
            first = plane * values.entries + of_plane * PIECE
            _unpack_piece(values, plies, number, entries[first : first + values.entries_of(number)])

    for _ in in_parallel(unpack_run, batched(range(values.pieces), _RUN), threads):
        pass
    return entries


def _unpack_piece(values: PieceFile, plies: PieceFile, number: int, entries: NDArray[np.uint16]) -> None:
    packed = np.frombuffer(values.values_piece(number), np.uint8)
    codes = unpack(packed, entries.size)
    if np.any(codes > WIN):
        raise DamagedFile(f"{values.name} is damaged: piece {number} has entries that mean nothing")
    lost = codes == LOSS
    entries[:] = _WIDE[codes]
    entries[lost] = lost_plies(plies.piece(number, int(lost.sum()) * plies.width), plies.width)
