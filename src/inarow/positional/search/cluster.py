"""The tasks of a search settled by the workers of a Dask cluster; needs ``inarow[dask]``.

If a worker is lost, the scheduler hands its tasks to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from inarow.cluster import connect
from inarow.positional.rules import Game
from inarow.positional.search.tasks import LocalWorker, SearchProgress, Task

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["ClusterWorkers"]

_TASKS_PER_THREAD = 2  # submitted at a time, so that no thread waits for its next task


class ClusterWorkers:
    """The workers of the scheduler at an address."""

    def __init__(self, game: Game, memory: int, state: SearchProgress, address: str) -> None:
        self._client = connect(address)
        self._game = game
        self._memory = memory
        self._state = state

    def __enter__(self) -> ClusterWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]:
        from distributed import as_completed  # optional: `connect` says how to install it

        rest = iter(tasks)
        completed: Any = as_completed  # has no types
        done = completed(loop=self._client.loop)
        waiting: dict[Any, Task] = {}

        def submit() -> None:
            while len(waiting) < max(1, _TASKS_PER_THREAD * sum(self._client.nthreads().values())):
                task = next(rest, None)
                if task is None:
                    return
                future = self._client.submit(_settle, self._game, self._memory, task, pure=False)
                waiting[future] = task
                done.add(future)

        try:
            submit()
            while waiting:
                future = next(done)
                task = waiting.pop(future)
                won, nodes = future.result()
                self._state.nodes += nodes
                yield task, won, nodes
                submit()
        finally:
            self._client.cancel(list(waiting))


# --- On a worker ---

_ONE_AT_A_TIME = Lock()  # the threads of a worker share one search and what it has found


def _settle(game: Game, memory: int, task: Task) -> tuple[bool | None, int]:
    with _ONE_AT_A_TIME:
        ((_, won, nodes),) = _local(game, memory)([task])
    return won, nodes


@lru_cache(maxsize=1)
def _local(game: Game, memory: int) -> LocalWorker:
    return LocalWorker(game, memory, SearchProgress(), None)
