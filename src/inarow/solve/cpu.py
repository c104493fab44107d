"""Layers of pairs solved on the CPU, by the C++ core."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from inarow._core import Solver
from inarow.errors import InarowError
from inarow.games.quixo import Quixo
from inarow.solve.engine import PairId, Solved, class_counts
from inarow.tables.entries import Entries, narrowed, widened

MAX_SIZE = 4


class CpuEngine:
    """Solves a layer on some threads; keeps entries where they are, in memory."""

    name = ""

    def __init__(self, rules: Quixo, threads: int | None = None, lanes: str = "auto") -> None:
        if rules.size > MAX_SIZE:
            raise InarowError(
                f"on a CPU, boards up to {MAX_SIZE}×{MAX_SIZE} can be solved; "
                f"{rules.size}×{rules.size} needs a GPU (--device cuda)"
            )
        if threads is None:
            threads = (
                len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            )
        if threads < 1:
            raise InarowError(f"threads must be at least 1, not {threads}")
        self._solver = Solver(rules.size, rules.line, rules.double_line == "wins", threads, lanes)

    def entries(self, a: int, b: int) -> int:
        return self._solver.entries(a, b)

    def load(self, entries: Entries) -> Entries:
        return entries

    def host(self, kept: Entries) -> Entries:
        return kept

    def timing(self) -> Mapping[str, float]:
        return {}

    def solve_layer(self, pairs: list[PairId], above: dict[PairId, Entries]) -> Iterator[Solved]:
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
        tasks = [(*pair, *(None if e is None else widened(e) for e in more[pair])) for pair in wide]
        for (a, b), wider in zip(wide, self._solver.solve_wide(tasks), strict=True):
            if not wider:
                raise OverflowError(f"pair {{{a}, {b}}} takes more than 32766 plies")
            results[a, b] = Solved(narrowed(wider[0]), class_counts(a, b, wider[1]))
        return (results[pair] for pair in pairs)
