"""The parts of a search settled by the workers of a Dask cluster; needs ``inarow[dask]``.

A worker that is lost costs the parts it was at: the scheduler hands them to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from inarow.cluster import connect
from inarow.positional.rules import Game

if TYPE_CHECKING:
    from types import TracebackType

    from inarow.positional.search.small_boards import Local, Searching, Task

__all__ = ["Cluster"]

_AHEAD = 2  # tasks for each thread of the workers, so that none waits


class Cluster:
    """The workers of the scheduler at an address, as those of `inarow.positional.search.small_boards.prove`."""

    def __init__(self, game: Game, memory: int, state: Searching, address: str) -> None:
        self._client = connect(address)
        self._game = game
        self._memory = memory
        self._state = state

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]:
        from distributed import as_completed

        rest = iter(tasks)
        completed: Any = as_completed  # has no types
        done = completed(loop=self._client.loop)
        waiting: dict[Any, Task] = {}

        def hand_out() -> None:
            while len(waiting) < max(1, _AHEAD * sum(self._client.nthreads().values())):
                task = next(rest, None)
                if task is None:
                    return
                future = self._client.submit(_settle, self._game, self._memory, task, pure=False)
                waiting[future] = task
                done.add(future)

        try:
            hand_out()
            while waiting:
                future = next(done)
                task = waiting.pop(future)
                won, nodes = future.result()
                self._state.nodes += nodes
                yield task, won, nodes
                hand_out()
        finally:
            self._client.cancel(list(waiting))


# --- What a worker does ---

_ONE_AT_A_TIME = Lock()  # a worker may have several threads, and they share what was found


def _settle(game: Game, memory: int, task: Task) -> tuple[bool | None, int]:
    with _ONE_AT_A_TIME:
        ((_, won, nodes),) = _local(game, memory)([task])
    return won, nodes


@lru_cache(maxsize=1)
def _local(game: Game, memory: int) -> Local:
    from inarow.positional.search.small_boards import Local, Searching

    return Local(game, memory, Searching(), None)
