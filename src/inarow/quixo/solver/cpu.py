"""Layers of pairs solved on the CPU, by the C++ core."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from inarow._native.quixo import OutcomeSolver, Solver
from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engine import PairId, Solved, class_counts
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries, narrowed

QUICK_CELLS = 16  # boards of up to so many cells are solved in a second, when first needed

NARROW_PLIES = 126  # an entry of one byte holds no more
WIDE_PLIES = 16382  # nor one of two bytes, as long as its pair is being solved

_TOGETHER = 1 << 28  # bytes for pairs that are solved side by side
_PIECE = 1 << 20  # entries that are narrowed at a time


@dataclass(frozen=True, slots=True)
class PairMemory:
    """Bytes that solving one pair takes at its peak."""

    entries: int  # of the pair itself
    workspace: int
    moves: int
    layout: int  # the same for all pairs
    inputs: int  # of the pairs that it looks into; memory-mapped ones can be read again when memory is short

    @property
    def own(self) -> int:
        """What must be there in any case: all but the inputs."""
        return self.entries + self.workspace + self.moves + self.layout


class CpuEngine:
    """Solves a layer on some threads; keeps entries where they are, in memory or in files mapped there."""

    name = ""

    def __init__(self, rules: Quixo, threads: int | None = None, lanes: str = "auto") -> None:
        self._cells = rules.cells
        self._solver = Solver(rules.native, thread_count(threads), lanes)

    def entries(self, a: int, b: int) -> int:
        return self._solver.entries(a, b)

    def memory(self, a: int, b: int, width: int = 2) -> PairMemory:
        """What solving a pair takes with entries of `width` bytes, there and in the pairs it looks into."""
        # Of {a+1, b} one plane is looked into, and so of {a, b+1}.
        inputs = 0
        if a + b < self._cells:
            inputs += self.entries(a + 1, b) // 2
            if a > b:
                inputs += self.entries(a, b + 1) // (1 if a == b + 1 else 2)
        return PairMemory(*self._solver.memory(a, b, width), inputs=inputs * width)

    def require_memory(self, pairs: list[PairId], in_files: bool) -> None:
        """Refuse what cannot be solved here. Unless finished pairs are in files, two layers are in memory."""
        layers: Counter[int] = Counter()
        for a, b in pairs:
            layers[a + b] += self.entries(a, b)
        needed = max(self.memory(a, b, width=1).own for a, b in pairs)
        if not in_files:
            needed = max(needed, *(layers[marks] + layers[marks + 1] for marks in layers))
        found = _physical_memory()
        if found is not None and needed > found:
            advice = "" if in_files else "; written to a table (--out), it takes less"
            raise InarowError(
                f"solving this takes {needed / 1e9:.1f} GB of memory at least, and this machine has "
                f"{found / 1e9:.1f} GB{advice}. A GPU can do it too (--device cuda)"
            )

    def load(self, entries: Entries) -> Entries:
        return entries

    def host(self, kept: Entries) -> Entries:
        return kept

    def timing(self) -> Mapping[str, float]:
        return {}

    def solve_layer(self, pairs: list[PairId], above: dict[PairId, Entries]) -> Iterator[Solved]:
        """Solve small pairs together, and large ones one by one when their turn comes."""
        for group in self._groups(pairs):
            solved = self._solve(group, above)
            for pair in group:
                yield solved.pop(pair)  # and so keep nothing that the caller does not keep

    def _solve(self, pairs: list[PairId], above: dict[PairId, Entries]) -> dict[PairId, Solved]:
        """Solve pairs together, with one byte an entry where that is enough."""
        more = {
            (a, b): (above.get((a + 1, b)), above.get((a, b + 1)) if a > b else None)
            for a, b in pairs
        }  # fmt: skip
        narrow = [pair for pair in pairs if all(e is None or e.itemsize == 1 for e in more[pair])]
        results: dict[PairId, Solved] = {}
        tasks: list[Any] = [(*pair, *more[pair]) for pair in narrow]
        for (a, b), found in zip(narrow, self._solver.solve_narrow(tasks), strict=True):
            if found:
                results[a, b] = Solved(found[0], class_counts(a, b, found[1]))
        wide = [pair for pair in pairs if pair not in results]
        tasks = [(*pair, *more[pair]) for pair in wide]
        for (a, b), wider in zip(wide, self._solver.solve_wide(tasks), strict=True):
            if not wider:
                raise OverflowError(f"pair {{{a}, {b}}} takes more than {WIDE_PLIES} plies")
            classes = class_counts(a, b, wider[1])
            results[a, b] = Solved(_narrowed_in_place(wider[0], classes), classes)
        return results

    def _groups(self, pairs: list[PairId]) -> Iterator[list[PairId]]:
        """Neighbours whose memory, taken together, is small."""
        group: list[PairId] = []
        taken = 0
        for pair in pairs:
            memory = self.memory(*pair)
            needed = memory.entries + memory.workspace + memory.moves
            if group and taken + needed > _TOGETHER:
                yield group
                group, taken = [], 0
            group.append(pair)
            taken += needed
        if group:
            yield group


def thread_count(asked: int | None) -> int:
    """As many threads as are asked for, or as there are processors that this program may use."""
    if asked is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if asked < 1:
        raise InarowError(f"threads must be at least 1, not {asked}")
    return asked


@lru_cache(maxsize=1)
def outcome_solver(rules: Quixo, threads: int | None, lanes: str) -> OutcomeSolver:
    """What solves pairs for their values alone; made once, as its layout takes a second on 5×5."""
    return OutcomeSolver(rules.native, thread_count(threads), lanes)


def _physical_memory() -> int | None:
    """Bytes of this machine's memory, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _narrowed_in_place(entries: Entries, classes: tuple[ClassCounts, ...]) -> Entries:
    """`narrowed`, in the same memory: there may be no room for a copy."""
    if any((c.max_plies or 0) > NARROW_PLIES for c in classes):
        return entries
    narrow = entries.view("u1")[: entries.size]
    for first in range(0, entries.size, _PIECE):
        narrow[first : first + _PIECE] = narrowed(entries[first : first + _PIECE])
    return narrow
