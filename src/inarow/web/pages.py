"""The pages and their files, read into memory once; no other path is served."""

from __future__ import annotations

import gzip
from hashlib import blake2b
from html import escape
from importlib.resources import files
from string import Template

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inarow.quixo.prober import QUICK_CELLS
from inarow.quixo.rules import shapes
from inarow.web.documents import documents, images
from inarow.web.replies import matches

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}

# Path, name of the file of the body, title, description for search engines and link previews.
_PAGES = [
    ("/", "home", "inarow", "Perfect play in in-a-row games: explore, play, and check the proofs."),
    ("/quixo", "quixo", "Quixo", "Play Quixo against inarow, and see the value of every move."),
    ("/qubic", "qubic", "Qubic", "4×4×4 tic-tac-toe: the proof that the first player wins, move by move."),
    ("/ultimate", "ultimate", "Ultimate", "Ultimate tic-tac-toe: a strategy that always wins, explained."),
    ("/results", "results", "Results", "What solving these games has shown, in tables and plots."),
    ("/api/docs", "docs", "API", "The HTTP API of inarow."),
]


class Asset:
    """A file, ready to be sent."""

    def __init__(self, body: bytes, kind: str) -> None:
        self._type = _TYPES[kind]
        self._plain = body
        self._packed = gzip.compress(body, mtime=0) if kind != "png" else body
        # The browser asks every time, and usually gets 304: nothing has changed.
        self._headers = {
            "etag": f'"{blake2b(body, digest_size=12).hexdigest()}"',
            "cache-control": "no-cache",
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
    """A route for each page and for each file that the pages load."""
    web = files("inarow.web")
    results = documents()
    listed = "".join(f'<li><a href="/results/{doc.name}">{escape(doc.title)}</a></li>' for doc in results)
    routes = []
    for path, name, title, about in _PAGES:
        body = (web / "pages" / f"{name}.html").read_text()
        body = body.replace("$documents", listed).replace("$boards", _boards(larger=name == "quixo"))
        script = name if (web / "static" / f"{name}.js").is_file() else None
        routes.append(_route(path, _page(path, name, title, about, body, script)))
    for doc in results:
        body = f'<article class="prose">{doc.html}</article>'
        routes.append(
            _route(f"/results/{doc.name}", _page("/results", "document", doc.title, doc.title, body))
        )
    for file in [*(web / "static").iterdir(), *images()]:
        routes.append(_route(f"/static/{file.name}", Asset(file.read_bytes(), file.name.rpartition(".")[2])))
    return routes


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


def _route(path: str, asset: Asset) -> Route:
    return Route(path, asset.reply)


def _page(section: str, name: str, title: str, about: str, body: str, script: str | None = None) -> Asset:
    layout = Template((files("inarow.web") / "pages" / "layout.html").read_text())
    links = [
        f'<a href="{path}"{" aria-current=page" if path == section else ""}>{escape(label)}</a>'
        for path, _, label, _ in _PAGES[1:]
    ]
    html = layout.substitute(
        title=escape(title if name == "home" else f"{title} · inarow"),
        about=escape(about, quote=True),
        name=name,
        script=f'<script type="module" src="/static/{script}.js"></script>' if script else "",
        links="".join(links),
        body=body,
    )
    return Asset(html.encode(), "html")
