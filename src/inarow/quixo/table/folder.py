"""A table's folder while it is being written: what is finished there, and where the next pair goes."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

from inarow.errors import DamagedFile, InarowError, WrongTable
from inarow.files import TEMPORARY_PREFIX, remove_leftovers
from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.compact import CompactFiles
from inarow.quixo.table.manifest import MANIFEST_NAME, Form, Manifest, PairRecord
from inarow.quixo.table.plain import PlainFiles
from inarow.quixo.table.store import Content, PairFiles, StoredPair

PLAIN_CELLS = 20  # a new table with plies of up to so many cells is plain


def files_of(folder: Path, manifest: Manifest, threads: int | None = None) -> PairFiles:
    """The files of the table with this manifest."""
    if manifest.form == "plain":
        return PlainFiles(folder, manifest.rules, manifest.square_only)
    return CompactFiles(folder, manifest.rules, manifest.plies, threads, manifest.square_only)


def form_in(path: Path, rules: Quixo, *, plies: bool) -> Form:
    """The form of the table in a folder, or the one that a new table gets there.

    On a small board the plain form is small, and it is quicker to probe. Without plies there is only the
    compact form.
    """
    if not plies:
        return "compact"
    if (path / MANIFEST_NAME).exists():
        return Manifest.load(path).form
    return "plain" if rules.cells <= PLAIN_CELLS else "compact"


class TableFolder:
    """Stores pairs as a table, and resumes what an interrupted run left.

    The manifest is replaced after each pair. A finished pair whose files were damaged or removed since is
    solved again; its new files must be the same as the old ones were.
    """

    def __init__(
        self, path: Path, rules: Quixo, form: Form, *, plies: bool = True, threads: int | None = None
    ) -> None:
        """Look at what is in the folder; `WrongTable` if it is not such a table. Nothing is written yet."""
        self.path = path
        self.manifest = _manifest_in(path, Manifest(rules, form=form, plies=plies))
        self.files = files_of(path, self.manifest, threads)
        self.finished = {record.pair: record for record in self.manifest.pairs}
        self.damaged: list[str] = []  # files that must be written again

    def prepare(self, needed: int) -> None:
        """Create the folder, or tidy it up; `OSError` if the disk has too little room for so many bytes."""
        free = shutil.disk_usage(self.path if self.path.is_dir() else self.path.parent).free
        if needed > free:
            message = f"the table takes about {needed:,} bytes; {free:,} are free"
            raise OSError(errno.ENOSPC, message, str(self.path))
        self.path.mkdir(exist_ok=True)
        remove_leftovers(self.path)
        if not self.manifest.pairs:
            self.manifest.save(self.path)

    def find(self, a: int, b: int) -> StoredPair | None:
        """A finished pair, unless its files are not what was written."""
        record = self.finished.get((a, b))
        if record is None:
            return None
        try:
            self.files.check(record)
        except InarowError:
            self.damaged += self.files.names(a, b)
            return None
        return StoredPair(record, self.files)

    def save(
        self, a: int, b: int, classes: tuple[ClassCounts, ...], content: Callable[[], Content | PairRecord]
    ) -> StoredPair:
        """Write a pair unless it is written already, and list it in the manifest."""
        made = content()
        record = made if isinstance(made, PairRecord) else self.files.write(a, b, classes, made)
        before = self.finished.get((a, b))
        if before is None:
            self.manifest = self.manifest.with_pair(record)
            self.manifest.save(self.path)
            self.finished[a, b] = record
        elif record != before:
            names = " or ".join(self.files.names(a, b))
            raise DamagedFile(
                f"{self.path / MANIFEST_NAME} is damaged, or of another table: it lists another {names}"
            )
        return StoredPair(record, self.files)


def _manifest_in(path: Path, empty: Manifest) -> Manifest:
    """What the folder holds, which must be a table like the empty one, or nothing."""
    if not (path / MANIFEST_NAME).exists():
        if path.is_dir() and any(not file.name.startswith(TEMPORARY_PREFIX) for file in path.iterdir()):
            raise WrongTable(f"{path} is not empty and holds no table; choose another folder")
        return empty
    found = Manifest.load(path)
    if (found.rules, found.form, found.plies) != (empty.rules, empty.form, empty.plies):
        raise WrongTable(
            f"{path} holds a {found.kind} of {found.rules}, not a {empty.kind} of {empty.rules}; "
            "choose another folder"
        )
    return found
