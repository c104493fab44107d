"""Solves Quixo by retrograde analysis: pair by pair, from full boards to the empty one.

Python decides which pair comes when, what is kept and what is written; the C++ core solves a pair.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import NDArray

from inarow._core import PliesOverflow, Solver
from inarow.errors import InarowError, WrongTable
from inarow.games.quixo import Quixo
from inarow.tables.files import remove_leftovers
from inarow.tables.manifest import NAME as MANIFEST_NAME
from inarow.tables.manifest import Manifest, PairRecord, pairs_of
from inarow.tables.pair_file import Entries, check_pair, describe, write_pair
from inarow.tables.statistics import ClassCounts, Outcome, Statistics

MAX_SIZE = 4

Progress = Callable[[int, int], None]  # entries solved so far, entries in all


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of solving a game: the value of the start, and the counts of all classes."""

    rules: Quixo
    start: Outcome
    statistics: Statistics
    seconds: float
    table: Path | None

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            "size": self.rules.size,
            "line": self.rules.line,
            "double_line": self.rules.double_line,
            "value": self.start.value,
            "plies": self.start.plies,
            **self.statistics.to_json(),
            "seconds": round(self.seconds, 3),
        }


def solve(
    rules: Quixo,
    out: str | Path | None = None,
    *,
    threads: int | None = None,
    lanes: str = "auto",
    progress: Progress | None = None,
) -> Solution:
    """Find the value and the plies of every position.

    With `out`, write a tablebase to that folder; a run that was interrupted there is continued. `lanes` chooses the
    instructions of the core: "portable", "avx512", or "auto" for the best that this machine has.
    """
    if rules.size > MAX_SIZE:
        raise InarowError(
            f"boards up to {MAX_SIZE}×{MAX_SIZE} can be solved; {rules.size}×{rules.size} does not fit in memory"
        )
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise InarowError(f"threads must be at least 1, not {threads}")
    began = time.perf_counter()
    folder = _Folder(rules, Path(out)) if out is not None else None
    run = _Run(rules, Solver(rules.size, rules.line, rules.double_line == "wins", threads, lanes))
    total = sum(run.solver.entries(a, b) for a, b in pairs_of(rules))
    done = 0
    for a, b in pairs_of(rules):
        entries = folder.load(a, b) if folder else None
        if entries is None:
            entries = run.solve_pair(a, b)
            classes = run.count(a, b, entries)
            if folder:
                folder.save(a, b, entries, classes)
        else:
            classes = run.count(a, b, entries)
        run.keep(a, b, entries, classes)
        done += entries.size
        if progress:
            progress(done, total)
    start = run.classes[-1]
    return Solution(
        rules=rules,
        start=Outcome("draw", None) if start.draw else Outcome("win" if start.win else "loss", start.max_plies),
        statistics=Statistics.of(run.classes),
        seconds=time.perf_counter() - began,
        table=folder.path if folder else None,
    )


def user_table(rules: Quixo) -> Path:
    """Where tables are kept that were made because someone asked for a position."""
    name = f"{rules.size}x{rules.size}-line{rules.line}-double-{rules.double_line}"
    return Path(platformdirs.user_data_dir("inarow", appauthor=False)) / "quixo" / name


def ensure_table(rules: Quixo, progress: Progress | None = None) -> Path:
    """The user's own table of these rules, solved first if it is not there yet."""
    path = user_table(rules)
    if not (path / MANIFEST_NAME).exists() or not Manifest.load(path).complete:
        path.parent.mkdir(parents=True, exist_ok=True)
        solve(rules, path, progress=progress)
    return path


@dataclass(slots=True)
class _Run:
    """The pairs of the layer at work and of the one before: all that the next pairs look into."""

    rules: Quixo
    solver: Solver
    pairs: dict[tuple[int, int], Entries] = field(default_factory=dict)
    classes: list[ClassCounts] = field(default_factory=list)

    def solve_pair(self, a: int, b: int) -> Entries:
        full = a + b == self.rules.cells
        larger = None if full else self.pairs[a + 1, b]
        smaller = None if full or a == b else self.pairs[a, b + 1]
        if all(more is None or more.itemsize == 1 for more in (larger, smaller)):
            try:
                return self.solver.solve_narrow(a, b, larger, smaller)  # type: ignore[arg-type]
            except PliesOverflow:
                pass
        return _narrowed(self.solver.solve_wide(a, b, _widened(larger), _widened(smaller)))

    def count(self, a: int, b: int, entries: Entries) -> list[ClassCounts]:
        sides = [(a, b)] if a == b else [(a, b), (b, a)]
        return [
            ClassCounts.from_histogram(x, o, self.solver.histogram(a, b, plane, entries))
            for plane, (x, o) in enumerate(sides)
        ]

    def keep(self, a: int, b: int, entries: Entries, classes: list[ClassCounts]) -> None:
        self.pairs = {pair: kept for pair, kept in self.pairs.items() if sum(pair) <= a + b + 1}
        self.pairs[a, b] = entries
        self.classes += classes


class _Folder:
    """The table on disk: what is finished there, and where the next pair goes."""

    def __init__(self, rules: Quixo, path: Path) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        if (path / MANIFEST_NAME).exists():
            self._manifest = Manifest.load(path)
            if self._manifest.rules != rules:
                raise WrongTable(
                    f"{path} holds a table of {describe(self._manifest.rules)}, not of {describe(rules)}; "
                    "choose another folder"
                )
            remove_leftovers(path)
        else:
            if any(path.iterdir()):
                raise WrongTable(f"{path} is not empty and holds no table; choose another folder")
            self._manifest = Manifest(rules)
            self._manifest.save(path)
        self._finished = {(pair.a, pair.b): pair.sha256 for pair in self._manifest.pairs}

    def load(self, a: int, b: int) -> Entries | None:
        digest = self._finished.get((a, b))
        return None if digest is None else check_pair(self.path, self._manifest.rules, a, b, digest)

    def save(self, a: int, b: int, entries: Entries, classes: list[ClassCounts]) -> None:
        digest = write_pair(self.path, self._manifest.rules, a, b, entries)
        record = PairRecord(a, b, entries.itemsize, entries.size, digest, tuple(classes))
        self._manifest = self._manifest.with_pair(record)
        self._manifest.save(self.path)


def _widened(entries: Entries | None) -> NDArray[np.uint16] | None:
    if entries is None or entries.itemsize == 2:
        return entries  # type: ignore[return-value]
    wide = entries.astype(np.uint16)
    return np.where(wide == 127, 32767, np.where(wide > 127, wide + (65535 - 255), wide)).astype(np.uint16)


def _narrowed(entries: NDArray[np.uint16]) -> Entries:
    """One byte an entry if the plies fit: the width depends on the pair alone, not on how it was solved."""
    decided = entries[entries != 32767]
    if np.any((decided > 126) & (decided < 65535 - 126)):
        return entries
    return np.where(entries == 32767, 127, np.where(entries > 32767, entries - (65535 - 255), entries)).astype(np.uint8)
