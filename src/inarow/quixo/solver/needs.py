"""What solving takes, estimated before it starts: time, memory and disk."""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from inarow._native.quixo import Solver
from inarow.memory import PROGRAM
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import OutcomesEngine, PliesEngine, cpu_engine
from inarow.quixo.solver.engines.cpu_planes import PlanesEngine
from inarow.quixo.solver.engines.scratch import Scratch
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.work import weight
from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.folder import form_in, manifest_in
from inarow.quixo.table.manifest import Form, Manifest
from inarow.quixo.table.nearly_full import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.pairs import PairId, entry_count, pairs_of
from inarow.quixo.table.store import NoStore

CpuEngine = PliesEngine | OutcomesEngine | PlanesEngine

QUICK_CELLS = 16  # a board of up to so many cells is solved in a second or two

# Packed into pieces, outcomes take less than a seventh of two bits each on 5×5, and the plies of losses less
# than an eleventh of a byte for each entry, lost or not.
_OUTCOMES_PACK, _PLIES_PACK = 7, 11
_KEPT_PACK = 4  # a byte for so many entries of the planes that are kept for the layer below

# The CPU time of an entry of 5×5, on average, divided by that of an entry of 4×4, by form and plies: with
# AVX-512, and with other instructions, which are slower on 4×4 above all. In the compact form it was measured
# (with AVX-512 on all of 5×5, else on parts of it); in the plain form, which 5×5 does not
# get, it is a guess from 4×5. For boards in between it is interpolated.
_RATIO: dict[tuple[Form, bool], tuple[float, float]] = {
    ("compact", False): (1.6, 1.2),
    ("compact", True): (6.2, 4.0),
    ("plain", True): (3.0, 2.0),
}
# The estimate is shown as a range between these factors of it.
_FASTER, _SLOWER = 0.75, 1.4


@dataclass(frozen=True, slots=True)
class Needs:
    """Seconds, and bytes of memory and of disk. Time, and disk for the compact form, are estimates."""

    seconds: float
    memory: int
    disk: int
    free: int  # bytes of disk
    once: float = 0.0  # seconds that may come on top the first time

    @property
    def seconds_between(self) -> tuple[float, float]:
        """The least and the most that it should take, if nothing else keeps this machine busy."""
        return self.seconds * _FASTER, self.seconds * _SLOWER + self.once


def needs_of(rules: Quixo, out: Path, *, stop_at: int = 0, plies: bool, threads: int | None = None) -> Needs:
    """What it takes to finish the table in a folder on the CPU; `WrongTable` if it is of other rules."""
    needs = [_table_needs(rules, out, form_in(out, rules, plies=plies), stop_at, plies, threads)]
    if not plies:
        marks = max(stop_at, nearly_full_marks(rules))
        needs.append(_table_needs(rules, out / NEARLY_FULL, "compact", marks, True, threads))
    seconds, memory, disk = zip(*needs, strict=True)
    free = shutil.disk_usage(out if out.exists() else out.parent).free
    return Needs(sum(seconds), max(memory), sum(disk), free)


def _table_needs(
    rules: Quixo, out: Path, form: Form, stop_at: int, plies: bool, threads: int | None
) -> tuple[float, int, int]:
    """Seconds, bytes of memory and bytes of disk for what a table lacks."""
    finished = {record.pair for record in manifest_in(out, Manifest(rules, form=form, plies=plies)).pairs}
    pairs = [pair for pair in pairs_of(rules, stop_at) if pair not in finished]
    if not pairs:
        return 0.0, 0, 0
    memory = memory_needed(table_engine(rules, form, plies=plies, threads=threads), pairs, in_files=True)
    return _seconds(rules, pairs, form, plies, threads), memory, disk_needed(rules, pairs, form, plies=plies)


def table_engine(
    rules: Quixo, form: Form, *, plies: bool, threads: int | None = None, scratch: Scratch | None = None
) -> CpuEngine:
    """What solves on the CPU for a table of this form; `scratch` is for plies in the compact form."""
    if plies and form == "compact":
        return PlanesEngine(rules, threads, scratch=scratch)
    return cpu_engine(rules, plies, threads)


def disk_needed(
    rules: Quixo, pairs: Sequence[PairId], form: Form, *, plies: bool, scratch: bool = True
) -> int:
    """Bytes of a table of these pairs. What the compact form takes is an estimate.

    With plies, and with `scratch`, it includes what is kept of the largest layer for the layer below.
    """
    entries = sum(entry_count(rules, *pair) for pair in pairs)
    if form == "plain":
        return entries
    outcomes = packed_size(entries) // _OUTCOMES_PACK
    if not plies:
        return outcomes
    layers: Counter[int] = Counter()
    for pair in pairs:
        layers[sum(pair)] += entry_count(rules, *pair)
    kept = max(layers.values(), default=0) // _KEPT_PACK if scratch else 0
    return outcomes + entries // _PLIES_PACK + kept


def memory_needed(engine: CpuEngine, pairs: Sequence[PairId], *, in_files: bool) -> int:
    """Bytes of memory to solve these pairs. Unless solved pairs are in files, two layers of them are kept."""
    layers: Counter[int] = Counter()
    if not in_files:
        for a, b in pairs:
            layers[a + b] += engine.kept_size(a, b)
    kept = {marks: layers[marks] + layers[marks + 1] for marks in layers}

    def needed(a: int, b: int) -> int:
        loaded = engine.memory(a, b).inputs if in_files and isinstance(engine, PliesEngine) else 0
        return engine.peak(a, b) + loaded + kept.get(a + b, 0)

    return PROGRAM + max((needed(a, b) for a, b in pairs), default=0)


def _seconds(rules: Quixo, pairs: Sequence[PairId], form: Form, plies: bool, threads: int | None) -> float:
    """How long it takes to solve these pairs; 0 if an estimate would take longer than that."""
    if rules.cells <= QUICK_CELLS:
        return 0.0
    with_avx512, with_others = _RATIO[form, plies]
    ratio = with_avx512 if Solver(Quixo(2).native, 1).lanes == "avx512" else with_others
    ratio = math.pow(ratio, (rules.cells - 16) / (25 - 16))
    every = list(pairs_of(rules))
    usual = _weighted(rules, every, plies) / sum(entry_count(rules, *pair) for pair in every)
    # On a large board all threads are busy; 4×4 is too small for many.
    cpu_seconds = _weighted(rules, pairs, plies) / usual * ratio * _seconds_per_entry(plies)
    return cpu_seconds / thread_count(threads)


def _weighted(rules: Quixo, pairs: Sequence[PairId], plies: bool) -> float:
    """The entries of pairs, each weighted by what it takes."""
    return sum(entry_count(rules, *pair) * weight(rules, pair, plies=plies) for pair in pairs)


@lru_cache
def _seconds_per_entry(plies: bool) -> float:
    """The CPU time of an entry of 4×4 on one thread of this machine, which is solved to find out.

    The best of some runs: the first one also waits for memory, and others may disturb any.
    """
    rules = Quixo(4)
    engine = (PliesEngine if plies else OutcomesEngine)(rules, threads=1)

    def run() -> float:
        began = time.process_time()
        solve_pairs(rules, engine, NoStore())
        return time.process_time() - began

    return min(run() for _ in range(3)) / sum(entry_count(rules, *pair) for pair in pairs_of(rules))
