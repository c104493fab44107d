"""Solves several pairs at a time, where there is memory for that.

The phases of one pair follow each other, and at the end of each most processors have nothing left to do. With
other pairs beside it they have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from inarow._native.quixo import Stop
from inarow.quixo.solver.engines.engine import Solved
from inarow.quixo.table.pairs import PairId

_THREADS_OF_A_PAIR = 4  # that it keeps busy by itself, most of the time


@dataclass(frozen=True, slots=True)
class _Begun:
    pair: PairId
    solving: Future[Solved]


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
    left, begun = deque(pairs), deque[_Begun]()

    def taken() -> int:
        """Bytes of the pairs beside the first."""
        return sum(
            its.solving.result().memory if its.solving.done() else peak(*its.pair) for its in list(begun)[1:]
        )

    with ThreadPoolExecutor(most, "inarow-pair") as pool:
        try:
            while left or begun:
                while True:
                    running = [its.solving for its in begun if not its.solving.done()]
                    while left and len(running) < most and (not begun or taken() + peak(*left[0]) <= room):
                        pair = left.popleft()
                        running.append(pool.submit(solve, pair, stop))
                        begun.append(_Begun(pair, running[-1]))
                    if begun[0].solving.done():
                        break
                    wait(running, return_when=FIRST_COMPLETED)
                solved = begun.popleft().solving.result()
                del running
                yield solved
                del solved  # so that nothing is kept that the caller does not keep
        finally:
            stop.ask()
