"""A table with plies and without, and wrong ones with right checksums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.table.entries import pack, unpack
from inarow.quixo.table.files import TableFiles, files_of, plane_runs
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pieces import Run, outcome_runs


def contents(folder: Path) -> dict[str, bytes]:
    """The names and the bytes of all files of a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def flip(file: Path, place: int | None = None) -> None:
    """Flip a bit, in the middle if no place is given."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2 if place is None else place] ^= 4
    file.write_bytes(content)


class Forms:
    """A table with plies, and one without."""

    def __init__(self, folder: Path, rules: Quixo) -> None:
        self.rules, self.folder = rules, folder
        folder.mkdir(exist_ok=True)
        inarow.solve(rules, folder / "compact")
        inarow.solve(rules, folder / "outcomes", outcomes_only=True)
        self.compact, self.outcomes = (inarow.open_table(folder / name) for name in ("compact", "outcomes"))

    def of(self, outcomes_only: bool) -> Path:
        return self.folder / ("outcomes" if outcomes_only else "compact")


def run_of(pieces: list[bytes]) -> Run:
    """Pieces as they are written."""
    return Run(np.frombuffer(b"".join(pieces), np.uint8), np.array(list(map(len, pieces)), np.uint32))


def replace_record(folder: Path, record: PairRecord) -> None:
    """List a pair in the manifest that was written again."""
    manifest = Manifest.load(folder)
    pairs = tuple(record if pair.pair == record.pair else pair for pair in manifest.pairs)
    replace(manifest, pairs=pairs).save(folder)


def opened(folder: Path, a: int, b: int) -> tuple[TableFiles, PairRecord]:
    """The files of a table, and the record of a pair."""
    manifest = Manifest.load(folder)
    record = next(pair for pair in manifest.pairs if pair.pair == (a, b))
    return files_of(folder, manifest), record


def change_outcomes(
    folder: Path, a: int, b: int, change: Callable[[int, NDArray[np.uint8]], NDArray[np.uint8]]
) -> None:
    """Write other outcomes of a pair. Its plies stay as they are."""
    files, record = opened(folder, a, b)
    entries = record.entries // record.planes
    planes = []
    for plane in range(record.planes):
        codes = unpack(files.open(record).plane(plane), entries)
        planes.append(pack(change(plane, codes)))
    written = files.write_pieces(a, b, 0, outcome_runs(planes))
    replace_record(folder, replace(record, values=written))


def change_plies(folder: Path, a: int, b: int, piece: int, nth: int, by: int) -> None:
    """Change the plies of a loss."""
    files, record = opened(folder, a, b)
    pieces: list[bytes] = []
    for plane in range(record.planes):
        for _, lost in plane_runs(files, record, plane):
            ends = np.cumsum(lost.sizes)
            pieces += [its.tobytes() for its in np.split(lost.data, ends[:-1])]
    changed = bytearray(pieces[piece])
    changed[nth] += by
    pieces[piece] = bytes(changed)
    written = files.write_pieces(a, b, 1, [run_of(pieces)])
    replace_record(folder, replace(record, plies=written))
