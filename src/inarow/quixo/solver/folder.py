"""A table on disk while it is being made: what is finished there, and where the next pair goes."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from inarow.errors import DamagedFile, InarowError, WrongTable
from inarow.files import remove_leftovers
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import NARROW_PLIES
from inarow.quixo.solver.engine import Solved
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.compact import open_values
from inarow.quixo.table.entries import Entries, narrowed
from inarow.quixo.table.manifest import NAME as MANIFEST_NAME
from inarow.quixo.table.manifest import Form, Manifest, PairRecord
from inarow.quixo.table.pair_file import check_pair, file_name, open_pair, write_pair
from inarow.quixo.table.piece_file import values_name


class Folder:
    """The manifest of a table, kept up to date."""

    form: Form
    plies: bool

    def __init__(self, rules: Quixo, path: Path, needed: int) -> None:
        """Begin a table that will take `needed` bytes, or go on with one."""
        self.path = path
        if (path / MANIFEST_NAME).exists():
            self.manifest = Manifest.load(path)
            self._require(rules)
            remove_leftovers(path)
        else:
            if path.is_dir() and any(path.iterdir()):
                raise WrongTable(f"{path} is not empty and holds no table; choose another folder")
            free = shutil.disk_usage(path if path.is_dir() else path.parent).free
            if needed > free:
                message = f"the table takes about {needed:,} bytes; {free:,} are free"
                raise OSError(errno.ENOSPC, message, str(path))
            path.mkdir(exist_ok=True)
            self.manifest = Manifest(rules, form=self.form, plies=self.plies)
            self.manifest.save(path)
        self._finished = {(pair.a, pair.b): pair for pair in self.manifest.pairs}
        self.damaged: list[str] = []  # files that are to be made anew

    def _require(self, rules: Quixo) -> None:
        found = self.manifest
        if found.rules != rules:
            raise WrongTable(
                f"{self.path} holds a table of {found.rules}, not of {rules}; choose another folder"
            )
        if (found.form, found.plies) != (self.form, self.plies):
            held = f"a {found.form} table{'' if found.plies else ' without plies'}"
            raise WrongTable(f"{self.path} holds {held}; choose another folder")

    def good(self, a: int, b: int) -> PairRecord | None:
        """What is known of a finished pair; None if it is not finished, or its files are not as they were."""
        record = self._finished.get((a, b))
        if record is None:
            return None
        try:
            self._check(record)
        except InarowError:
            self.damaged.append(self._file_name(a, b))
            return None
        return record

    def add(self, record: PairRecord) -> None:
        """Take note of a pair whose file was written."""
        finished = self._finished.get((record.a, record.b))
        if finished is None:
            self.manifest = self.manifest.with_pair(record)
            self.manifest.save(self.path)
        elif record.sha256 != finished.sha256:
            name = self._file_name(record.a, record.b)
            raise DamagedFile(f"{self.path / MANIFEST_NAME} is damaged: {name} has another checksum")

    def _check(self, record: PairRecord) -> None:
        raise NotImplementedError

    def _file_name(self, a: int, b: int) -> str:
        raise NotImplementedError


class PlainFolder(Folder):
    """A table of the plain form."""

    form, plies = "plain", True

    def load(self, a: int, b: int) -> Solved | None:
        """A finished pair, if it is good."""
        record = self.good(a, b)
        return None if record is None else Solved(self.open(a, b), record.classes)

    def open(self, a: int, b: int) -> Entries:
        """The entries of a finished pair, mapped into memory."""
        [record] = (pair for pair in self.manifest.pairs if (pair.a, pair.b) == (a, b))
        return open_pair(self.path, self.manifest.rules, a, b, record.sha256)

    def save(self, a: int, b: int, entries: Entries, classes: tuple[ClassCounts, ...]) -> None:
        self.add(write_plain(self.path, self.manifest.rules, a, b, entries, classes))

    def _check(self, record: PairRecord) -> None:
        check_pair(self.path, self.manifest.rules, record.a, record.b, record.sha256)

    def _file_name(self, a: int, b: int) -> str:
        return file_name(a, b)


class OutcomeFolder(Folder):
    """A table of the compact form, without plies."""

    form, plies = "compact", False

    def _check(self, record: PairRecord) -> None:
        open_values(self.path, self.manifest.rules, record).check()

    def _file_name(self, a: int, b: int) -> str:
        return values_name(a, b)


def write_plain(
    folder: Path, rules: Quixo, a: int, b: int, entries: Entries, classes: tuple[ClassCounts, ...]
) -> PairRecord:
    """Write a pair of the plain form, with one byte an entry if that is enough."""
    if all((c.max_plies or 0) <= NARROW_PLIES for c in classes):
        entries = narrowed(entries)
    digest = write_pair(folder, rules, a, b, entries)
    return PairRecord(a, b, entries.itemsize, entries.size, digest, classes)
