"""Solves Quixo by retrograde analysis: pair by pair, from full boards to the empty one.

Here it is decided which pair comes when, what is kept and what is written; an engine solves the pairs.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import platformdirs

from inarow.errors import InarowError
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import CpuEngine
from inarow.quixo.solver.engine import Engine, PairId, Solved
from inarow.quixo.solver.folder import PlainFolder
from inarow.quixo.solver.needs import needs_of
from inarow.quixo.solver.pairs import solve_by_pairs
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.book import book_name, write_book
from inarow.quixo.table.entries import Entries
from inarow.quixo.table.manifest import NAME as MANIFEST_NAME
from inarow.quixo.table.manifest import Manifest, pairs_of
from inarow.values import Outcome

Progress = Callable[[int, int], None]  # entries solved so far, entries in all
OnPair = Callable[[int, int, Entries], None]  # a, b and the entries of a pair that is solved
Device = Literal["cpu", "cuda"]

# A book of 5×5 with so many marks takes 17.7 MB; plies of nine marks would take 28 MB more.
BOOK_PLIES_MARKS, BOOK_OUTCOME_MARKS = 8, 10

_LARGE = 1 << 24  # bytes


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of solving a game: the value of the start, and the counts of all classes."""

    rules: Quixo
    start: Outcome | None  # None if not everything is solved
    statistics: Statistics
    seconds: float
    table: Path | None
    repaired: tuple[str, ...] = ()  # files of the table that were damaged or missing, and are solved anew
    device: str = ""  # what it was solved on, if not on this machine's CPU
    timing: Mapping[str, float] = field(default_factory=dict)  # seconds of each part of the work, on a GPU

    def to_json(self) -> dict[str, Any]:
        data = {
            "game": "quixo",
            **self.rules.to_json(),
            "value": self.start.value if self.start else None,
            "plies": self.start.plies if self.start else None,
            **self.statistics.to_json(),
            "seconds": round(self.seconds, 3),
        }
        if self.device:
            data["device"] = self.device
            data["timing"] = {part: round(seconds, 3) for part, seconds in self.timing.items()}
        return data

    def to_data(self) -> str:
        """As it is kept in the package, for `inarow.quixo.results`: without what follows from the rest."""
        data = self.to_json()
        del data["states"], data["by_plies"]
        data["classes"] = [
            {"x": c.x, "o": c.o, "draw": c.draw, "by_plies": c.by_plies} for c in self.statistics.classes
        ]
        return json.dumps(data, separators=(",", ":")) + "\n"


def data_name(rules: Quixo) -> str:
    """The name of the file with `Solution.to_data`."""
    return f"{rules.name}.json"


