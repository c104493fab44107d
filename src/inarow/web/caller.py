"""Who has sent the request that is being answered, whether they still wait, and how long we may take."""

from __future__ import annotations

from asyncio import Future, get_running_loop, timeout_at
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address

from starlette.types import Receive, Scope

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
