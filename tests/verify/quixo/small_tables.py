"""Tables of small boards, solved plainly over the checker's own rules and written here, not by the package.

What they share with the tables of the solver is the page on the format alone.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.verify.quixo.rules import Pair, Rules

Values = NDArray[np.uint32]
PIECE, PLAIN_PIECE = 16384, 4096


class SmallTable:
    """All entries of small rules as two-byte values, one array for all pairs and planes."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.begin: dict[tuple[int, int, int], int] = {}
        words = []
        count = 0
        for a, b in rules.pairs():
            for plane in range(1 if a == b else 2):
                of_plane = rules.game.entry_count(a, b) // (1 if a == b else 2)
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
        return slice(self.begin[a, b, 0], self.begin[a, b, 0] + self.rules.game.entry_count(a, b))

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


@dataclass
class Form:
    """How a table is written."""

    compact: bool = False
    plies: bool = True
    old: bool = False  # as version 0.1 did, on squares: size in the manifest, no columns in headers
    pairs: int | None = None  # how many of them, if not all
    change: Callable[[dict[str, Any]], object] = field(default=lambda manifest: None, repr=False)


def write_table(folder: Path, rules: Rules, table: SmallTable, values: Values, form: Form) -> Path:
    """Write a table with right checksums and counts, whatever the values."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = list(rules.pairs())[: form.pairs]
    listed = [_write_pair(folder, rules, pair, values[table.pair(*pair)], form) for pair in pairs]
    shape = {"size": rules.rows} if form.old else {"rows": rules.rows, "columns": rules.columns}
    manifest: dict[str, Any] = {
        "format": "inarow-quixo-compact" if form.compact else "inarow-quixo",
        "version": 1 if form.old else 2,
        "rules": {**shape, "line": rules.line, "double_line": rules.double_line},
        "complete": form.pairs is None,
        "pairs": listed,
    }
    if form.compact:
        manifest["plies"] = form.plies
    form.change(manifest)
    if not form.old:
        manifest.setdefault("sha256", sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest())
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def _write_pair(folder: Path, rules: Rules, pair: Pair, values: Values, form: Form) -> dict[str, Any]:
    a, b = pair
    planes = 1 if a == b else 2
    losses, wins = values[values < native.DRAW], 65535 - values[values > native.DRAW]
    longest_loss = max(losses, default=0)
    longest = max(longest_loss, max(wins, default=0))
    entry = {"a": a, "b": b, "entries": int(values.size), "classes": _classes(rules, pair, values, form)}
    columns = 0 if form.old else rules.columns

    def header(magic: bytes, version: int, width: int, rest: bytes) -> bytes:
        double = int(rules.double_line == "wins")
        fields = (rules.rows, rules.line, double, a, b, width, planes, columns)
        return magic + struct.pack("<H8B", version, *fields) + rest

    if not form.compact:
        width = 2 if longest > 126 else 1
        narrow = np.where(values > native.DRAW, values - 65280, np.minimum(values, 127))
        raw = (values if width == 2 else narrow).astype(f"<u{width}").tobytes()
        name = f"pair-{a:02}-{b:02}.bin"
        if form.old:
            start = header(b"INAROWQX", 1, width, struct.pack("<6xQ", values.size))
            digest, index = sha256(start + raw), b""
        else:
            start = header(b"INAROWQX", 2, width, struct.pack("<2xIQ", PLAIN_PIECE, values.size))
            size = PLAIN_PIECE * width
            sums = [zlib.crc32(raw[at : at + size]) for at in range(0, len(raw), size)]
            index = struct.pack(f"<{len(sums)}I", *sums)
            digest = sha256(start + index)
        (folder / name).write_bytes(start + digest.digest() + raw + index)
        return {**entry, "file": name, "width": width, "sha256": digest.hexdigest()}

    def write_pieces(kind: str, width: int, pieces: list[bytes]) -> dict[str, Any]:
        start = header(b"INAROWQC", 1, width, struct.pack("<2xIQ", PIECE, values.size // planes))
        stored = [_packed(piece) for piece in pieces]
        index = b"".join(struct.pack("<II", len(piece), zlib.crc32(piece)) for piece in stored)
        digest = sha256(start + index)
        content = start + b"".join(stored) + index + digest.digest()
        name = f"pair-{a:02}-{b:02}.{kind}"
        (folder / name).write_bytes(content)
        return {"file": name, "bytes": len(content), "sha256": digest.hexdigest()}

    cut = [
        plane[first : first + PIECE]
        for plane in values.reshape(planes, -1)
        for first in range(0, plane.size, PIECE)
    ]
    entry.update(write_pieces("values", 0, [_outcomes(piece) for piece in cut]))
    if form.plies:
        width = 2 if longest_loss > 255 else 1
        lost = [piece[piece < native.DRAW].astype(f"<u{width}").tobytes() for piece in cut]
        entry["plies"] = {**write_pieces("plies", width, lost), "width": width}
    return entry


def _classes(rules: Rules, pair: Pair, values: Values, form: Form) -> list[dict[str, Any]]:
    a, b = pair
    orbits = rules.game.orbits(a).astype(np.int64)
    planes = values.reshape(1 if a == b else 2, orbits.size, -1)
    weights = np.repeat(orbits, planes.shape[2])
    classes = []
    for plane, (x, o) in zip(planes, ((a, b), (b, a)), strict=False):
        flat = plane.ravel()
        won, lost, drawn = flat > native.DRAW, flat < native.DRAW, flat == native.DRAW
        win, loss, draw = (int(weights[which].sum()) for which in (won, lost, drawn))
        counts: dict[str, Any] = {"x": x, "o": o, "win": win, "loss": loss, "draw": draw}
        if form.plies:
            plies = np.where(won, 65535 - flat, flat)
            counts["by_plies"] = [
                [int(p), *(int(weights[side & (plies == p)].sum()) for side in (won, lost))]
                for p in np.unique(plies[~drawn])
            ]
        classes.append(counts)
    return classes


def _outcomes(values: Values) -> bytes:
    codes = np.where(values < native.DRAW, 0, np.where(values == native.DRAW, 1, 2))
    padded = np.concatenate([codes, np.zeros(-codes.size % 4, np.int64)]).reshape(-1, 4)
    return bytes((padded << np.array([0, 2, 4, 6])).sum(axis=1).astype(np.uint8))


def _packed(piece: bytes) -> bytes:
    if len(set(piece)) <= 1:
        return piece[:1]
    compressor = zstandard.ZstdCompressor(write_content_size=False, write_checksum=False)
    return bytes(compressor.compress(piece)[4:])
