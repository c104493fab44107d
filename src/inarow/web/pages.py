"""The pages and their files: the same bytes from `inarow serve` and from any file host.

Links are relative, so that the pages work under any path.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Literal

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from inarow.quixo.rules import VARIANTS, shapes
from inarow.quixo.solver.plan import QUICK_CELLS
from inarow.ultimate.optimal import shipped_file
from inarow.web.documents import documents, images
from inarow.web.replies import A_DAY, Tagged, etag

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}

# By name, the path of each page. The first language has them there, others in a folder of their own.
_PAGES = {
    "home": "",
    "quixo": "quixo/",
    "puzzles": "puzzles/",
    "qubic": "qubic/",
    "ultimate": "ultimate/",
    "results": "results/",
    "docs": "api/docs/",
}
_GAMES = {"quixo", "puzzles", "qubic", "ultimate"}
_ENGLISH_ONLY = {"docs", "document", "missing"}
_LANGUAGES = {"en": "English", "fr": "Français"}

# The texts that the scripts of a page use, by the beginnings of their keys.
_TEXTS = {
    "quixo": ("common", "game", "values", "quixo"),
    "puzzles": ("common", "values", "quixo", "puzzles"),
    "qubic": ("common", "game", "qubic"),
    "ultimate": ("common", "game", "ultimate"),
    "results": ("common", "values", "results"),
    "docs": ("common", "docs"),
    # What scripts load later.
    "review": ("review",),
    "exchange": ("exchange", "wrong"),
    "lesson": ("lesson",),
    "openings": ("openings",),
}

# The source speaks English. These are its sentences, which pages in other languages translate.
_TOLD = ("told", "wrong")

# The source and the texts are imported last, and would be found last.
_SCRIPT = Template(
    '<link rel="modulepreload" href="$root/static/source-$source.js">\n'
    '<link rel="modulepreload" href="$root/static/texts-$lang-$script.js">\n'
    '<script type="module" src="$root/static/$script.js"></script>'
)

# Where the pages get their answers: from the API, or from the core in the page: see contract.js.
Source = Literal["http", "wasm"]


class _Body(Template):
    """The body of a page, with ${page.key} where a text belongs."""

    braceidpattern = r"[a-z][a-z0-9.\-]*"


@lru_cache
def texts(language: str) -> dict[str, str]:
    """Every text of the pages, by its key."""
    found = (files("inarow.web") / "texts" / f"{language}.json").read_text(encoding="utf-8")
    return dict(json.loads(found))


def site_files(source: Source = "http") -> Iterator[tuple[str, bytes]]:
    """Every page and every file that the pages load, by path from the root: 'quixo/index.html'."""
    web = files("inarow.web")
    english = texts("en")
    for language in _LANGUAGES:
        words = texts(language)
        for name, path in _PAGES.items():
            if (name == "docs" and source != "http") or (name in _ENGLISH_ONLY and language != "en"):
                continue
            title, about = words[f"page-{name}.title"], words[f"page-{name}.about"]
            page = _page(source, language, name, path, title, about, _written(name))
            yield f"{_folder(language)}{path}index.html", page
        for name, sections in _TEXTS.items():
            used = {key: text for key, text in words.items() if key.partition(".")[0] in sections}
            yield f"static/texts-{language}-{name}.js", _module(used)
        if language != "en":
            told = [[english[key], text] for key, text in words.items() if key.partition(".")[0] in _TOLD]
            yield f"static/texts-{language}-told.js", _module(told)
    for doc in documents():
        body = '<article class="prose">$article</article>'
        path = f"results/{doc.name}/"
        yield (
            f"{path}index.html",
            _page(source, "en", "document", path, doc.title, doc.title, body, article=doc.html),
        )
    yield "static/ultimate-optimal-play.js", b"export default " + shipped_file().read_bytes()
    for file in [*(web / "static").iterdir(), *images()]:
        if file.is_file():
            yield f"static/{file.name}", file.read_bytes()


def _module(value: object) -> bytes:
    """A script that exports the value."""
    return f"export default {json.dumps(value, ensure_ascii=False, indent=0)};\n".encode()


def missing_page(root: str, source: Source = "http") -> bytes:
    """The page for addresses that do not exist; `root` leads from there to the root."""
    title, about = "No such page", "There is no such page."
    return _page(source, "en", "missing", "", title, about, _written("missing"), root)


class Asset:
    """A file, ready to be sent."""

    def __init__(self, body: bytes, kind: str) -> None:
        # The browser asks every time, and usually gets 304: nothing has changed. It need not for pictures;
        # it would ask for the icon whenever the address changes, which is at every move.
        cache = f"max-age={A_DAY}" if kind in ("svg", "png") else "no-cache"
        headers = {"etag": etag(body), "cache-control": cache, "vary": "accept-encoding"}
        self._plain = self._packed = Tagged(body, headers=headers, media_type=_TYPES[kind])
        if kind != "png":
            headers["content-encoding"] = "gzip"
            self._packed = Tagged(gzip.compress(body, mtime=0), headers=headers, media_type=_TYPES[kind])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        packed = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        await (self._packed if packed else self._plain)(scope, receive, send)


@lru_cache
def page_routes() -> list[Route]:
    """A route for each page and for each file that the pages load; no other path is served."""
    routes = []
    for name, body in site_files():
        path = "/" + name.removesuffix("index.html")
        routes.append(Route(path, Asset(body, name.rpartition(".")[2]), methods=["GET"]))
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


def _boards(words: dict[str, str], larger: bool) -> str:
    """The menu of boards of Quixo: those that are solved on demand, 5×5 and, if asked for, larger ones."""
    groups: dict[str, list[str]] = {"squares": [], "wide": [], "tall": [], "larger": []}
    for rows, columns in shapes():
        quick = rows * columns <= QUICK_CELLS
        name = "squares" if rows == columns else "wide" if rows < columns else "tall"
        if not quick and name != "squares":
            # Their tall forms are left out: the page can turn the board.
            if name == "tall" or not larger:
                continue
            name = "larger"
        selected = " selected" if rows == columns == 5 else ""
        groups[name].append(f'<option value="{rows}x{columns}"{selected}>{rows}×{columns}</option>')
    return "".join(
        f'<optgroup label="{words[f"boards.{name}"]}">{"".join(options)}</optgroup>'
        for name, options in groups.items()
        if options
    )


def _folder(language: str) -> str:
    """Where the pages of a language are, from the root."""
    return "" if language == "en" else f"{language}/"


@lru_cache
def _written(name: str) -> str:
    """A file of pages/, with the parts in place that several of them have."""
    text = (files("inarow.web") / "pages" / f"{name}.html").read_text(encoding="utf-8")
    return re.sub(r"\$\{part-(\w+)\}\n", lambda part: _written(f"part-{part[1]}"), text)


def _page(
    source: Source,
    language: str,
    name: str,
    path: str,
    title: str,
    about: str,
    body: str,
    root: str | None = None,
    **parts: str,
) -> bytes:
    words = texts(language)
    if root is None:
        root = "/".join([".."] * f"{_folder(language)}{path}".count("/")) or "."
    home = f"{root}/{_folder(language)}".rstrip("/")

    def filled(written: str, **parts: str) -> str:
        """With texts, which may hold links, and then with the rest."""
        return Template(_Body(written).safe_substitute(words)).substitute(root=root, home=home, **parts)

    links = []
    for other, where in _PAGES.items():
        if other == "home" or (other == "docs" and source != "http"):
            continue
        base = root if other in _ENGLISH_ONLY else home
        current = " aria-current=page" if path.startswith(where) else ""
        links.append(f'<a href="{base}/{where}"{current}>{escape(words[f"page-{other}.title"])}</a>')
    # A page that is in English alone leads to the start in other languages.
    there = "" if name in _ENGLISH_ONLY else path
    others = {code: f"{root}/{_folder(code)}{there}" for code in _LANGUAGES if code != language}
    has_script = (files("inarow.web") / "static" / f"{name}.js").is_file()
    return filled(
        _written("layout"),
        source=source,
        lang=language,
        title=escape(title if name == "home" else f"{title} · inarow"),
        about=escape(about, quote=True),
        name=name,
        # The pages of games have boards, the others tables and prose.
        styles="" if name in _GAMES else f'<link rel="stylesheet" href="{root}/static/documents.css">',
        script=_SCRIPT.substitute(root=root, script=name, source=source, lang=language) if has_script else "",
        alternates="\n".join(
            f'<link rel="alternate" hreflang="{code}" href="{link}">'
            for code, link in others.items()
            if name not in _ENGLISH_ONLY
        ),
        links="".join(links),
        languages="".join(
            f'<a href="{link}" hreflang="{code}" lang="{code}">{_LANGUAGES[code]}</a>'
            for code, link in others.items()
        ),
        body=filled(
            body,
            documents="".join(
                f'<li><a href="{root}/results/{doc.name}/" lang="en">{escape(doc.title)}</a></li>'
                for doc in documents()
            ),
            boards=_boards(words, larger=name == "quixo"),
            draws=f'<option value="draws">{words["page.draw"]}</option>',
            variants="".join(
                f'<label class="check wide"><input type="checkbox" class="variant" name="{variant}"> '
                f"{words[f'variants.{variant}']}</label>\n"
                for variant in VARIANTS
            ),
            http=f'<a href="{root}/api/docs/">HTTP</a>' if source == "http" else "HTTP",
            **parts,
        ),
    ).encode()
