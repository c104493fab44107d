"""Checks a site: opens every page, follows what it loads and links to, and compares files with digests."""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
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
        if name.endswith(".html"):
            _follow(folder, name, set(listed))
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


class _Links(HTMLParser):
    """What a page loads and links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.found.append(value)
            elif name == "id" and value:
                self.names.add(value)


def _follow(folder: Path, page: str, listed: set[str]) -> None:
    links = _Links()
    links.feed((folder / page).read_text(encoding="utf-8"))
    for link in links.found:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        if not parts.path:
            if parts.fragment not in links.names:
                raise DamagedFile(f"{folder / page} links to #{parts.fragment}, which it does not have")
            continue
        if parts.path.startswith("/"):  # of the page for addresses that do not exist
            continue
        _require(folder, page, parts.path, listed)
    for script in re.findall(
        r'<script type="module" src="([^"]+)"', (folder / page).read_text(encoding="utf-8")
    ):
        if not script.startswith("/"):
            _follow_script(folder, _joined(page, script), listed, set())


def _follow_script(folder: Path, script: str, listed: set[str], seen: set[str]) -> None:
    """The modules that a script imports, and those that they import."""
    if script in seen:
        return
    seen.add(script)
    for other in re.findall(
        r'^(?:import|export) .*?from "([^"]+)"', (folder / script).read_text(encoding="utf-8"), re.MULTILINE
    ):
        _require(folder, script, other, listed)
        _follow_script(folder, _joined(script, other), listed, seen)


def _joined(page: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def _require(folder: Path, page: str, link: str, listed: set[str]) -> None:
    target = _joined(page, link)
    if link.endswith(("/", ".")) or target == ".":
        target = posixpath.normpath(f"{target}/index.html")
    if target not in listed:
        raise DamagedFile(f"{folder / page} links to {link}, which is not in the site")
