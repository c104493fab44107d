"""Tables on a web server: pieces are fetched when they are needed, in parallel, and kept on disk.

Only the manifest is believed. It lists the digest of each file, which covers the file's header and index, and
the index lists the checksum of each piece: nothing is used, or kept, that does not match.

The index of a file is fetched whole, with the first piece that is needed of it (on 5×5 up to 3 MB, all of
them 104 MB): where a piece begins follows from the lengths of all pieces before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarow.errors import DamagedFile, MissingTable
from inarow.quixo.table.cache import Cache, Key, user_cache
from inarow.quixo.table.http import HttpFolder, RemoteName, Span
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest, PairRecord, StoredFile
from inarow.quixo.table.pieces import Part, PieceFile, header


def fetch_manifest(folder: HttpFolder, cache: Cache | None = None) -> Manifest:
    """The manifest of a table on a web server."""
    url = folder.shown(MANIFEST_NAME)
    known = cache.page(url) if cache else None
    try:
        content, etag = folder.read(MANIFEST_NAME, known[0] if known else None)
    except MissingTable as error:
        raise MissingTable(f"no table at {folder.shown()}: {error}") from None
    if content is None:
        assert known is not None
        content = known[1]
    elif cache and etag:
        cache.put_page(url, etag, content)
    return Manifest.parse(content, url)


class RemoteFile:
    """A file of a table on a web server."""

    def __init__(self, folder: HttpFolder, name: str, listed: StoredFile, header: bytes) -> None:
        self._folder = folder
        self._header, self.digest = header, bytes.fromhex(listed.sha256)
        self.file = RemoteName(name, listed.size)
        self.name = folder.shown(name)
        self.size = listed.size

    def ends(self, first: int, last: int) -> tuple[bytes, bytes]:
        """As they must be: the digest of the manifest covers both, and is checked with the index."""
        return self._header[:first], self.digest[-last:]

    def read(self, begin: int, end: int) -> bytes:
        span = Span(begin, end)
        return self._folder.read_parts({self.file: [span]})[self.file.name, span]


class RemoteFiles:
    """The files of a table on a web server."""

    def __init__(self, folder: HttpFolder, manifest: Manifest, cache: Cache | None) -> None:
        self.folder = folder
        self.rules = manifest.rules
        self.plies = manifest.plies
        self._cache = cache

    def open(self, record: PairRecord, plies: bool = False) -> PieceFile:
        """See `PairFiles.open`; nothing is fetched yet."""
        name, listed, width = record.file(plies)
        if not re.fullmatch("[0-9a-f]{64}", listed.sha256):
            raise DamagedFile(
                f"{self.folder.shown(MANIFEST_NAME)} is damaged: {listed.sha256!r} is no digest"
            )
        begin = header(self.rules, *record.pair, width, record.entries // record.planes)
        file = RemoteFile(self.folder, name, listed, begin)
        return PieceFile(file, self.rules, *record.pair, listed.sha256)

    def close(self) -> None:
        self.folder.close()
        if self._cache:
            self._cache.close()

    @property
    def at_once(self) -> int:
        return self.folder.ranges_at_once

    def fetch(self, parts: Sequence[Part]) -> list[bytes]:
        """See `PairFiles.fetch`. What is in the cache on disk comes from there, the rest in parallel."""
        wanted = {_key(part): part for part in parts}
        found = self._cache.get(wanted) if self._cache else {}
        for key, part in wanted.items():
            if key in found and not (len(found[key]) == part.end - part.begin and part.is_sound(found[key])):
                del found[key]
        spans: dict[RemoteName, list[Span]] = {}
        lacking = {key: part for key, part in wanted.items() if key not in found}
        for part in lacking.values():
            spans.setdefault(_remote(part).file, []).append(Span(part.begin, part.end))
        fetched = self.folder.read_parts(spans) if spans else {}
        new = {
            key: fetched[_remote(part).file.name, Span(part.begin, part.end)] for key, part in lacking.items()
        }
        for key, part in lacking.items():
            if not part.is_sound(new[key]):
                raise DamagedFile(
                    f"{part.file.name} is damaged, or not the file that the manifest lists: "
                    f"bytes {part.begin} to {part.end - 1} do not match their checksum"
                )
        if self._cache and new:
            self._cache.put(new)
        found |= new
        return [found[key] for key in map(_key, parts)]


def open_remote(url: str) -> tuple[Manifest, RemoteFiles]:
    """A table on a web server, with the user's own cache."""
    folder = HttpFolder(url)
    cache = user_cache()
    try:
        manifest = fetch_manifest(folder, cache)
        return manifest, RemoteFiles(folder, manifest, cache)
    except BaseException:
        folder.close()
        cache.close()
        raise


def _remote(part: Part) -> RemoteFile:
    assert isinstance(part.file.source, RemoteFile)
    return part.file.source


def _key(part: Part) -> Key:
    return Key(_remote(part).digest, part.begin)
