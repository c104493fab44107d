"""The documents of docs/results as pages, made from Markdown files in the package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import join, normpath

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LONG_CELL = 28  # characters: a cell with more is text, which is broken into lines
_FOLDER = files("inarow") / "data" / "documents"


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    html: str


@lru_cache
def documents() -> list[Document]:
    """All documents, sorted by name."""
    found = sorted(_FOLDER.iterdir(), key=lambda file: file.name) if _FOLDER.is_dir() else []
    texts = {
        file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
        for file in found
        if file.name.endswith(".md")
    }
    return [_document(name, text, set(texts)) for name, text in texts.items()]


def images() -> list[Traversable]:
    """The drawings in the documents."""
    return [file for file in _FOLDER.iterdir() if file.name.endswith(".svg")] if _FOLDER.is_dir() else []


def _document(name: str, text: str, names: set[str]) -> Document:
    markdown = MarkdownIt("commonmark").enable("table")
    # Wide tables and programs scroll on their own, also by keyboard, so that the page does not have to.
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("fence", _program)
    markdown.add_render_rule("code_block", _program)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    tokens = markdown.parse(text)
    heading, tables = "", Counter[str]()
    for token, content, close in zip(tokens, [*tokens[1:], None], [*tokens[2:], None, None], strict=False):
        if token.type == "heading_open" and content:
            heading = re.sub("[`*]", "", content.content)
            token.attrs["id"] = _anchor(heading)
        elif token.type == "table_open":
            tables[heading] += 1
            number = f", {tables[heading]}" if tables[heading] > 1 else ""
            token.attrs["aria-label"] = f"Table: {heading}{number}"
        elif token.type == "html_block":
            token.content = token.content.replace('src="../images/', 'src="../../static/')
        elif token.type in ("th_open", "td_open"):
            # The security policy forbids style attributes.
            right = "right" in str(token.attrs.get("style"))
            words = content is not None and len(content.content) > _LONG_CELL
            token.attrs = {"class": "right"} if right else {"class": "words"} if words else {}
            if close and content and not content.content:  # it is the header of nothing
                token.tag = close.tag = "td"
        _relink(token.children or (), names)
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Document(name, title[1] if title else name, html)


def _table_open(_: object, tokens: Sequence[Token], nth: int, *__: object) -> str:
    label = escape(str(tokens[nth].attrs["aria-label"]), quote=True)
    return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table>'


def _program(_: object, tokens: Sequence[Token], nth: int, *__: object) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[nth].content)}</code></pre>\n'


def _anchor(heading: str) -> str:
    """The name of a heading in links to it: words in lower case, joined by hyphens."""
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def _relink(tokens: Sequence[Token], names: set[str]) -> None:
    """Point links between documents to their pages; files that are not served are named, and not linked."""
    dropped = False
    for token in tokens:
        if token.type == "image":
            token.attrs["src"] = str(token.attrs["src"]).replace("../images/", "../../static/")
        elif token.type == "link_open":
            target = str(token.attrs["href"])
            other = re.fullmatch(r"([\w-]+)\.md(#.*)?", target)
            page = other and other[1] in names
            if other and page:
                token.attrs["href"] = f"../{other[1]}/{other[2] or ''}"
            dropped = not page and "://" not in target and not target.startswith("#")
            if dropped:
                token.tag = "span"
                token.attrs = {"class": "source-file", "title": f"{_in_sources(target)} in the sources"}
        elif token.type == "link_close" and dropped:
            token.tag = "span"


def _in_sources(target: str) -> str:
    """The path of a file that a document links to, from the root of the repository."""
    return normpath(join("docs/results", target.partition("#")[0]))
