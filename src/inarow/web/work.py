"""Work that takes too long for the event loop: done in a few threads, which leave the loop free."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from inarow.web.replies import Busy

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

THREADS = 2
QUEUE = 64


class Work:
    """A few threads and a bounded queue."""

    def __init__(self, threads: int = THREADS, queue: int = QUEUE) -> None:
        self._threads = threads
        self._most = threads + queue
        self._accepted = 0
        self._limiter: CapacityLimiter | None = None

    async def run(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """The function's result; `Busy` at once if the queue is full."""
        if self._accepted >= self._most:
            raise Busy(f"{self._accepted} requests are waiting; try again in a moment")
        if self._limiter is None:  # it belongs to the event loop, which did not exist before
            self._limiter = CapacityLimiter(self._threads)
        self._accepted += 1
        try:
            return await to_thread.run_sync(lambda: function(*args, **kwargs), limiter=self._limiter)
        finally:
            self._accepted -= 1
