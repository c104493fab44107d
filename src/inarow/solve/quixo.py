"""Solves Quixo by retrograde analysis: pair by pair, from full boards to the empty one.

Python decides which pair comes when, what is kept and what is written; the C++ core solves a pair.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import NDArray

from inarow._core import Solver
from inarow.errors import DamagedFile, InarowError, MissingTable, WrongTable
from inarow.games.quixo import Quixo
from inarow.tables.files import remove_leftovers
from inarow.tables.manifest import NAME as MANIFEST_NAME
from inarow.tables.manifest import Manifest, PairRecord, pairs_of
from inarow.tables.pair_file import Entries, check_pair, describe, file_name, write_pair
from inarow.tables.statistics import ClassCounts, Outcome, Statistics, Value

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
    repaired: tuple[str, ...] = ()  # files of the table that were damaged or missing, and are solved anew

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

    With `out`, write a tablebase to that folder; a run that was interrupted there is continued, and files
    that were damaged since are solved anew. `lanes` chooses the instructions of the core: "portable",
    "avx512", or "auto" for the best of this machine.
    """
    if rules.size > MAX_SIZE:
        raise InarowError(
            f"{rules.size}×{rules.size} does not fit in memory; "
            f"boards up to {MAX_SIZE}×{MAX_SIZE} can be solved"
        )
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise InarowError(f"threads must be at least 1, not {threads}")
    began = time.perf_counter()
    folder = _Folder(rules, Path(out)) if out is not None else None
    solver = Solver(rules.size, rules.line, rules.double_line == "wins", threads, lanes)
    total = sum(solver.entries(a, b) for a, b in pairs_of(rules))
    done = 0
    classes: list[ClassCounts] = []
    above: _Layer = {}
    for _, pairs in itertools.groupby(pairs_of(rules), key=sum):
        # Pairs with the same number of marks do not look into each other, and are solved together.
        layer = {pair: folder.load(*pair) if folder else None for pair in pairs}
        layer |= _solve_layer(solver, [pair for pair, solved in layer.items() if solved is None], above)
        above = {}
        for (a, b), solved in layer.items():
            assert solved is not None
            if folder:
                folder.save(a, b, solved)
            above[a, b] = solved
            classes += solved.classes
            done += solved.entries.size
            if progress:
                progress(done, total)
    start = classes[-1]
    value: Value = "draw" if start.draw else "win" if start.win else "loss"
    return Solution(
        rules=rules,
        start=Outcome(value, start.max_plies),
        statistics=Statistics.of(classes),
        seconds=time.perf_counter() - began,
        table=folder.path if folder else None,
        repaired=tuple(folder.damaged) if folder else (),
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


@dataclass(frozen=True, slots=True)
class _Solved:
    entries: Entries
    classes: tuple[ClassCounts, ...]


_Layer = dict[tuple[int, int], _Solved]


def _solve_layer(solver: Solver, pairs: list[tuple[int, int]], above: _Layer) -> _Layer:
    """Solve pairs from those with one mark more, with one byte an entry where that is enough."""
    more = {
        (a, b): (
            above[a + 1, b].entries if above else None,
            above[a, b + 1].entries if above and a > b else None,
        )
        for a, b in pairs
    }
    narrow = [pair for pair in pairs if all(e is None or e.itemsize == 1 for e in more[pair])]
    results: _Layer = {}
    tasks: list[Any] = [(*pair, *more[pair]) for pair in narrow]
    for (a, b), found in zip(narrow, solver.solve_narrow(tasks), strict=True):
        if found:
            results[a, b] = _Solved(found[0], _count(a, b, found[1]))
    wide = [pair for pair in pairs if pair not in results]
    tasks = [(*pair, *map(_widened, more[pair])) for pair in wide]
    for (a, b), wider in zip(wide, solver.solve_wide(tasks), strict=True):
        if not wider:
            raise OverflowError(f"pair {{{a}, {b}}} takes more than 32766 plies")
        results[a, b] = _Solved(_narrowed(wider[0]), _count(a, b, wider[1]))
    return results


def _count(a: int, b: int, histograms: list[NDArray[np.uint64]]) -> tuple[ClassCounts, ...]:
    sides = [(a, b)] if a == b else [(a, b), (b, a)]
    return tuple(
        ClassCounts.from_histogram(x, o, histogram)
        for (x, o), histogram in zip(sides, histograms, strict=True)
    )


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
        self._finished = {(pair.a, pair.b): pair for pair in self._manifest.pairs}
        self.damaged: list[str] = []

    def load(self, a: int, b: int) -> _Solved | None:
        record = self._finished.get((a, b))
        if record is None:
            return None
        try:
            entries = check_pair(self.path, self._manifest.rules, a, b, record.sha256)
        except (DamagedFile, MissingTable, WrongTable):
            self.damaged.append(file_name(a, b))
            return None
        return _Solved(entries, record.classes)

    def save(self, a: int, b: int, solved: _Solved) -> None:
        finished = self._finished.get((a, b))
        if finished and file_name(a, b) not in self.damaged:
            return
        digest = write_pair(self.path, self._manifest.rules, a, b, solved.entries)
        if finished:
            if digest != finished.sha256:
                raise DamagedFile(
                    f"{self.path / MANIFEST_NAME} is damaged: {file_name(a, b)} has another checksum"
                )
            return
        record = PairRecord(a, b, solved.entries.itemsize, solved.entries.size, digest, solved.classes)
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
    narrow = np.where(entries > 32767, entries - (65535 - 255), entries)
    return np.where(entries == 32767, 127, narrow).astype(np.uint8)
