"""Published checksums: whether a table, made or fetched, is the one that others have.

The list of a game has for each file its length, the SHA-256 that the manifest lists for it, and the SHA-256
of its content: all unpacked pieces one after the other.
How pieces are packed depends on the release of zstd, what is in them does not.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files as package_files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from inarow.errors import DamagedFile, MissingTable
from inarow.files import json_object, write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.table.files import PairFiles, file_sizes, open_files, plane_runs
from inarow.quixo.table.location import Location, is_url, parse_location
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.store import Progress
from inarow.quixo.table.threads import in_daemon_threads

_FORMAT, _VERSION = "inarow-quixo-checksums", 1
_FAR_AT_ONCE = 8  # pairs of a table on a web server
_FEW_ENTRIES = 1 << 24  # not worth a process


@dataclass(frozen=True, slots=True)
class FileSums:
    """The checksums of a file."""

    bytes: int
    sha256: str  # as the manifest lists it
    content: str  # SHA-256 of what is in it, without header and packing


@dataclass(frozen=True, slots=True)
class Checksums:
    """The checksums of the files of a game's table."""

    rules: Quixo
    files: Mapping[str, FileSums]

    def write(self, path: Path) -> None:
        listed = sorted(self.files.items(), key=lambda item: (_kind(item[0]), item[0]))
        lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(asdict(sums))}" for name, sums in listed)
        head = {"format": _FORMAT, "version": _VERSION, "rules": self.rules.to_json()}
        text = f'{json.dumps(head)[:-1]}, "files": {{\n{lines}\n}}}}\n'
        write_atomically(path, [text.encode()])

    @classmethod
    def parse(cls, content: bytes, name: str) -> Checksums:
        """The list in a file, called `name` in errors."""
        data = json_object(content, name)
        try:
            if data["format"] != _FORMAT or data["version"] != _VERSION:
                raise ValueError(f"format {data['format']} {data['version']}")
            sums = {
                str(file): FileSums(int(found["bytes"]), str(found["sha256"]), str(found["content"]))
                for file, found in data["files"].items()
            }
            return cls(Quixo.from_json(data["rules"]), sums)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"{name} is not a list of checksums: {error!r}") from None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The files of a table beside the published ones."""

    same: tuple[str, ...]  # byte for byte
    same_content: tuple[str, ...]  # packed in another way
    different: tuple[str, ...]
    missing: tuple[str, ...]  # published, but not part of the table

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "same": len(self.same), "same_content": len(self.same_content)}


def published_checksums(rules: Quixo) -> Checksums:
    """The list that comes with the package; `MissingTable` if there is none for these rules."""
    path = package_files("inarow") / "data" / "quixo" / "checksums" / f"{rules.name}.json"
    if not path.is_file():
        raise MissingTable(f"no checksums are published for {rules}")
    return Checksums.parse(path.read_bytes(), str(path))


def compare(found: Checksums, published: Checksums) -> Comparison:
    """`MissingTable` if nothing is published about such files."""
    same, packed, different = [], [], []
    for name, sums in found.files.items():
        known = published.files.get(name)
        if known is None:
            raise MissingTable(f"no checksums are published for {name} of {found.rules}")
        if sums == known:
            same.append(name)
        elif sums.content == known.content:
            packed.append(name)
        else:
            different.append(name)
    missing = (name for name in published.files if name not in found.files)
    return Comparison(tuple(same), tuple(packed), tuple(different), tuple(missing))


def checksums_of(
    location: Location, *, processes: int | None = None, progress: Progress | None = None
) -> Checksums:
    """Read a whole table, and check its files on the way: raises what `Table.check` does.

    Works in several processes, by default as many as there are processors.
    """
    location = parse_location(location)
    manifest, files, close = open_files(location)
    try:
        # The largest first, so that none is left for the end.
        records = sorted(manifest.pairs, key=lambda record: -record.entries)
        total, done = sum(record.entries for record in records), 0
        found: dict[str, FileSums] = {}
        work = partial(_sums, files)
        for record, sums in _worked(work, records, is_url(location), processes):
            names = file_sizes(record)
            for (name, size), (digest, content) in zip(names.items(), sums, strict=True):
                found[name] = FileSums(size, digest, content)
            done += record.entries
            if progress:
                progress(done, total)
    finally:
        close()
    return Checksums(manifest.rules, {name: found[name] for name in manifest.files})


_Sums = list[tuple[str, str]]  # of each file of a pair, as listed and of the content


def _worked(
    work: partial[_Sums], records: list[PairRecord], far: bool, processes: int | None
) -> Iterator[tuple[PairRecord, _Sums]]:
    if far:
        for record, sums in in_daemon_threads(work, records, _FAR_AT_ONCE):
            if isinstance(sums, BaseException):
                raise sums
            yield record, sums
        return
    processes = processes or os.cpu_count() or 1
    if processes == 1 or sum(record.entries for record in records) < _FEW_ENTRIES:
        yield from ((record, work(record)) for record in records)
        return
    # Processes, not threads: a piece takes too little time to let go of the interpreter's lock.
    # They leave Ctrl-C to us, and end with the pool.
    with get_context("spawn").Pool(processes, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from zip(records, pool.imap(work, records), strict=True)


def _sums(files: PairFiles, record: PairRecord) -> _Sums:
    """The digests of a pair's files, which are checked on the way."""
    of_values, of_plies = hashlib.sha256(), hashlib.sha256()
    for plane in range(record.planes):
        for values, plies in plane_runs(files, record, plane, threads=1):
            of_values.update(values.data.data)
            of_plies.update(plies.data.data)
    sums: _Sums = [(record.values.sha256, of_values.hexdigest())]
    return [*sums, (record.plies.sha256, of_plies.hexdigest())] if record.plies else sums


def _kind(name: str) -> str:
    return name.rpartition(".")[2]
