"""Files that are written whole or not at all, and read within bounds."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from inarow.errors import DamagedFile

TEMPORARY_PREFIX = ".writing-"
SMALL_FILE = 1 << 24  # bytes: more than a manifest or a list of puzzles needs


def read_file(path: Path, most: int = SMALL_FILE) -> bytes:
    """The content of a file; `DamagedFile` if it has more than `most` bytes, or is a device or a pipe."""
    # Opening a pipe would wait for its writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise DamagedFile(f"{path} is not a regular file")
        content = file.read(most + 1)
    if len(content) > most:
        raise DamagedFile(f"{path} is damaged: it has more than {most:,} bytes")
    return content


def json_object(content: bytes | str, name: str) -> dict[str, Any]:
    """The object in a file called `name`; `DamagedFile` if there is none."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{name} is damaged: {error}") from None
    if not isinstance(data, dict):
        raise DamagedFile(f"{name} is damaged: it holds {type(data).__name__}, not an object")
    return data


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
