"""Where a table is: in a folder, or on a web server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from inarow.quixo.table.folder import files_of
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.store import ReadableFiles

Location = str | Path  # a folder, or the URL of one


def parse_location(text: Location) -> Location:
    """The folder that a text names, unless it is a URL.

    >>> parse_location("https://example.org/quixo/"), parse_location("tables/4x4")
    ('https://example.org/quixo/', PosixPath('tables/4x4'))
    """
    return text if isinstance(text, str) and is_url(text) else Path(text)


def is_url(location: Location) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", str(location)) is not None


def open_files(location: Location) -> tuple[Manifest, ReadableFiles, Callable[[], None]]:
    """The manifest of a table, its files, and what to call when they are not needed any more."""
    if isinstance(location, Path):
        manifest = Manifest.load(location)
        return manifest, files_of(location, manifest), lambda: None
    # HTTP takes long to import, and most tables are in folders.
    from inarow.quixo.table.remote import open_remote

    manifest, files = open_remote(location)
    return manifest, files, files.close
