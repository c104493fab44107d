"""Lets one thread end the long work of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from inarow.errors import Stopped


class Stop:
    """Ends the work done inside its `with` statement when any thread calls `stop`.

    >>> stop = Stop()
    >>> stop.stop()
    >>> with stop, stoppable(lambda: print("end early")):
    ...     print("never reached")
    Traceback (most recent call last):
    ...
    inarow.errors.Stopped: stopped
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._stopped = False
        self._running: list[Callable[[], None]] = []

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for end in self._running:
                end()

    def __enter__(self) -> None:
        self._outer = _current.set(self)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._outer)

    @contextmanager
    def calling(self, end: Callable[[], None]) -> Iterator[None]:
        with self._lock:
            if self._stopped:
                raise Stopped("stopped")
            self._running.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(end)
        if self._stopped:
            raise Stopped("stopped")


_current: ContextVar[Stop | None] = ContextVar("_current", default=None)


@contextmanager
def stoppable(end: Callable[[], None]) -> Iterator[None]:
    """Work that `end`, called from another thread, ends early: `Stopped` is raised then.

    Outside of a `Stop`, nothing stops it.
    """
    stop = _current.get()
    if stop is None:
        yield
    else:
        with stop.calling(end):
            yield
