"""The pages and their files: the same bytes from `inarow serve` and from any file host.

Links are relative, so that the pages work under any path.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from hashlib import blake2b
from html import escape
from importlib.resources import files
from string import Template
from typing import Literal

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from inarow.quixo.prober import QUICK_CELLS
from inarow.quixo.rules import shapes
from inarow.web.documents import documents, images
from inarow.web.replies import A_DAY, matches

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}

# Path, name of the file of the body, title, description for search engines and link previews.
_PAGES = [
    ("", "home", "inarow", "Perfect play in in-a-row games: explore, play, and check the proofs."),
    ("quixo/", "quixo", "Quixo", "Play Quixo against inarow, and see the value of every move."),
    ("qubic/", "qubic", "Qubic", "4×4×4 tic-tac-toe: the proof that the first player wins, move by move."),
    ("ultimate/", "ultimate", "Ultimate", "Ultimate tic-tac-toe: a strategy that always wins, explained."),
    ("results/", "results", "Results", "What solving these games has shown, in tables and plots."),
    ("api/docs/", "docs", "API", "The HTTP API of inarow."),
]

# The source is imported last, and would be found last.
_SCRIPT = Template(
    '<link rel="modulepreload" href="$root/static/source-$source.js">\n'
    '<script type="module" src="$root/static/$script.js"></script>'
)

# Where the pages get their answers: from the API, or from the core in the page. The contract is in source.js.
Source = Literal["http", "wasm"]


def site_files(source: Source = "http") -> Iterator[tuple[str, bytes]]:
    """Every page and every file that the pages load, by path from the root: 'quixo/index.html'."""
    web = files("inarow.web")
    results = documents()
    listed = "".join(f'<li><a href="{doc.name}/">{escape(doc.title)}</a></li>' for doc in results)
    for path, name, title, about in _pages(source):
        text = (web / "pages" / f"{name}.html").read_text()
        body = Template(text).substitute(
            root=_root(path),
            documents=listed,
            boards=_boards(larger=name == "quixo"),
            http='<a href="./api/docs/">HTTP</a>' if source == "http" else "HTTP",
        )
        script = name if (web / "static" / f"{name}.js").is_file() else None
        yield f"{path}index.html", _page(source, _root(path), path, name, title, about, body, script)
    for doc in results:
        path = f"results/{doc.name}/"
        body = f'<article class="prose">{doc.html}</article>'
        yield (
            f"{path}index.html",
            _page(source, "../..", "results/", "document", doc.title, doc.title, body),
        )
    for file in [*(web / "static").iterdir(), *images()]:
        if file.is_file():
            yield f"static/{file.name}", file.read_bytes()


def _pages(source: Source) -> list[tuple[str, str, str, str]]:
    """Without a server there is no API to describe."""
    return [page for page in _PAGES if source == "http" or page[1] != "docs"]


def missing_page(root: str, source: Source = "http") -> bytes:
    """The page for addresses that do not exist; `root` leads from there to the root."""
    body = Template((files("inarow.web") / "pages" / "missing.html").read_text()).substitute(root=root)
    return _page(source, root, "", "missing", "No such page", "There is no such page.", body)


class Asset:
    """A file, ready to be sent."""

    def __init__(self, body: bytes, kind: str) -> None:
        self._type = _TYPES[kind]
        self._plain = body
        self._packed = gzip.compress(body, mtime=0) if kind != "png" else body
        # The browser asks every time, and usually gets 304: nothing has changed. It need not for pictures;
        # it would ask for the icon whenever the address changes, which is at every move.
        self._headers = {
            "etag": f'"{blake2b(body, digest_size=12).hexdigest()}"',
            "cache-control": f"max-age={A_DAY}" if kind in ("svg", "png") else "no-cache",
            "vary": "accept-encoding",
        }

    async def reply(self, request: Request) -> Response:
        if matches(request.headers.get("if-none-match"), self._headers["etag"]):
            return Response(status_code=304, headers=self._headers)
        if self._packed is not self._plain and "gzip" in request.headers.get("accept-encoding", ""):
            headers = {**self._headers, "content-encoding": "gzip"}
            return Response(self._packed, headers=headers, media_type=self._type)
        return Response(self._plain, headers=self._headers, media_type=self._type)


def page_routes() -> list[Route]:
    """A route for each page and for each file that the pages load; no other path is served."""
    routes = []
    for name, body in site_files():
        path = "/" + name.removesuffix("index.html")
        routes.append(Route(path, Asset(body, name.rpartition(".")[2]).reply))
        if path.endswith("/") and path != "/":
            routes.append(Route(path.removesuffix("/"), _with_slash))
    return routes


def is_for_people(request: Request) -> bool:
    """Whether a browser asks for a page; programs read JSON."""
    return not _path(request).startswith("/api/") and "text/html" in request.headers.get("accept", "")


def _path(request: Request) -> str:
    """The path from our root, which need not be that of the server."""
    return request.url.path.removeprefix(request.scope.get("root_path", ""))


def no_such_page(request: Request) -> Response:
    """The answer to a browser that asks for a page that does not exist."""
    root = "/".join([".."] * (_path(request).count("/") - 1)) or "."
    return Response(missing_page(root), 404, {"cache-control": "no-store"}, media_type=_TYPES["html"])


async def _with_slash(request: Request) -> Response:
    """To the address that links on the page are relative to; relative itself, for servers behind others."""
    page = request.url.path.rpartition("/")[2]
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{page}/{query}", 308)


def _boards(larger: bool) -> str:
    """The menu of boards of Quixo: those that are solved on demand, 5×5 and, if asked for, larger ones."""
    groups: dict[str, list[str]] = {"Squares": [], "Wide": [], "Tall": [], "Larger, known in part": []}
    for rows, columns in shapes():
        quick = rows * columns <= QUICK_CELLS
        name = "Squares" if rows == columns else "Wide" if rows < columns else "Tall"
        if not quick and name != "Squares":
            # Their tall forms are left out: the page can turn the board.
            if name == "Tall" or not larger:
                continue
            name = "Larger, known in part"
        selected = " selected" if rows == columns == 5 else ""
        groups[name].append(f'<option value="{rows}x{columns}"{selected}>{rows}×{columns}</option>')
    return "".join(
        f'<optgroup label="{name}">{"".join(options)}</optgroup>'
        for name, options in groups.items()
        if options
    )


def _root(path: str) -> str:
    """From a page to the root: '.', '..', '../..'."""
    return "/".join([".."] * path.count("/")) or "."


def _page(
    source: Source,
    root: str,
    section: str,
    name: str,
    title: str,
    about: str,
    body: str,
    script: str | None = None,
) -> bytes:
    layout = Template((files("inarow.web") / "pages" / "layout.html").read_text())
    links = [
        f'<a href="{root}/{other}"{" aria-current=page" if other == section else ""}>{escape(label)}</a>'
        for other, _, label, _ in _pages(source)[1:]
    ]
    html = layout.substitute(
        source=source,
        root=root,
        title=escape(title if name == "home" else f"{title} · inarow"),
        about=escape(about, quote=True),
        name=name,
        script=_SCRIPT.substitute(root=root, script=script, source=source) if script else "",
        links="".join(links),
        body=body,
    )
    return html.encode()