def solve(
    rules: Quixo,
    out: str | Path | None = None,
    *,
    device: Device = "cpu",
    store: bool = True,
    threads: int | None = None,
    lanes: str = "auto",
    stop_at: int = 0,
    outcomes_only: bool = False,
    memory: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    on_pair: OnPair | None = None,
) -> Solution:
    """Find the value and the plies of every position.

    With `out`, write a tablebase to that folder; a run that was interrupted there is continued, and files
    that were damaged since are solved anew. If `store` is false, only the counts of all classes and a book
    of the positions with few marks are written there. On the CPU `lanes` chooses the instructions of the
    core: "portable", "avx512", or "auto" for the best of this machine.

    With `stop_at`, solve no positions with fewer marks than that; a later run into the same folder goes on.

    With `outcomes_only`, find values and no plies, and write a table of the compact form: much faster, and
    much smaller. `memory` is the most bytes to use. `dask` is the address of a scheduler whose workers solve
    the pairs; they must see the folder `out` under the same name.

    >>> solve(Quixo(3), stop_at=8).statistics.states
    {'win': 1652, 'loss': 1164, 'draw': 0}
    """
    began = time.perf_counter()
    if not 0 <= stop_at <= rules.cells:
        raise InarowError(f"the board holds 0 to {rules.cells} marks; it is no use to stop at {stop_at}")
    if stop_at and not store:
        raise InarowError("a book is of positions with few marks: solve all of them, or write a table")
    all_pairs = [(a, b) for a, b in pairs_of(rules) if a + b >= stop_at]
    if outcomes_only or dask is not None:
        if out is None or not store:
            raise InarowError("outcomes alone, and pairs on a cluster, go to a table: say where it is to be")
        if device != "cpu":
            raise InarowError("outcomes alone, and pairs on a cluster, are solved on CPUs")
        table = solve_by_pairs(
            rules,
            Path(out),
            all_pairs,
            plies=not outcomes_only,
            memory=memory,
            threads=threads,
            lanes=lanes,
            dask=dask,
            progress=progress,
        )
        classes = [c for c in table.manifest.statistics.classes if c.x + c.o >= stop_at]
        return Solution(
            rules=rules,
            start=_start_of(classes),
            statistics=Statistics.of(classes),
            seconds=time.perf_counter() - began,
            table=table.path,
            repaired=tuple(table.damaged),
        )
    engine: Engine
    if device == "cuda":
        from inarow.quixo.solver.cuda import CudaEngine

        engine = CudaEngine(rules)
    else:
        if memory is not None and out is not None:
            needs = needs_of(rules, Path(out), stop_at=stop_at, plies=True, threads=threads, lanes=lanes)
            needs.require_memory(memory)
        engine = CpuEngine(rules, threads, lanes)
        engine.require_memory(all_pairs, in_files=out is not None and store)
    total = sum(engine.entries(a, b) for a, b in all_pairs)
    folder = PlainFolder(rules, Path(out), total) if out is not None and store else None
    book: list[tuple[int, int, Entries]] = []
    if out is not None and not store:
        Path(out).mkdir(exist_ok=True)
    done = 0
    classes = []
    above: dict[PairId, Any] = {}
    for _, group in itertools.groupby(all_pairs, key=sum):
        # Pairs with the same number of marks do not look into each other, and are solved together.
        pairs = list(group)
        finished = {pair: folder.load(*pair) if folder else None for pair in pairs}
        missing = engine.solve_layer([pair for pair, found in finished.items() if found is None], above)
        layer = {}
        for a, b in pairs:
            record = finished[a, b]
            solved = next(missing) if record is None else Solved(engine.load(record.kept), record.classes)
            if folder and record is None:
                folder.save(a, b, engine.host(solved.kept), solved.classes)
                # Large entries in this machine's memory make room there: their file is as good.
                if isinstance(solved.kept, np.ndarray) and solved.kept.nbytes > _LARGE:
                    solved = Solved(folder.open(a, b), solved.classes)
            if out is not None and not store and a + b <= BOOK_OUTCOME_MARKS:
                book.append((a, b, engine.host(solved.kept)))
            if on_pair:
                on_pair(a, b, engine.host(solved.kept))
            layer[a, b] = solved.kept
            classes += solved.classes
            del solved  # the next pair may need its room
            done += engine.entries(a, b)
            if progress:
                progress(done, total)
        above = layer
    solution = Solution(
        rules=rules,
        start=_start_of(classes),
        statistics=Statistics.of(classes),
        seconds=time.perf_counter() - began,
        table=folder.path if folder else None,
        repaired=tuple(folder.damaged) if folder else (),
        device=engine.name,
        timing=engine.timing(),
    )
    if out is not None and not store:
        marks = BOOK_PLIES_MARKS, BOOK_OUTCOME_MARKS
        write_book(Path(out) / book_name(rules), rules, book, classes, *marks)
        write_atomically(Path(out) / data_name(rules), [solution.to_data().encode()])
    return solution


def _start_of(classes: list[ClassCounts]) -> Outcome | None:
    """The value of the empty board, which has a class of its own."""
    for c in classes:
        if c.x == c.o == 0:
            return Outcome("draw" if c.draw else "win" if c.win else "loss", c.max_plies)
    return None


def user_table(rules: Quixo) -> Path:
    """Where tables are kept that were made because someone asked for a position."""
    name = f"{rules.rows}x{rules.columns}-line{rules.line}-double-{rules.double_line}"
    return Path(platformdirs.user_data_dir("inarow", appauthor=False)) / "quixo" / name


def ensure_table(rules: Quixo, progress: Progress | None = None) -> Path:
    """The user's own table of these rules, solved first if it is not there yet."""
    path = user_table(rules)
    if not (path / MANIFEST_NAME).exists() or not Manifest.load(path).complete:
        path.parent.mkdir(parents=True, exist_ok=True)
        solve(rules, path, progress=progress)
    return path
