"""The documents of docs/results as pages, made from Markdown files in the package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FOLDER = files("inarow") / "data" / "documents"


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    html: str


def documents() -> list[Document]:
    """All documents, sorted by name."""
    found = sorted(_FOLDER.iterdir(), key=lambda file: file.name) if _FOLDER.is_dir() else []
    texts = {file.name.removesuffix(".md"): file.read_text() for file in found if file.name.endswith(".md")}
    return [_document(name, text, set(texts)) for name, text in texts.items()]


def images() -> list[Traversable]:
    """The drawings in the documents."""
    return [file for file in _FOLDER.iterdir() if file.name.endswith(".svg")] if _FOLDER.is_dir() else []


def _document(name: str, text: str, names: set[str]) -> Document:
    markdown = MarkdownIt("commonmark").enable("table")
    # Wide tables scroll on their own, also by keyboard, so that the page does not have to.
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    tokens = markdown.parse(text)
    for token in tokens:
        if token.type == "html_block":
            token.content = token.content.replace('src="../images/', 'src="../../static/')
        elif token.type in ("th_open", "td_open"):
            # The security policy forbids style attributes.
            token.attrs = {"class": "right"} if "right" in str(token.attrs.get("style")) else {}
        _relink(token.children or (), names)
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Document(name, title[1] if title else name, html)


def _table_open(*_: object) -> str:
    return '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'


def _relink(tokens: Sequence[Token], names: set[str]) -> None:
    """Point links between documents to their pages; links to files that are not served become plain text."""
    dropped = False
    for token in tokens:
        if token.type == "image":
            token.attrs["src"] = str(token.attrs["src"]).replace("../images/", "../../static/")
        elif token.type == "link_open":
            target = str(token.attrs["href"])
            other = re.fullmatch(r"(\w+)\.md(#.*)?", target)
            if other and other[1] in names:
                token.attrs["href"] = f"../{other[1]}/"
            dropped = "://" not in target and not (other and other[1] in names)
            if dropped:
                token.tag = "span"
                del token.attrs["href"]
        elif token.type == "link_close" and dropped:
            token.tag = "span"
