"""Writes the explorer as files: its pages, the core as WebAssembly, and the data that this asks for."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from inarow.errors import InarowError
from inarow.files import TEMPORARY_PREFIX
from inarow.web.pages import missing_page, site_files
from inarow.web.site.data import data_files

LIST_NAME = "site.json"  # what is in the site, with digests
_EARLY_MARKS = 5  # the book of positions with so few marks is kept for visits without a network


def write_site(folder: Path, url: str = "", table_url: str | None = None) -> int:
    """Write a site, or another version of one in its place; returns the number of its files.

    `url` is where it will be, as in ``https://example.org/inarow/``: link previews need it, and the page for
    addresses that do not exist, unless the site is at the root of its host. `table_url` is that of a
    table with plies, of which pages fetch what they need: its host must let them (CORS) and serve ranges.
    """
    if folder.exists() and not (
        folder.is_dir() and (not any(folder.iterdir()) or (folder / LIST_NAME).is_file())
    ):
        raise InarowError(f"{folder} is there already, and is not a site that 'inarow site' wrote")
    if url and not url.startswith(("http://", "https://")):
        raise InarowError(f"{url!r} is no address of a site, as in https://example.org/inarow/")
    folder = folder.absolute()
    new = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=folder.parent))
    try:
        count = _fill(new, url, table_url)
        new.chmod(0o755)
        if sys.platform != "win32":
            os.sync()
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=folder.parent))
            folder.replace(old)
            new.replace(folder)
            shutil.rmtree(old)
        else:
            new.replace(folder)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return count


def _fill(folder: Path, url: str, table_url: str | None) -> int:
    digests = {}
    for name, content in _all_files(url, table_url):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digests[name] = hashlib.sha256(content).hexdigest()
    kept = {name: digests[name] for name in sorted(digests) if _is_kept(name)}
    script = Template(
        (files("inarow.web.site") / "offline-worker.js").read_text(encoding="utf-8")
    ).substitute(
        version=hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()[:16],
        files=json.dumps(list(kept)),
    )
    (folder / "offline-worker.js").write_text(script, encoding="utf-8", newline="\n")
    digests["offline-worker.js"] = hashlib.sha256(script.encode()).hexdigest()
    listed = {"inarow": version("inarow"), "files": dict(sorted(digests.items()))}
    (folder / LIST_NAME).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8", newline="\n")
    return len(digests) + 1


def _all_files(url: str, table_url: str | None) -> Iterator[tuple[str, bytes]]:
    """Everything but the service worker, which lists the rest."""
    table_host = urlsplit(table_url)._replace(path="", query="", fragment="").geturl() if table_url else ""
    for name, content in site_files("wasm"):
        yield name, _with_head(name, content, url, table_host) if name.endswith(".html") else content
    # Shown at any address, however deep: its links begin at the root of the host.
    root = urlsplit(url).path.rstrip("/")
    yield "404.html", _with_head("404.html", missing_page(root, "wasm"), url, root=root)
    yield "static/offline.js", (files("inarow.web.site") / "offline.js").read_bytes()
    yield "manifest.webmanifest", json.dumps(_MANIFEST, indent=1).encode()
    for module in (files("inarow.web") / "wasm").iterdir():
        yield f"wasm/{module.name}", module.read_bytes()
    for name, content in data_files(table_url):
        yield f"data/{name}", content
    if table_url:
        for file in (files("inarow.web") / "vendor").iterdir():
            yield f"vendor/{file.name}", file.read_bytes()


_MANIFEST = {
    "name": "inarow",
    "short_name": "inarow",
    "description": "Perfect play in in-a-row games.",
    "start_url": "./",
    "scope": "./",
    "display": "standalone",
    "background_color": "#fffdf8",
    "theme_color": "#126848",
    "icons": [{"src": "static/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
}


def _with_head(name: str, page: bytes, url: str, table_host: str = "", root: str | None = None) -> bytes:
    """A page with what it needs without a server: a security policy, installation, and link previews."""
    html = page.decode()
    if root is None:
        root = "/".join([".."] * name.count("/")) or "."
    policy = (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
        f"img-src 'self'; connect-src 'self' {table_host}; manifest-src 'self'; base-uri 'none'; "
        "form-action 'self'"
    )
    title, about = (
        match[1] if (match := re.search(pattern, html)) else "inarow"
        for pattern in (r"<title>(.*?)</title>", r'<meta name="description" content="(.*?)">')
    )
    shown = [part for part in name.split("/") if part in ("quixo", "qubic", "ultimate", "results")]
    picture = f"preview-{shown[0]}.png" if shown else "preview.png"
    base = url if not url or url.endswith("/") else f"{url}/"
    address = base + name.removesuffix("index.html")
    tags = [
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f'<link rel="manifest" href="{root}/manifest.webmanifest">',
        f'<script type="module" src="{root}/static/offline.js"></script>',
        '<meta property="og:type" content="website">',
        f'<meta property="og:title" content="{title}">',
        f'<meta property="og:description" content="{about}">',
        f'<meta property="og:image" content="{escape(base or f"{root}/")}static/{picture}">',
        '<meta property="og:image:width" content="1200">',
        '<meta property="og:image:height" content="630">',
        '<meta name="twitter:card" content="summary_large_image">',
    ]
    if base:
        tags.append(f'<meta property="og:url" content="{escape(address)}">')
    # The policy counts from where it stands: before everything that it is for.
    return html.replace('<meta charset="utf-8">', '<meta charset="utf-8">\n' + "\n".join(tags), 1).encode()


def _is_kept(name: str) -> bool:
    """Whether every visit may need a file: not link previews, nor the book of positions with many marks."""
    book = re.search(r"/book/(\d+)-(\d+)-\d+\.chunks$", name)
    if book:
        return int(book[1]) + int(book[2]) <= _EARLY_MARKS
    return not name.startswith("static/preview") and name != "404.html"
