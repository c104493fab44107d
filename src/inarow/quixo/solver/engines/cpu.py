"""The two engines of the CPU: with plies, and for outcomes alone. The C++ core does the work."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, cast

from inarow._native.quixo import OutcomeSolver, Solver, Stop
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.side_by_side import pairs_at_once, side_by_side
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import NARROW_PLIES, Entries, narrowed, packed_size
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, pairs_above
from inarow.quixo.table.store import Outcomes, PackedPlanes, StoredPair

WIDE_PLIES = 16382  # the most plies that an entry of two bytes holds while its pair is being solved

_TOGETHER = 1 << 28  # bytes for pairs that are solved side by side
_PIECE = 1 << 20  # entries that are narrowed at a time


@dataclass(frozen=True, slots=True)
class PairMemory:
    """Bytes that solving one pair takes at its peak."""

    entries: int  # of the pair itself
    workspace: int
    moves: int
    layout: int  # the same for all pairs
    inputs: int  # of the pairs above

    @property
    def own(self) -> int:
        """All but the inputs."""
        return self.entries + self.workspace + self.moves + self.layout


class PliesEngine:
    """Finds values and plies. Keeps entries as arrays in memory."""

    name = ""
    pairs_at_once = 1

    def __init__(self, rules: Quixo, threads: int | None = None, lanes: str = "auto") -> None:
        self._rules = rules
        self._solver = Solver(rules.native, thread_count(threads), lanes)
        self._one_at_a_time = Lock()

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, Entries], room: int = 0
    ) -> Generator[Solved]:
        """Solve small pairs together, and large ones one by one when they are asked for."""
        for group in self._groups(pairs):
            with self._one_at_a_time:
                solved = self._solve(group, above)
            for pair in group:
                yield solved.pop(pair)  # so that nothing is kept that the caller does not keep

    def load(self, stored: StoredPair) -> Entries:
        return cast("Entries", stored.open())

    def content(self, kept: Entries) -> Entries:
        return kept

    def timing(self) -> Mapping[str, float]:
        return {}

    def memory(self, a: int, b: int, width: int = 2) -> PairMemory:
        """What solving a pair takes with entries of `width` bytes, also in the pairs above."""
        inputs = sum(entry_count(self._rules, *pair) for pair in pairs_above(self._rules, a, b))
        return PairMemory(*self._solver.memory(a, b, width), inputs=inputs * width)

    def peak(self, a: int, b: int) -> int:
        """Bytes of memory that solving a pair takes at most, apart from the pairs it looks into."""
        return self.memory(a, b).own

    def kept_size(self, a: int, b: int) -> int:
        """Bytes that a solved pair takes, unless it has very many plies."""
        return entry_count(self._rules, a, b)

    def _solve(self, pairs: list[PairId], above: Mapping[PairId, Entries]) -> dict[PairId, Solved]:
        """Solve pairs together, with one byte for each entry where that is enough."""
        more = {pair: [above[larger] for larger in pairs_above(self._rules, *pair)] for pair in pairs}
        narrow = [pair for pair in pairs if all(entries.itemsize == 1 for entries in more[pair])]
        results: dict[PairId, Solved] = {}
        tasks = [_task(*pair, more[pair]) for pair in narrow]
        for pair, found in zip(narrow, self._solver.solve_narrow(tasks), strict=True):
            if found:
                results[pair] = _solved(found[0], class_counts(*pair, found[1]))
        wide = [pair for pair in pairs if pair not in results]
        tasks = [_task(*pair, more[pair]) for pair in wide]
        for (a, b), wider in zip(wide, self._solver.solve_wide(tasks), strict=True):
            if not wider:
                raise OverflowError(f"pair {{{a}, {b}}} takes more than {WIDE_PLIES} plies")
            classes = class_counts(a, b, wider[1])
            results[a, b] = _solved(_narrowed_in_place(wider[0], classes), classes)
        return results

    def _groups(self, pairs: Sequence[PairId]) -> Iterator[list[PairId]]:
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


class OutcomesEngine:
    """Finds values and no plies. Keeps outcomes packed, in memory or in the files of a compact table."""

    name = ""

    def __init__(self, rules: Quixo, threads: int | None = None, lanes: str = "auto") -> None:
        self._rules = rules
        self._threads = thread_count(threads)
        self.pairs_at_once = pairs_at_once(self._threads)
        self._solver = OutcomeSolver(rules.native, self._threads, lanes)

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, Outcomes], room: int = 0
    ) -> Generator[Solved]:
        def solve(pair: PairId, stop: Stop) -> Solved:
            larger = pairs_above(self._rules, *pair)
            # A new mark of the larger side is seen by the smaller one, in plane 1.
            planes = [above[pair].plane(n, self._threads) for pair, n in zip(larger, (1, 0), strict=False)]
            solved, counts = self._solver.solve(*_task(*pair, planes), stop)
            classes = tuple(
                ClassCounts.of_outcomes(*marks, *found)
                for marks, found in zip(classes_of(*pair), counts, strict=True)
            )
            return Solved(PackedPlanes(solved), classes, sum(plane.nbytes for plane in solved))

        return side_by_side(pairs, solve, self.peak, room, self.pairs_at_once)

    def load(self, stored: StoredPair) -> Outcomes:
        return cast("Outcomes", stored.open())

    def content(self, kept: Outcomes) -> Outcomes:
        return kept

    def timing(self) -> Mapping[str, float]:
        return {}

    def peak(self, a: int, b: int) -> int:
        """Bytes of memory that solving a pair takes at most, with the planes it looks into."""
        above = pairs_above(self._rules, a, b)
        inputs = sum(self.kept_size(*pair) // len(classes_of(*pair)) for pair in above)
        layout = 4 << self._rules.cells
        return layout + self._solver.memory(a, b) + self.kept_size(a, b) + inputs

    def kept_size(self, a: int, b: int) -> int:
        """Bytes that a solved pair takes."""
        planes = len(classes_of(a, b))
        return planes * packed_size(entry_count(self._rules, a, b) // planes)


CpuEngine = PliesEngine | OutcomesEngine


@lru_cache(maxsize=1)
def cpu_engine(rules: Quixo, plies: bool, threads: int | None = None, lanes: str = "auto") -> CpuEngine:
    """An engine of the CPU, which threads may share. The last one is kept: its layout takes a second on 5×5.

    `lanes` are the instructions to use: "portable", "avx512", or "auto" for the best of this machine.
    """
    return (PliesEngine if plies else OutcomesEngine)(rules, threads, lanes)


def _task(a: int, b: int, more: Sequence[Any]) -> tuple[int, int, Any, Any]:
    """A pair as the core takes it, with what it looks into of {a+1, b} and {a, b+1}, or None."""
    larger, smaller = (*more, None, None)[:2]
    return a, b, larger, smaller


def _solved(entries: Entries, classes: tuple[ClassCounts, ...]) -> Solved:
    return Solved(entries, classes, entries.nbytes)


def _narrowed_in_place(entries: Entries, classes: tuple[ClassCounts, ...]) -> Entries:
    """`narrowed`, in the same memory: there may be no room for a copy."""
    if any((counts.max_plies or 0) > NARROW_PLIES for counts in classes):
        return entries
    narrow = entries.view("u1")[: entries.size]
    for first in range(0, entries.size, _PIECE):
        narrow[first : first + _PIECE] = narrowed(entries[first : first + _PIECE])
    return narrow
