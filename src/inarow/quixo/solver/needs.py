"""What solving a table takes, found out before it begins: time, memory and disk."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path

from inarow._native.quixo import Locator, OutcomeSolver
from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import QUICK_CELLS, CpuEngine, outcome_solver, thread_count
from inarow.quixo.solver.engine import PairId
from inarow.quixo.table.manifest import NAME as MANIFEST_NAME
from inarow.quixo.table.manifest import Manifest, pairs_of
from inarow.quixo.table.outcomes import Packed, packed_size

_PROGRAM = 200 << 20  # bytes that the program itself takes
_PACKS = 7  # outcomes take less than a seventh of two bits each, on 5×5

# The time of an entry of 5×5, in that of one of 4×4. The first was measured on all of 5×5. The second is a
# guess: with plies, only its first layers were ever solved on a CPU.
_RATIO = {"outcomes": 1.6, "plies": 15.0}


@dataclass(frozen=True, slots=True)
class Needs:
    """Seconds, and bytes of memory and of disk. Time and the size of outcomes on disk are estimates."""

    seconds: float
    memory: int
    disk: int
    free: int  # bytes of disk

    def require_memory(self, budget: int | None) -> None:
        """Refuse what would take more."""
        if budget is not None and self.memory > budget:
            raise InarowError(
                f"this takes up to {self.memory / 1e9:.1f} GB of memory; --memory allows {budget / 1e9:.1f}"
            )


def needs_of(
    rules: Quixo,
    out: Path,
    *,
    stop_at: int = 0,
    plies: bool,
    threads: int | None = None,
    lanes: str = "auto",
) -> Needs:
    """What is left to do in the folder, and what it takes."""
    finished = set()
    if (out / MANIFEST_NAME).exists():
        finished = {(pair.a, pair.b) for pair in Manifest.load(out).pairs}
    pairs = [(a, b) for a, b in pairs_of(rules) if a + b >= stop_at and (a, b) not in finished]
    entries = entries_of(rules)
    left = sum(entries(a, b) for a, b in pairs)
    whole = rules.cells > QUICK_CELLS  # what is smaller is done before it could be estimated
    seconds = left * seconds_per_entry(plies, threads, lanes) if whole and left else 0.0
    free = shutil.disk_usage(out if out.exists() else out.parent).free
    if not pairs:
        return Needs(0.0, 0, 0, free)
    if plies:
        engine = CpuEngine(rules, threads, lanes)
        memory = max(engine.memory(a, b).own for a, b in pairs)
        return Needs(seconds, _PROGRAM + memory, left, free)
    solver = outcome_solver(rules, threads, lanes)
    memory = max(solver.memory(a, b) + _planes(rules, a, b, entries) for a, b in pairs)
    layout = 4 << rules.cells
    disk = sum(packed_size(entries(a, b)) for a, b in pairs) // _PACKS
    return Needs(seconds, _PROGRAM + layout + memory, disk, free)


def _planes(rules: Quixo, a: int, b: int, entries: Callable[[int, int], int]) -> int:
    """Bytes of a pair's own planes, and of those it looks into."""
    count = entries(a, b)
    if a + b < rules.cells:
        count += entries(a + 1, b) // 2 + (entries(a, b + 1) if a > b else 0)
    return packed_size(count)


def entries_of(rules: Quixo) -> Callable[[int, int], int]:
    """How many entries a pair has."""
    locator = Locator(rules.native)
    return lambda a, b: locator.block_count(a) * comb(rules.cells - a, b) * (1 if a == b else 2)


@lru_cache
def seconds_per_entry(plies: bool, threads: int | None, lanes: str) -> float:
    """Of 5×5, on this machine: 4×4 is solved to find out."""
    rules = Quixo(4)
    pairs = list(pairs_of(rules))
    entries = entries_of(rules)
    total = sum(entries(a, b) for a, b in pairs)
    began = time.perf_counter()
    if plies:
        from inarow.quixo.solver.solve import solve

        solve(rules, threads=threads, lanes=lanes)
    else:
        solver = OutcomeSolver(rules.native, thread_count(threads), lanes)
        planes: dict[PairId, list[Packed]] = {}
        for a, b in pairs:
            larger = planes[a + 1, b][1] if (a + 1, b) in planes else None
            smaller = planes[a, b + 1][0] if a > b and (a, b + 1) in planes else None
            planes[a, b], _ = solver.solve(a, b, larger, smaller)
    return (time.perf_counter() - began) / total * _RATIO["plies" if plies else "outcomes"]
