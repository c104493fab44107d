"""Runs the explorer on a socket, with limits on connections: on their number, in all and of each client, and
on the time that clients take.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import sys
from collections import Counter
from collections.abc import Iterable
from time import monotonic
from typing import Literal

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from inarow.web.work import client_name

if sys.platform != "win32":
    import resource

MOST = 1000
MOST_EACH = 64  # of one client; a browser opens six
ACCEPTED_AT_ONCE = 32  # in one turn of asyncio's loop
_TURNS = 4  # from accepting a connection to closing the one that makes room for it
_OTHER_FILES = 128  # tables, threads, the standard streams

Doing = Literal["waiting", "asking", "working", "answering"]

# Seconds. What we take to answer has a limit of its own.
_KEEP_ALIVE = 20  # for all the headers of a request, from the beginning or from the last answer
PATIENCE: dict[Doing, float] = {
    "waiting": _KEEP_ALIVE,
    "asking": 20,  # with the body of a request
    "answering": 60,  # until the client has taken the answer
}
_CHECKED_EVERY = 1.0

_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)


class LimitedConnection(H11Protocol):
    """HTTP/1.1, closed when the client takes too long.

    Where there are too many, the one that has waited longest without a request makes room for a new one: of
    the client itself if it has too many, else of the client that has most. If none waits, the new one is
    refused.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.client_name = client_name(self.client)
        self._seen: tuple[Doing, object] = ("waiting", None)
        self._since = self.loop.time()
        self._timer = self.loop.call_later(_CHECKED_EVERY, self._check)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    @property
    def doing(self) -> Doing:
        if self.cycle is None or self.cycle.response_complete:
            return "answering" if self.transport.get_write_buffer_size() else "waiting"
        if self.cycle.more_body:
            return "asking"
        return "answering" if self.cycle.response_started else "working"

    def drop(self) -> None:
        """Close the connection at once."""
        self.connections.discard(self)
        self.transport.abort()

    def _check(self) -> None:
        seen = (self.doing, self.cycle)
        now = self.loop.time()
        if seen != self._seen:
            self._seen, self._since = seen, now
        if now - self._since > PATIENCE.get(seen[0], math.inf):
            self.drop()
        else:
            self._timer = self.loop.call_later(_CHECKED_EVERY, self._check)

    def _make_room(self) -> None:
        all_connections = [it for it in self.connections if isinstance(it, LimitedConnection)]
        mine = [it for it in all_connections if it.client_name == self.client_name]
        if len(mine) > MOST_EACH:
            crowd = mine
        elif len(all_connections) > most_connections():
            crowd = all_connections
        else:
            return
        oldest = _longest_waiting(it for it in crowd if it is not self)
        if oldest is not None:
            oldest.drop()
        else:
            self.connections.discard(self)
            self.transport.write(_REFUSAL)
            self.transport.close()


def _longest_waiting(connections: Iterable[LimitedConnection]) -> LimitedConnection | None:
    waiting = [it for it in connections if it.doing == "waiting"]
    count = Counter(it.client_name for it in waiting)
    return min(waiting, key=lambda it: (-count[it.client_name], it._since), default=None)


def most_connections() -> int:
    """How many connections there may be, so that files remain for everything else."""
    if sys.platform == "win32":  # a socket is no file there
        return MOST
    else:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            return MOST
        return max(1, min(MOST, files - _TURNS * ACCEPTED_AT_ONCE - _OTHER_FILES))


_QUEUE = 512  # connections that wait to be accepted
_GOODBYE = 5  # seconds for answers that are under way when the server is stopped


def make_server(app: FastAPI) -> uvicorn.Server:
    """A server whose `run` takes listening sockets."""
    limit = LimitedLog()
    for name in ("uvicorn.error", "asyncio", "inarow.web"):
        logger = logging.getLogger(name)
        if not any(isinstance(it, LimitedLog) for it in logger.filters):
            logger.addFilter(limit)
    config = uvicorn.Config(
        app,
        http=LimitedConnection,
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GOODBYE,
    )
    return uvicorn.Server(config)


class _Listener(socket.socket):
    """Lets more connections wait than asyncio accepts at once, for which asyncio has one number."""

    def listen(self, backlog: int = _QUEUE, /) -> None:
        super().listen(max(backlog, _QUEUE))


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; one in use is refused at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns off Nagle's algorithm, which would delay small answers.
    listener = _Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let two programs listen at once
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        error.filename = f"{host}:{port}"
        raise
    return listener


class LimitedLog(logging.Filter):
    """Lets some records pass in each stretch of time, and says how many it has left out."""

    def __init__(self, most: int = 20, seconds: float = 60) -> None:
        super().__init__()
        self._most, self._seconds = most, seconds
        self._begun = monotonic()
        self._passed = self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if monotonic() - self._begun > self._seconds:
            if self._left_out:
                record.msg = f"{record.msg} ({self._left_out} lines were left out before this one)"
            self._begun, self._passed, self._left_out = monotonic(), 0, 0
        if self._passed >= self._most:
            self._left_out += 1
            return False
        self._passed += 1
        return True
