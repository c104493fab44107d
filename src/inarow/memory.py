"""Refuses what would not fit into memory, before it starts."""

from __future__ import annotations

import ctypes
import os
import sys

from inarow.errors import InarowError
from inarow.words import size_text

PROGRAM = 200 << 20  # bytes that the program itself takes


def require_memory(needed: int, budget: int | None, *, here: bool = True, advice: str = "") -> None:
    """Refuse what takes more bytes of memory than the budget, or, if done `here`, than this machine has.

    `advice` completes the message.
    """
    if budget is not None and needed > budget:
        raise InarowError(
            f"this takes up to {size_text(needed)} of memory; --memory allows {size_text(budget)}"
        )
    found = physical_memory() if here else None
    if found is not None and needed > found:
        raise InarowError(
            f"this takes {size_text(needed)} of memory, and this machine has {size_text(found)}{advice}"
        )


def physical_memory() -> int | None:
    """Bytes of this machine's memory, where the system says."""
    if sys.platform == "win32":
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        found = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.total) if found else None
    else:
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError):
            return None


class _MemoryStatus(ctypes.Structure):
    """What Windows says about memory."""

    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("others", ctypes.c_ulonglong * 6),
    )
