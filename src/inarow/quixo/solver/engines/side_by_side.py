"""Solves several pairs at a time, where there is memory for that.

The phases of one pair follow each other, and at the end of each most processors have nothing left to do. With
other pairs beside it they have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from inarow._native.quixo import Stop
from inarow.quixo.solver.engines.engine import Solved
from inarow.quixo.table.pairs import PairId

_THREADS_OF_A_PAIR = 4  # that it keeps busy by itself, most of the time


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
