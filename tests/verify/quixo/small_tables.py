"""Tables of small boards, solved plainly over the checker's own rules and written here, not by the package.

What they share with the tables of the solver is the page on the format alone. `judged` has them checked.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from numpy.typing import NDArray
from verify.quixo.forging import change_manifest

from inarow._native import verify_quixo as native
from inarow.errors import InarowError
from inarow.verify.quixo import gpu
from inarow.verify.quixo.report import TableReport
from inarow.verify.quixo.rules import Pair, Rules, planes_of
from inarow.verify.quixo.table import verify_table

Values = NDArray[np.uint32]
THREE, TWO_BY_THREE = Rules(3, 3, 3, "loses"), Rules(2, 3, 3, "loses")
PIECE = 16384
SMALL = [
    Rules(rows, columns, line, double_line)
    for rows, columns in ((2, 2), (2, 3), (3, 3), (4, 2))
    for line in range(2, max(rows, columns) + 1)
    for double_line in ("loses", "wins")
]


class SmallTable:
    """All entries of small rules as two-byte values, one array for all pairs and planes.

    Of a larger board there are only the first few `pairs`, those of full boards.
    """

    def __init__(self, rules: Rules, pairs: int | None = None) -> None:
        self.rules = rules
        self.begin: dict[tuple[int, int, int], int] = {}
        words = []
        count = 0
        for a, b in list(rules.pairs())[:pairs]:
            for plane in planes_of((a, b)):
                of_plane = rules.game.of_plane(a, b)
                self.begin[a, b, plane] = count
                words.append(rules.game.positions(a, b, bool(plane), np.arange(of_plane, dtype=np.uint64)))
                count += of_plane
        self.words = np.concatenate(words)
        self.ends = rules.game.ends(self.words)
        self.unfinished = np.flatnonzero(self.ends == native.NO_VALUE)
        children, self.last = rules.game.successors(self.words[self.unfinished])
        self.first = np.concatenate([[0], self.last[:-1]])
        self.children = self.indices(children)
        self.values = self.solve(self.ends, np.zeros(count, bool))

    def indices(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        planes, places = self.rules.game.places(words)
        begins = np.zeros(1 << 11, np.int64)
        for (a, b, plane), begin in self.begin.items():
            begins[a << 6 | b << 1 | plane] = begin
        return np.asarray(begins[planes] + places.astype(np.int64), np.int64)

    def solve(self, values: Values, fixed: NDArray[np.bool_]) -> Values:
        """Values by rounds: what is not decided is a draw. Entries that are `fixed` stay as they are."""
        values = np.where(values == native.NO_VALUE, native.DRAW, values).astype(np.uint32)
        changing = ~fixed[self.unfinished]
        while True:
            worst = np.minimum.reduceat(values[self.children], self.first)
            above = np.where(worst < native.DRAW, 65534 - worst, 65536 - worst)
            above[worst == native.DRAW] = native.DRAW
            new = values.copy()
            new[self.unfinished[changing]] = above[changing]
            if np.array_equal(new, values):
                return values
            values = new

    def pair(self, a: int, b: int) -> slice:
        return slice(self.begin[a, b, 0], self.begin[a, b, 0] + self.rules.entry_count((a, b)))

    def circular(self, a: int, b: int) -> Values | None:
        """Outcomes in which each entry follows from its children, but draws of a pair are wins and losses.

        Endless play within the pair counts as a win of the side that has more marks: its draws become wins if
        they lead to a loss of the other, whose draws become losses if they lead to such wins alone. Pairs
        below are solved again.
        """
        draws = np.zeros(self.values.size, bool)
        draws[self.pair(a, b)] = self.values[self.pair(a, b)] == native.DRAW
        wins, losses = draws.copy(), draws.copy()
        wins[self.begin[a, b, 1] :] = False
        losses[: self.begin[a, b, 1]] = False
        while True:
            to_loss = np.logical_or.reduceat(losses[self.children], self.first)
            kept = (self.values[self.children] != native.DRAW) | wins[self.children]
            to_wins = np.logical_and.reduceat(kept, self.first)
            new_wins, new_losses = wins.copy(), losses.copy()
            new_wins[self.unfinished] &= to_loss
            new_losses[self.unfinished] &= to_wins
            if np.array_equal(new_wins, wins) and np.array_equal(new_losses, losses):
                break
            wins, losses = new_wins, new_losses
        if not wins.any():
            return None
        values = self.values.copy()
        values[wins], values[losses] = 65534, 2
        fixed = np.arange(values.size) < self.pair(a, b).stop
        values[~fixed] = self.ends[~fixed]
        return self.solve(values, fixed)


@cache
def solved(rules: Rules) -> SmallTable:
    """Not to be changed."""
    return SmallTable(rules)


def write_table(
    folder: Path,
    table: SmallTable,
    values: Values | None = None,
    *,
    rules: Rules | None = None,
    plies: bool = True,
    pairs: int | None = None,
    change: Callable[[dict[str, Any]], object] = lambda manifest: None,
    store: Callable[[str, int, bytes], bytes] = lambda name, number, piece: packed(piece),
) -> Path:
    """Write a table with right checksums and counts, whatever the values.

    It may claim other rules, have only the first few `pairs`, and a manifest with changes. `store` says how a
    piece of a file is stored, given its number.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rules, values = rules or table.rules, table.values if values is None else values

    def write_file(pair: Pair, kind: str, width: int, pieces: list[bytes]) -> dict[str, Any]:
        name = f"pair-{pair[0]:02}-{pair[1]:02}.{kind}"
        fields = (1, rules.rows, rules.line, rules.code, *pair, width, len(planes_of(pair)), rules.columns)
        header = struct.pack("<8sH8B2xIQ", b"INAROWQC", *fields, PIECE, rules.game.of_plane(*pair))
        stored = [store(name, number, piece) for number, piece in enumerate(pieces)]
        index = b"".join(struct.pack("<II", len(piece), zlib.crc32(piece)) for piece in stored)
        digest = sha256(header + index)
        content = header + b"".join(stored) + index + digest.digest()
        (folder / name).write_bytes(content)
        return {"file": name, "bytes": len(content), "sha256": digest.hexdigest()}

    listed = []
    for pair in list(rules.pairs())[:pairs]:
        entries = values[table.pair(*pair)]
        planes = entries.reshape(len(planes_of(pair)), -1)
        cut = [plane[first : first + PIECE] for plane in planes for first in range(0, plane.size, PIECE)]
        record: dict[str, Any] = {"a": pair[0], "b": pair[1], "entries": int(entries.size)}
        record["classes"] = _classes(rules, pair, planes, plies)
        record |= write_file(pair, "values", 0, [_outcomes(piece) for piece in cut])
        if plies:
            width = 2 if max(entries[entries < native.DRAW], default=0) > 255 else 1
            lost = [piece[piece < native.DRAW].astype(f"<u{width}").tobytes() for piece in cut]
            record["plies"] = {"width": width, **write_file(pair, "plies", width, lost)}
        listed.append(record)
    manifest: dict[str, Any] = {
        "format": "inarow-quixo-compact",
        "version": 2,
        "rules": rules.to_json(),
        "plies": plies,
        "complete": pairs is None,
        "pairs": listed,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    change_manifest(folder, change)
    return folder


def _classes(rules: Rules, pair: Pair, planes: Values, plies: bool) -> list[dict[str, Any]]:
    orbits = rules.game.orbits(pair[0]).astype(np.int64)
    weights = np.repeat(orbits, planes.shape[1] // orbits.size)
    classes = []
    for plane, (x, o) in zip(planes, (pair, pair[::-1]), strict=False):
        won, lost, drawn = plane > native.NOT_AN_ENTRY, plane < native.DRAW, plane == native.DRAW
        win, loss, draw = (int(weights[which].sum()) for which in (won, lost, drawn))
        counts: dict[str, Any] = {"x": x, "o": o, "win": win, "loss": loss, "draw": draw}
        if plies:
            of_plies = np.where(won, 65535 - plane, plane)
            counts["by_plies"] = [
                [int(p), *(int(weights[side & (of_plies == p)].sum()) for side in (won, lost))]
                for p in np.unique(of_plies[won | lost])
            ]
        classes.append(counts)
    return classes


def _outcomes(values: Values) -> bytes:
    codes = np.searchsorted([native.DRAW, native.NOT_AN_ENTRY, native.NOT_AN_ENTRY + 1], values, side="right")
    codes = np.array([0, 1, 3, 2])[codes]
    padded = np.concatenate([codes, np.zeros(-codes.size % 4, np.int64)]).reshape(-1, 4)
    return bytes((padded << np.array([0, 2, 4, 6])).sum(axis=1).astype(np.uint8))


def packed(piece: bytes) -> bytes:
    """A piece as it should be stored."""
    if len(set(piece)) <= 1:
        return piece[:1]
    compressor = zstandard.ZstdCompressor(write_content_size=False, write_checksum=False)
    return bytes(compressor.compress(piece)[4:])


class DeviceOnCpu:
    """Runs the GPU's kernels on a CPU. Arrays are NumPy's."""

    xp, free_bytes = np, 10**9

    def address(self, array: NDArray[Any]) -> int:
        return array.ctypes.data

    def to_host(self, array: NDArray[Any]) -> NDArray[Any]:
        return array

    def run(self, kernel: str, *arguments: Any) -> None:
        getattr(native.gpu_on_cpu, kernel)(*arguments)


@cache
def device() -> Any:
    """What runs the kernels: a GPU if there is one."""
    try:
        gpu.CudaDevice()
    except InarowError:
        return DeviceOnCpu
    return gpu.CudaDevice


def judged(folder: Path, **options: Any) -> TableReport:
    """The report of a check, the same on one thread, on several and, unless it derives wins, on a GPU."""
    found = [verify_table(folder, threads=threads, **options) for threads in (1, 3)]
    if found[0].method != "derivation":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpu, "CudaDevice", device())
            found.append(verify_table(folder, threads=2, device="cuda", **options))
    first, *others = (replace(report, seconds=0.0) for report in found)
    assert [report == first for report in others] == [True] * len(others)
    return first
