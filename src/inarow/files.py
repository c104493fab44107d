"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

TEMPORARY_PREFIX = ".writing-"


def write_atomically(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write the parts, as they come, to an `atomic_file`."""
    with atomic_file(path) as file:
        file.writelines(parts)


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file beside `path`, which is synced and renamed to `path` at the end of the context.

    After an exception there is nothing new at `path`. A link stays one, and what it leads to is written. A
    device or a pipe is written straight away: a rename would put a file in its place.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    path = path.resolve()
    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)  # mkstemp makes files private
        Path(name).replace(path)
    except BaseException as error:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise
    _sync_folder(path.parent)


def require_writable(path: Path) -> None:
    """Raise the `OSError` that `write_atomically` would, before the work rather than after it.

    Leaves no trace. A disk may still fill up meanwhile.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    if path.exists() and not path.is_file():
        # To open a pipe would wait for its reader, and closing it would end the reader's input.
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "no such folder", str(folder if path.is_symlink() else path.parent)
        )
    with tempfile.TemporaryFile(prefix=TEMPORARY_PREFIX, dir=folder):
        pass


def make_folder(path: Path) -> None:
    """Make a folder unless there is one; `OSError` says what else is there."""
    if path.is_symlink() and not path.exists():
        reason = f"is a link to {path.readlink()}, which does not exist"
        raise FileNotFoundError(errno.ENOENT, reason, str(path))
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", str(path))
    path.mkdir(exist_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed run left half-written."""
    for leftover in folder.glob(f"{TEMPORARY_PREFIX}*"):
        leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
