"""The explorer on a port of its own, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from inarow.web.server import listen, make_server


@contextmanager
def running(app: FastAPI) -> Iterator[tuple[str, int]]:
    """The address and port of a server of this application."""
    with listen("127.0.0.1", 0) as listener:
        # Otherwise the system would take large answers off the server's hands.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()
