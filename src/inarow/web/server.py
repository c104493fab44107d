"""Runs the explorer on a socket."""

from __future__ import annotations

import logging
import socket
import sys
from time import monotonic

import uvicorn
from fastapi import FastAPI

from inarow.web.connections import ACCEPTED_AT_ONCE, PATIENCE, LimitedConnection

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
        timeout_keep_alive=int(PATIENCE["waiting"]),
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
