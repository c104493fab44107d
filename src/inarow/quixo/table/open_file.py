"""A file that is open to be read in parts.

Files of tables are read, never mapped into memory: one that is cut short while it is open must be an error,
and not the end of the program by a signal.
"""

from __future__ import annotations

import os
import sys
import weakref
from pathlib import Path

from inarow._native.quixo import read_at
from inarow.errors import MissingTable

# Windows would translate line ends; elsewhere, programs that are started would inherit the file.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class OpenFile:
    """A file of a table. Threads may share it; it is closed when nobody refers to it any more."""

    def __init__(self, path: Path) -> None:
        """`MissingTable` if it is not there."""
        try:
            self.descriptor = os.open(path, _FLAGS)
        except FileNotFoundError:
            raise MissingTable(f"{path} is missing, though the manifest lists it") from None
        self.close = weakref.finalize(self, os.close, self.descriptor)
        self.size = os.fstat(self.descriptor).st_size

    def read(self, begin: int, end: int) -> bytes:
        """These bytes, or those of them that there are."""
        if sys.platform == "win32":
            return read_at(self.descriptor, begin, max(0, end - begin))
        parts = []
        while begin < end and (part := os.pread(self.descriptor, end - begin, begin)):
            parts.append(part)
            begin += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
