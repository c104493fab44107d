"""Threads for work that waits for others: nobody waits for them when the program ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_daemon_threads(
    work: Callable[[T], R], tasks: Sequence[T], threads: int
) -> Iterator[tuple[T, R | BaseException]]:
    """Each task with its result or its error, as they come; tasks are begun in their order.

    Unlike those of a pool, these threads end with the program: Ctrl-C does not wait for a server that stalls.
    """
    waiting: SimpleQueue[T] = SimpleQueue()
    done: SimpleQueue[tuple[T, R | BaseException]] = SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def run() -> None:
        with suppress(Empty):
            while True:
                task = waiting.get_nowait()
                try:
                    done.put((task, work(task)))
                except BaseException as error:
                    done.put((task, error))

    for _ in range(min(len(tasks), threads)):
        threading.Thread(target=run, daemon=True).start()
    try:
        for _ in tasks:
            yield done.get()
    finally:  # whoever stops listening wants no more of them
        with suppress(Empty):
            while True:
                waiting.get_nowait()
