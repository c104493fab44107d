"""A cache on disk of what was read from elsewhere: bounded, and shared by all processes of a user.

Nothing depends on it. Whoever reads from it checks what comes out, so a damaged cache costs time and no more;
one that cannot be opened, read or written is a cache that is always empty.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import platformdirs

BOUND = 2_000_000_000  # bytes
_HOUR = 3600
_SCHEMA = """
CREATE TABLE IF NOT EXISTS parts (
    digest BLOB NOT NULL, begin INTEGER NOT NULL, used INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (digest, begin)
);
CREATE INDEX IF NOT EXISTS by_use ON parts (used);
CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY, etag TEXT NOT NULL, sha256 BLOB NOT NULL, data BLOB NOT NULL
);
"""
# What may pass: the cache itself is sound.
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
}
# The second where SQLite quotes damaged text, and Python cannot decode what it says.
_REFUSALS = (sqlite3.Error, UnicodeDecodeError)


class Key(NamedTuple):
    """A part of a file: the file's digest, so that an equal file elsewhere is the same one, and its place."""

    digest: bytes
    begin: int


def user_cache_path() -> Path:
    """The file of the user's own cache, whether it exists or not."""
    return Path(platformdirs.user_cache_dir("inarow", appauthor=False)) / "tables-1.sqlite"


def user_cache() -> Cache:
    """The user's own cache."""
    return Cache(user_cache_path())


class Cache:
    """A file of SQLite. What was used least recently is dropped. Threads may share it."""

    def __init__(self, path: Path, bound: int = BOUND) -> None:
        self.path = path
        self._bound = bound
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        with self._lock:
            self._open()

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None

    def get(self, keys: Iterable[Key]) -> dict[Key, bytes]:
        """Those of the parts that are here."""
        found: dict[Key, bytes] = {}
        old: list[Key] = []
        now = int(time.time())

        def read(database: sqlite3.Connection) -> None:
            for key in keys:
                row = database.execute(
                    "SELECT data, used FROM parts WHERE digest = ? AND begin = ?", key
                ).fetchone()
                if row is not None and isinstance(row[0], bytes):
                    found[key] = row[0]
                    if not isinstance(row[1], int) or abs(now - row[1]) > _HOUR:
                        old.append(key)
            # To the hour is near enough, and saves writing while reading.
            database.executemany(
                "UPDATE parts SET used = ? WHERE digest = ? AND begin = ?", [(now, *key) for key in old]
            )

        self._do(read)
        return found

    def put(self, parts: Mapping[Key, bytes]) -> None:
        now = int(time.time())

        def write(database: sqlite3.Connection) -> None:
            rows = [(*key, now, data) for key, data in parts.items()]
            database.executemany("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)", rows)
            if self._size(database) > self._bound:
                # An eighth at once, so that this is rare.
                database.execute(
                    "DELETE FROM parts WHERE rowid IN (SELECT rowid FROM parts "
                    "ORDER BY used LIMIT (SELECT 1 + count(*) / 8 FROM parts))"
                )

        self._do(write)

    def page(self, url: str) -> tuple[str, bytes] | None:
        """The ETag and the bytes of a whole file."""
        rows: list[tuple[str, bytes, bytes]] = []
        query = "SELECT etag, sha256, data FROM pages WHERE url = ?"
        self._do(lambda database: rows.extend(database.execute(query, (url,))))
        for etag, digest, data in rows:
            if isinstance(data, bytes) and hashlib.sha256(data).digest() == digest:
                return str(etag), data
        return None

    def put_page(self, url: str, etag: str, data: bytes) -> None:
        row = url, etag, hashlib.sha256(data).digest(), data
        self._do(lambda database: database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)", row))

    def _do(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Do something in one transaction, or not at all."""
        with self._lock:
            if self._database is None:
                return
            try:
                with self._database:
                    work(self._database)
            except _REFUSALS as error:
                if not _passes(error):
                    self._database.close()
                    self._remove()
                    self._open()

    def _open(self) -> None:
        self._database = None
        for _ in range(2):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(self.path, timeout=2, check_same_thread=False)
            except (OSError, sqlite3.Error):
                return
            try:
                database.execute("PRAGMA synchronous = OFF")  # a power cut may damage it: that is noticed
                database.executescript(_SCHEMA)
            except _REFUSALS as error:
                database.close()
                if _passes(error):
                    return
                self._remove()
            else:
                self._database = database
                return

    def _remove(self) -> None:
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    @staticmethod
    def _size(database: sqlite3.Connection) -> int:
        """Bytes in use."""
        pages, free, size = (
            int(database.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size


def _passes(error: Exception) -> bool:
    """Whether the next attempt may succeed, with the same file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _PASSING
