"""The workers of a Dask cluster; needs ``inarow[dask]``.

A worker that is lost costs the task it was at: the scheduler hands it to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from inarow.errors import InarowError

_PATIENCE = 10  # seconds, to find the scheduler

Task = TypeVar("Task")
Result = TypeVar("Result")


def connect(address: str) -> Any:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise InarowError("a cluster needs Dask: pip install 'inarow[dask]'") from None
    try:
        client: Any = Client  # has no types
        return client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InarowError(f"no Dask scheduler at {address}: {error}") from None


class Cluster:
    """Does tasks that do not depend on each other."""

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        self._futures: list[Any] = []

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The results in the order of the tasks."""
        self._futures = [self._client.submit(work, task, pure=False) for task in tasks]
        return (future.result() for future in self._futures)

    def close(self) -> None:
        self._client.cancel(self._futures)  # those of the last tasks, if it ends early
        self._client.close()
