"""Work that takes longer than an answer should: done in threads, few at once, so that others go on."""

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
    """A few threads and a queue that is not let grow."""

    def __init__(self, threads: int = THREADS, queue: int = QUEUE) -> None:
        self._threads = threads
        self._most = threads + queue
        self._asked = 0
        self._limiter: CapacityLimiter | None = None

    async def run(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """The function's result; `Busy` at once if too many wait already."""
        if self._asked >= self._most:
            raise Busy(f"{self._asked} requests are waiting for their turn; try again in a moment")
        if self._limiter is None:  # it belongs to the event loop, which was not there before
            self._limiter = CapacityLimiter(self._threads)
        self._asked += 1
        try:
            return await to_thread.run_sync(lambda: function(*args, **kwargs), limiter=self._limiter)
        finally:
            self._asked -= 1
