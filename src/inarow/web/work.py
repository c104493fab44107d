"""Who has sent a request, and work that takes too long for the event loop, done in a few threads."""

from __future__ import annotations

import asyncio
from asyncio import Future, get_running_loop, timeout_at
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import ParamSpec, TypeVar

from starlette.types import Receive, Scope

from inarow.stopping import Stop
from inarow.web.replies import Busy

LONGEST = 60.0  # seconds that a request may take: twenty searches, and some patience


class Caller:
    """The sender of a request."""

    def __init__(self, name: str = "", receive: Receive | None = None) -> None:
        self.name = name
        self._receive = receive
        self._deadline = get_running_loop().time() + LONGEST

    async def leaves(self) -> bool:
        """Returns when there is nobody left to answer: True if the caller has gone, False if time is up."""
        try:
            async with timeout_at(self._deadline):
                if self._receive is None:
                    await Future()
                else:
                    while (await self._receive())["type"] != "http.disconnect":
                        pass
        except TimeoutError:
            return False
        return True


_current: ContextVar[Caller] = ContextVar("_current")


@contextmanager
def calling(scope: Scope, receive: Receive) -> Iterator[None]:
    """Makes the sender of a request the current caller."""
    before = _current.set(Caller(client_name(scope["client"]), receive))
    try:
        yield
    finally:
        _current.reset(before)


def current_caller() -> Caller:
    """The sender of the request that is being answered; somebody without a name where there is none."""
    return _current.get(None) or Caller()


def client_name(address: tuple[str, int] | None) -> str:
    """What stands for a client in queues and limits: its address, or its network of IPv6."""
    try:
        found = ip_address(address[0]) if address else None
    except ValueError:
        found = None
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return str(found or "")


Item = TypeVar("Item")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

THREADS = 2
QUEUE = 64
_SLICE = 0.1  # seconds of a batch, after which it is somebody else's turn


class Work:
    """A few threads and a bounded queue, in which callers take turns.

    One caller may fill a quarter of the queue. Work whose caller has gone, or that takes too long, leaves
    the queue, or is stopped.
    """

    def __init__(self, threads: int = THREADS, queue: int = QUEUE) -> None:
        self._pool = ThreadPoolExecutor(threads, "inarow-work")
        self._free = threads
        self._places = queue
        self._places_each = max(1, queue // 4)
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}  # of each caller, in order of their turns

    async def run(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """The function's result; `Busy` if the queue is full or it takes too long."""
        caller, stop = current_caller(), Stop()

        def run() -> Result:
            with stop:
                return function(*args, **kwargs)

        async def take_turn() -> Result:
            await self._turn(caller.name)
            # Ends with the function, even if nobody waits for it any more.
            running = asyncio.get_running_loop().run_in_executor(self._pool, run)
            running.add_done_callback(lambda _: self._pass_on())
            return await asyncio.shield(running)

        result = asyncio.create_task(take_turn())
        leaving = asyncio.create_task(caller.leaves())
        try:
            await asyncio.wait((result, leaving), return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            gone = await leaving
            raise Busy("the caller has gone" if gone else f"this takes longer than {LONGEST:g} seconds")
        finally:
            leaving.cancel()
            if not result.done():
                stop.stop()
                result.cancel()

    async def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """The function's results for all items, in as many turns as that takes."""

        def some(items: Sequence[Item]) -> list[Result]:
            until = monotonic() + _SLICE
            found = []
            for item in items:
                found.append(function(item))
                if monotonic() > until:
                    break
            return found

        results: list[Result] = []
        while len(results) < len(items):
            results += await self.run(some, items[len(results) :])
        return results

    async def _turn(self, caller: str) -> None:
        """Returns when a thread is free for this caller."""
        if self._free:
            self._free -= 1
            return
        waiting = sum(map(len, self._queues.values()))
        if waiting >= self._places:
            raise Busy(f"{waiting} requests are waiting; try again in a moment")
        mine = self._queues.get(caller, ())
        if len(mine) >= self._places_each:
            raise Busy(f"{len(mine)} of your requests are waiting; try again in a moment")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had just been given a thread
                self._pass_on()
            elif turn in (queue := self._queues.get(caller, deque())):
                queue.remove(turn)
                if not queue:
                    del self._queues[caller]
            raise

    def _pass_on(self) -> None:
        """Gives a thread to the next caller."""
        while self._queues:
            caller, queue = next(iter(self._queues.items()))
            del self._queues[caller]
            turn = queue.popleft()
            if queue:  # behind the others
                self._queues[caller] = queue
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
