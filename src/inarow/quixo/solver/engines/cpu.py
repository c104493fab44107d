"""The engine of the CPU. The C++ core does the work, in bitmaps or entry by entry, whichever is faster.

Where there is memory for it, several pairs are solved at a time. The phases of one follow each other, and at
the end of each most processors have nothing left to do; with other pairs beside it they have.

A pair is kept as planes of outcomes and, with plies, of one or two bytes for each entry. Of large boards only
the planes that are being looked into are in memory; what the table leaves out is in `Scratch`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache, partial

from inarow._native.quixo import Solver, Stop
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Engine, Solved, class_counts
from inarow.quixo.solver.engines.scratch import Scratch
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Plane, packed_size
from inarow.quixo.table.files import Content, Restorer
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, plane_above
from inarow.quixo.table.store import StoredPair

_SMALL = 600  # entries of a block: with fewer, a pair is solved entry by entry
_THREADS_OF_A_PAIR = 4  # that it keeps busy by itself, most of the time


@dataclass(frozen=True, slots=True)
class _Kept:
    """A solved pair: its planes, or where to find them."""

    a: int
    b: int
    planes: tuple[Plane, ...] | None
    stored: StoredPair | None = None


class CpuEngine(Engine):
    """Finds values, and plies if they are asked for."""

    def __init__(
        self,
        rules: Quixo,
        plies: bool = True,
        threads: int | None = None,
        lanes: str = "auto",
        scratch: Scratch | None = None,
        *,
        small: int = _SMALL,
    ) -> None:
        """`scratch` is for the plies of wins that a table leaves out; without it they are found again.

        `lanes` are the instructions to use: "portable", "avx512", or "auto" for the best of this machine.
        """
        self._rules = rules
        self._plies = plies
        self._threads = thread_count(threads)
        self.pairs_at_once = pairs_at_once(self._threads)
        self._solver = _solver(rules, self._threads, lanes, small)
        self._scratch = scratch

    @property
    def lanes(self) -> str:
        """The instructions in use."""
        return self._solver.lanes

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, _Kept], room: int = 0
    ) -> Generator[Solved]:
        return side_by_side(pairs, partial(self._solve, above), self.peak, room, self.pairs_at_once)

    def load(self, stored: StoredPair) -> _Kept:
        return _Kept(*stored.record.pair, None, stored)

    def content(self, kept: _Kept) -> Content:
        assert kept.planes is not None
        return Content.of(kept.planes)

    def peak(self, a: int, b: int) -> int:
        """Bytes of memory that solving a pair takes at most, with the planes it looks into."""
        sides = (0, 1) if a > b else (0,)
        above = [found for side in sides if (found := plane_above(self._rules, a, b, side))]
        inputs = [self._plane_size(*pair) for pair, _ in above]
        # Only one of the planes is in memory at a time.
        memory = self._solver.memory(a, b, self._plies)
        return (4 << self._rules.cells) + memory + self.kept_size(a, b) + max(inputs, default=0)

    def kept_size(self, a: int, b: int) -> int:
        """Bytes that a solved pair takes, unless it has very many plies."""
        return len(classes_of(a, b)) * self._plane_size(a, b)

    def _plane_size(self, a: int, b: int) -> int:
        entries = entry_count(self._rules, a, b) // len(classes_of(a, b))
        return packed_size(entries) + (entries if self._plies else 0)

    def _solve(self, above: Mapping[PairId, _Kept], pair: PairId, stop: Stop) -> Solved:
        a, b = pair

        def plane_of(side: int) -> Plane:
            found = plane_above(self._rules, a, b, side)
            assert found
            return self._plane(above[found[0]], found[1])

        try:
            solved = self._solver.solve(a, b, self._plies, plane_of, stop)
        except OverflowError:
            raise OverflowError(f"pair {{{a}, {b}}} takes more plies than can be held") from None
        planes = tuple(Plane(outcomes, plies) for outcomes, plies, _ in solved)
        counts = [histogram for _, _, histogram in solved]
        if self._plies:
            classes = class_counts(a, b, counts)
        else:
            classes = tuple(
                ClassCounts.of_outcomes(*marks, int(win), int(loss), int(draw))
                for marks, (loss, draw, win) in zip(classes_of(a, b), counts, strict=True)
            )
        kept = _Kept(a, b, planes)
        memory = sum(plane.nbytes for plane in planes)
        return Solved(kept, classes, memory, partial(self._put_aside, kept))

    def _put_aside(self, kept: _Kept) -> None:
        if self._scratch and self._plies and kept.planes is not None:
            self._scratch.save(kept.a, kept.b, kept.planes)
            self._scratch.tidy()

    def _plane(self, kept: _Kept, number: int) -> Plane:
        if kept.planes is not None:
            return kept.planes[number]
        assert kept.stored is not None
        if not self._plies:
            outcomes = kept.stored.files.open(kept.stored.record).plane(number, self._threads)
            return Plane(outcomes, None)
        found = self._scratch.load(kept.a, kept.b, number) if self._scratch else None
        if found is not None:
            return found
        restorer = Restorer(str(kept.stored.files.folder), self._rules, self._threads)
        return restorer.plane(kept.a, kept.b, number, kept.stored.plane)


@lru_cache(maxsize=1)
def _solver(rules: Quixo, threads: int, lanes: str, small: int) -> Solver:
    """Threads may share it. The last one is kept: its layout takes a second on 5×5."""
    return Solver(rules.native, threads, lanes, small)


# --- Pairs side by side ---


def pairs_at_once(threads: int) -> int:
    """How many pairs keep so many threads busy."""
    return max(1, threads // _THREADS_OF_A_PAIR)


def side_by_side(
    pairs: Sequence[PairId],
    solve: Callable[[PairId, Stop], Solved],
    peak: Callable[[int, int], int],
    room: int,
    most: int,
) -> Generator[Solved]:
    """Solve pairs, at most so many at a time, and yield them in their order.

    One is begun when it is asked for. Others are begun before if their memory at the peak, and that of those
    which are solved and not asked for yet, fits into `room`. Closing the iterator stops what is being solved.
    """
    if most == 1 or room == 0:
        for pair in pairs:  # on the thread that gets Ctrl-C
            yield solve(pair, Stop())
        return
    stop = Stop()
    left, begun = deque(pairs), deque[tuple[PairId, Future[Solved]]]()

    def taken() -> int:
        """Bytes of the pairs beside the first."""
        return sum(
            solving.result().memory if solving.done() else peak(*pair) for pair, solving in list(begun)[1:]
        )

    with ThreadPoolExecutor(most, "inarow-pair") as pool:
        try:
            while left or begun:
                running = [solving for _, solving in begun if not solving.done()]
                while left and len(running) < most and (not begun or taken() + peak(*left[0]) <= room):
                    running.append(pool.submit(solve, left[0], stop))
                    begun.append((left.popleft(), running[-1]))
                if not begun[0][1].done():
                    wait(running, return_when=FIRST_COMPLETED)
                    continue
                solved = begun.popleft()[1].result()
                del running
                yield solved
                del solved  # so that nothing is kept that the caller does not keep
        finally:
            stop.ask()
