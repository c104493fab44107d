"""Copies whole tables, from a web server or from another folder, and checks what arrived.

Files grow in a folder of their own inside the new one, and are moved from there once they are checked. So an
interrupted copy resumes where it stopped, also in the middle of a file; the manifest lists the pairs at last.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from inarow.errors import DamagedFile, InarowError, MissingTable, Unreachable, WrongTable
from inarow.files import make_folder
from inarow.locking import locked
from inarow.quixo.table.files import check_files, file_sizes, files_of, size_of
from inarow.quixo.table.folder import manifest_in
from inarow.quixo.table.location import NEARLY_FULL, Location, nearly_full_of, parse_location
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.store import Progress
from inarow.quixo.table.threads import in_daemon_threads

PARTIAL = ".copying"  # the folder of what has not arrived yet
_CHUNK = 1 << 20
_ATTEMPTS = 4  # in a row that bring nothing new
_THREADS = 8


def copy_table(source: Location, out: str | Path, *, progress: Progress | None = None) -> Manifest:
    """Copy a table to a folder; `progress` hears of bytes.

    The folder is new or empty, or holds what an interrupted copy left: files that are sound are kept, and
    half of a file is completed. The plies of nearly full boards that a table of outcomes may have come with
    it. `OSError` if the disk is too small, before anything is copied; `FolderInUse` if another process writes
    there.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import Quixo, solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(2), Path(folder) / "table")
    ...     print(copy_table(Path(folder) / "table", Path(folder) / "copy").complete)
    True
    """
    source, out = parse_location(source), Path(out)
    manifest = _copy(source, out, progress)
    if not manifest.plies:
        with suppress(MissingTable):
            _copy(nearly_full_of(source), out / NEARLY_FULL, None)
    return manifest


def _copy(source: Location, out: Path, progress: Progress | None) -> Manifest:
    with _opened(source) as origin:
        manifest = origin.manifest
        held = manifest_in(out, replace(manifest, pairs=()))
        if held.pairs != manifest.pairs[: len(held.pairs)]:
            raise WrongTable(f"{out} holds another table than {origin.name}; choose another folder")
        copy = _Copy(origin, out, progress)
        copy.require_space()
        make_folder(out)
        with locked(out, "copying a table"):
            (out / PARTIAL).mkdir(exist_ok=True)
            if not held.pairs:
                held.save(out)
            try:
                for _, error in in_daemon_threads(copy.pair, manifest.pairs, _THREADS):
                    if isinstance(error, BaseException):
                        raise error
            finally:
                copy.stopped = True
            manifest.save(out)
            with suppress(OSError):
                (out / PARTIAL).rmdir()
    return manifest


class _Origin(NamedTuple):
    """Where a table is copied from."""

    name: str
    manifest: Manifest
    # The bytes of a file with so many, from a place on or from 0; says which. They may end early.
    stream: Callable[[str, int, int], AbstractContextManager[tuple[int, Iterator[bytes]]]]


@contextmanager
def _opened(source: Location) -> Iterator[_Origin]:
    if isinstance(source, Path):
        yield _Origin(str(source), Manifest.load(source), partial(_stream, source))
        return
    # HTTP takes long to import, and may not be needed.
    from inarow.quixo.table.http import HttpFolder
    from inarow.quixo.table.remote import fetch_manifest

    with closing(HttpFolder(source)) as folder:
        yield _Origin(folder.shown(), fetch_manifest(folder), folder.stream)


@contextmanager
def _stream(folder: Path, name: str, size: int, begin: int) -> Iterator[tuple[int, Iterator[bytes]]]:
    path = folder / name
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise MissingTable(f"{path} is missing, though the manifest lists it") from None
    with file:
        found = os.fstat(file.fileno()).st_size
        if found != size:
            what = "is cut short" if found < size else "is too long"
            raise DamagedFile(f"{path} {what}: {found:,} bytes; in the manifest there are {size:,}")
        file.seek(begin)
        yield begin, iter(lambda: file.read(_CHUNK), b"")


class _Copy:
    """Copies the files of a table. Threads may share it."""

    def __init__(self, origin: _Origin, out: Path, progress: Progress | None) -> None:
        self.stopped = False  # set it, and no thread writes any more
        self._origin, self._out, self._partial = origin, out, out / PARTIAL
        self._progress = progress
        self._lock = threading.Lock()
        self._sizes = {record.pair: file_sizes(record) for record in origin.manifest.pairs}
        self._done = 0

    def require_space(self) -> None:
        """Raise the `OSError` of a full disk, if what is not there yet will not fit."""
        left = sum(
            size - max(size_of(folder / name) or 0 for folder in (self._out, self._partial))
            for files in self._sizes.values()
            for name, size in files.items()
        )
        existing = self._out if self._out.is_dir() else self._out.parent
        free = shutil.disk_usage(existing).free
        if left > free:
            message = f"what is left to copy takes {left:,} bytes; {free:,} are free"
            raise OSError(errno.ENOSPC, message, str(self._out))

    def pair(self, record: PairRecord) -> None:
        """Have a pair's files, and have them sound."""
        files = self._sizes[record.pair]
        if all((self._out / name).exists() for name in files):
            with suppress(InarowError):
                check_files(files_of(self._out, self._origin.manifest), record)
                self._advance(sum(files.values()))
                return
        for name in files:  # what is there may still be right
            if (self._out / name).exists() and not (self._partial / name).exists():
                (self._out / name).replace(self._partial / name)
        resumed = any((self._partial / name).exists() for name in files)
        try:
            self._fetch(record, files)
        except DamagedFile:
            if not resumed:
                raise
            self._fetch(record, files)
        for name in files:
            (self._partial / name).replace(self._out / name)

    def _fetch(self, record: PairRecord, files: Mapping[str, int]) -> None:
        """Complete a pair's files and check them; those that are damaged are removed."""
        for name, size in files.items():
            self._complete(name, size)
        try:
            check_files(files_of(self._partial, self._origin.manifest), record)
        except InarowError as error:
            for name, size in files.items():
                (self._partial / name).unlink(missing_ok=True)
                self._advance(-size)
            said = str(error).replace(f"{self._partial}/", f"{self._origin.name.rstrip('/')}/")
            raise DamagedFile(said) from None

    def _complete(self, name: str, size: int) -> None:
        path = self._partial / name
        path.touch()
        have, failures = path.stat().st_size, 0
        if have > size:
            have = 0
        self._advance(have)
        while have < size:
            before = have
            with self._origin.stream(name, size, have) as (begin, chunks), path.open("r+b") as file:
                self._advance(begin - have)
                have = begin
                file.truncate(begin)
                file.seek(begin)
                for chunk in chunks:
                    if self.stopped:
                        return
                    chunk = chunk[: size - have]
                    file.write(chunk)
                    have += len(chunk)
                    self._advance(len(chunk))
                file.flush()
                os.fsync(file.fileno())
            failures = 0 if have > before else failures + 1
            if failures == _ATTEMPTS:
                raise Unreachable(f"{self._origin.name}: the server breaks off {name} after {have:,} bytes")

    def _advance(self, size: int) -> None:
        with self._lock:
            self._done += size
            if self._progress and not self.stopped:
                self._progress(self._done, sum(sum(files.values()) for files in self._sizes.values()))
