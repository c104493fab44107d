"""Checks a site: opens every page, follows what it loads and links to, and compares files with digests."""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Collection, Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

from inarow.errors import DamagedFile, MissingTable
from inarow.web.site.write import LIST_NAME


def check_site(folder: Path) -> Iterator[str]:
    """Every page that is sound, by its path; `DamagedFile` or `MissingTable` at the first that is not."""
    listed = _listed(folder)
    for name, digest in listed.items():
        path = folder / name
        if not path.is_file():
            raise MissingTable(f"{path} is missing; write the site again with: inarow site --out {folder}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise DamagedFile(f"{path} is damaged: its digest is not the one in {LIST_NAME}")
    for name in listed:
        if name.endswith(".wasm.gz") and gzip.decompress((folder / name).read_bytes())[:4] != b"\0asm":
            raise DamagedFile(f"{folder / name} is no WebAssembly")
    for name in listed:
        if name.endswith(".js"):
            written = (folder / name).read_text(encoding="utf-8")
            for link in re.findall(r'^(?:import|export) .*?from "([^"]+)"', written, re.MULTILINE):
                _require(folder, name, link, listed)
        elif name.endswith(".html"):
            _follow(folder, name, listed)
            yield name


def _listed(folder: Path) -> dict[str, str]:
    path = folder / LIST_NAME
    if not path.is_file():
        raise MissingTable(f"no site in {folder}; write one with: inarow site --out {folder}")
    try:
        found = json.loads(path.read_bytes())["files"]
    except (ValueError, KeyError, TypeError):
        raise DamagedFile(f"{path} is damaged: it cannot be read") from None
    if not isinstance(found, dict) or not all(isinstance(digest, str) for digest in found.values()):
        raise DamagedFile(f"{path} is damaged: it is no list of files")
    return found


def _follow(folder: Path, page: str, listed: Collection[str]) -> None:
    """Whether everything is there that a page loads and links to."""
    written = (folder / page).read_text(encoding="utf-8")
    for link in re.findall(r'\s(?:href|src)="([^"]+)"', written):
        parts = urlsplit(unescape(link))
        if parts.scheme or parts.netloc or parts.path.startswith("/"):  # "/": for addresses that do not exist
            continue
        if parts.path:
            _require(folder, page, parts.path, listed)
        elif f'id="{parts.fragment}"' not in written:
            raise DamagedFile(f"{folder / page} links to #{parts.fragment}, which it does not have")


def _require(folder: Path, page: str, link: str, listed: Collection[str]) -> None:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    if link.endswith(("/", ".")) or target == ".":
        target = posixpath.normpath(f"{target}/index.html")
    if target not in listed:
        raise DamagedFile(f"{folder / page} links to {link}, which is not in the site")
