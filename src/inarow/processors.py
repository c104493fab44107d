"""How many threads to use."""

from __future__ import annotations

import os

from inarow.errors import InarowError

MOST_THREADS = 1024  # more would take memory and give nothing


def thread_count(asked: int | None) -> int:
    """The number of threads asked for, or of the processors that this program may use."""
    if asked is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not 1 <= asked <= MOST_THREADS:
        raise InarowError(f"threads must be 1 to {MOST_THREADS:,}, not {asked:,}")
    return asked
