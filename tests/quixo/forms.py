"""A table in all its forms, and wrong ones with right checksums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.table.compact import lost_plies, open_plies, open_values
from inarow.quixo.table.convert import convert
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.outcomes import pack, unpack
from inarow.quixo.table.piece_file import read_plane, write_plies, write_values


class Forms:
    """A table in its three forms."""

    def __init__(self, folder: Path, rules: Quixo) -> None:
        self.rules, self.folder = rules, folder
        inarow.solve(rules, folder / "plain")
        convert(folder / "plain", folder / "compact")
        convert(folder / "plain", folder / "outcomes", plies=False)
        self.plain, self.compact, self.outcomes = (
            inarow.open_table(folder / name) for name in ("plain", "compact", "outcomes")
        )


def change_outcomes(
    folder: Path, a: int, b: int, change: Callable[[int, NDArray[np.uint8]], NDArray[np.uint8]]
) -> None:
    """Write other outcomes of a pair of the compact form. Its plies stay as they are."""
    manifest = Manifest.load(folder)
    record = next(pair for pair in manifest.pairs if (pair.a, pair.b) == (a, b))
    entries = record.entries // record.planes
    planes = []
    for plane in range(record.planes):
        codes = unpack(read_plane(folder, manifest.rules, a, b, plane, record.sha256), entries)
        planes.append(pack(np.array([0, 127, 255], np.uint8)[change(plane, codes)]))
    stored = write_values(folder, manifest.rules, a, b, entries, planes)
    changed = replace(record, sha256=stored.sha256, size=stored.size)
    replace(manifest, pairs=tuple(changed if p is record else p for p in manifest.pairs)).save(folder)


def change_plies(folder: Path, a: int, b: int, piece: int, nth: int, by: int) -> None:
    """Change the plies of a loss."""
    manifest = Manifest.load(folder)
    record = next(pair for pair in manifest.pairs if (pair.a, pair.b) == (a, b))
    values, plies = (opened(folder, manifest.rules, record) for opened in (open_values, open_plies))
    pieces = []
    for number in range(values.pieces):
        codes = unpack(np.frombuffer(values.values_piece(number), np.uint8), values.entries_of(number))
        lost = np.array(lost_plies(plies.piece(number, int(np.sum(codes == 0))), 1))
        if number == piece:
            lost[nth] += by
        pieces.append(lost.tobytes())
    stored = write_plies(folder, manifest.rules, a, b, values.entries, 1, pieces)
    changed = replace(record, plies=stored)
    replace(manifest, pairs=tuple(changed if p is record else p for p in manifest.pairs)).save(folder)
