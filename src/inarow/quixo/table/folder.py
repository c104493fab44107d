"""A table's folder while it is being written: what is finished there, and where the next pair goes."""

from __future__ import annotations

import errno
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from threading import Condition

from inarow.errors import DamagedFile, InarowError, WrongTable
from inarow.files import TEMPORARY_PREFIX, make_folder, remove_leftovers
from inarow.locking import LOCK_NAME, locked
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content, check_files, files_of
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest, PairRecord
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.store import Store, StoredPair

_WRITERS = 2  # threads, so that one packs while the other waits for the disk
BYTES_AHEAD = 16 << 30  # of pairs that wait to be written


class TableFolder(Store):
    """Stores pairs as a table, and resumes what an interrupted run left.

    Pairs are written beside what the caller does. One is listed in the manifest once its files, and those of
    all pairs before it, are on disk. A finished pair whose files were damaged or removed since is solved
    again; its new files must be the same as the old ones were.
    """

    def __init__(self, path: Path, rules: Quixo, *, plies: bool = True, threads: int | None = None) -> None:
        """Look at what is in the folder; `WrongTable` if it is not such a table. Nothing is written yet."""
        self.path = path
        self.manifest = manifest_in(path, Manifest(rules, plies=plies))
        self.files = files_of(path, self.manifest, threads)
        self.finished: dict[PairId, PairRecord] = {record.pair: record for record in self.manifest.pairs}
        self.damaged: list[str] = []  # files that must be written again
        self.bytes_ahead = BYTES_AHEAD  # at most, before `save` waits
        self.timing = {
            "waiting": 0.0,
            "packing": 0.0,
        }  # seconds: of the caller, and of the threads that write
        self._writers: ThreadPoolExecutor | None = None
        self._changed = Condition()  # guards all that follows, and what is finished
        self._saving: deque[_Saving] = deque()  # pairs that are not listed yet, in their order
        self._failure: BaseException | None = None

    @contextmanager
    def prepare(self, needed: int) -> Iterator[None]:
        """Create the folder, or tidy it up; `OSError` if the disk has too little room for so many bytes.

        It is locked for others meanwhile: `FolderInUse` if it is already.

        The end of the context waits until all pairs are written, also after an exception; another exception
        meanwhile, such as a second Ctrl-C, leaves those out that have not been begun.
        """
        free = shutil.disk_usage(self.path if self.path.is_dir() else self.path.parent).free
        if needed > free:
            message = f"the table takes about {needed:,} bytes; {free:,} are free"
            raise OSError(errno.ENOSPC, message, str(self.path))
        make_folder(self.path)
        with locked(self.path, "writing a table"):
            # Another run may have written some of it since it was looked at.
            self.manifest = manifest_in(self.path, replace(self.manifest, pairs=()))
            self.finished.update({record.pair: record for record in self.manifest.pairs})
            remove_leftovers(self.path)
            if not self.manifest.pairs:
                self.manifest.save(self.path)
            yield from self._with_writers()

    def _with_writers(self) -> Iterator[None]:
        self._writers = ThreadPoolExecutor(_WRITERS, "inarow-writer")
        try:
            yield
            self._wait(lambda: not self._saving)
        except BaseException:
            with suppress(Exception):  # the first one matters
                self._wait(lambda: not self._saving)
            raise
        finally:
            self._writers.shutdown(cancel_futures=True)

    def find(self, a: int, b: int) -> StoredPair | None:
        """A finished pair, unless its files are not what was written."""
        record = self.finished.get((a, b))
        if record is None:
            return None
        self._wait(lambda: not self._saving)  # so that the pairs before it can be read too
        try:
            check_files(self.files, record)
        except InarowError:
            self.damaged += self.files.names(a, b)
            return None
        return StoredPair(record, self.files, self.finished)

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> Future[StoredPair]:
        """Write a pair unless it is written already, and list it in the manifest.

        Waits while too many bytes are still to be written.
        """
        made = content()
        saving = _Saving((a, b), made.nbytes if isinstance(made, Content) else 0)
        self._wait(lambda: sum(other.bytes for other in self._saving) < self.bytes_ahead)
        with self._changed:
            self._saving.append(saving)
        assert self._writers is not None, "pairs are saved in the context of prepare"
        self._writers.submit(self._save, saving, classes, made)
        return saving.listed

    def _wait(self, done: Callable[[], bool]) -> None:
        """Wait for the threads that write; raises what went wrong there."""
        began = time.perf_counter()
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or done())
        self.timing["waiting"] += time.perf_counter() - began
        if self._failure is not None:
            raise self._failure

    def _save(self, saving: _Saving, classes: tuple[ClassCounts, ...], made: Content | PairRecord) -> None:
        """Write a pair, in a thread of its own, and list what can be listed."""
        try:
            with self._changed:
                is_wanted = saving in self._saving  # unless one before it went wrong
            if is_wanted:
                began = time.perf_counter()
                record = (
                    made if isinstance(made, PairRecord) else self.files.write(*saving.pair, classes, made)
                )
                with self._changed:
                    self.timing["packing"] += time.perf_counter() - began
                    saving.record = record
                    self._list()
                    self._changed.notify_all()
        except BaseException as error:  # it is raised where the caller waits
            with self._changed:
                self._failure = self._failure or error
                # Those before it may still be listed.
                while saving in self._saving:
                    self._saving.pop().listed.set_exception(self._failure)
                self._changed.notify_all()

    def _list(self) -> None:
        """List the pairs that are written up to the first that is not."""
        written = [(saving, saving.record) for saving in takewhile(lambda s: s.record, self._saving)]
        for saving, record in written:
            if self.finished.get(saving.pair, record) != record:
                names = " or ".join(self.files.names(*saving.pair))
                raise DamagedFile(
                    f"{self.path / MANIFEST_NAME} is damaged, or of another table: it lists another {names}"
                )
        new = tuple(record for saving, record in written if record and saving.pair not in self.finished)
        if new:
            self.manifest = replace(self.manifest, pairs=self.manifest.pairs + new)
            self.manifest.save(self.path)
        for saving, record in written:
            assert record is not None
            self._saving.popleft()
            self.finished[saving.pair] = record
            saving.listed.set_result(StoredPair(record, self.files, self.finished))


@dataclass(slots=True)
class _Saving:
    """A pair that is being written."""

    pair: PairId
    bytes: int  # of memory, until it is written
    record: PairRecord | None = None  # once it is written
    listed: Future[StoredPair] = field(default_factory=Future)


def manifest_in(path: Path, empty: Manifest) -> Manifest:
    """What the folder holds, which must be a table like the empty one, or nothing."""
    # Another run may be writing a table here. It writes the manifest first, so what was in the folder before
    # there was a manifest is of no table.
    ours = (TEMPORARY_PREFIX, LOCK_NAME)
    others = path.is_dir() and any(not file.name.startswith(ours) for file in path.iterdir())
    if not (path / MANIFEST_NAME).exists():
        if others:
            raise WrongTable(f"{path} is not empty and holds no table; choose another folder")
        return empty
    found = Manifest.load(path)
    if (found.rules, found.plies) != (empty.rules, empty.plies):
        with_plies = " with plies" if found.plies != empty.plies and empty.plies else ""
        raise WrongTable(
            f"{path} holds a {found.kind} of {found.rules}, not a {empty.kind}{with_plies} of {empty.rules}; "
            "choose another folder"
        )
    return found
