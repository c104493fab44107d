"""Lets one process at a time write to a folder."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inarow.errors import InarowError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_NAME = ".inarow-lock"  # the file; it is there while the folder is in use, or after a run that was killed

_BEYOND = 1 << 20


class FolderInUse(InarowError):
    """Another process, or another thread, writes to a folder."""

    exit_code = 5


@contextmanager
def locked(folder: Path, work: str) -> Iterator[None]:
    """Keep others from writing to a folder; `FolderInUse` says who does if somebody does, and what."""
    path = folder / LOCK_NAME
    descriptor = _lock(path)
    try:
        began = time.strftime("%Y-%m-%d %H:%M:%S")
        holder = f"process {os.getpid()} on {socket.gethostname()} has been {work} since {began}"
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, holder.encode())
        yield
    finally:
        if sys.platform == "win32":  # no file is removed there while it is open
            os.close(descriptor)
        with suppress(OSError):
            path.unlink()
        if sys.platform != "win32":
            os.close(descriptor)


def _lock(path: Path) -> int:
    """The lock's file, open and locked. The system lets go of it when a process ends, however it ends."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        try:
            _take(descriptor)
            # Whoever had it may have removed the file in between: then ours is not the one that others see.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return descriptor
        except BlockingIOError:
            os.lseek(descriptor, 0, os.SEEK_SET)
            holder = os.read(descriptor, 1000).decode(errors="replace") or "another process writes to it"
            os.close(descriptor)
            raise FolderInUse(f"{path.parent} is in use: {holder}") from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _take(descriptor: int) -> None:
    """Lock an open file; `BlockingIOError` if somebody else has."""
    if sys.platform == "win32":
        # What is locked cannot be read there: so a byte is, beyond what says who has it.
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
