"""What MkDocs does with links to files that are not in the documentation: they are named, and not linked."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from posixpath import join, normpath
from typing import Any


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace links that lead out of docs/ by their text and the path in the sources."""
    folder = str(PurePosixPath(page.file.src_uri).parent)

    def unlink(found: re.Match[str]) -> str:
        text, target = found.groups()
        path = normpath(join("docs", folder, target.partition("#")[0]))
        inside = path.startswith("docs/") and path.endswith((".md", ".svg", ".png", ".gif"))
        return found[0] if inside else f"{text} (`{path}` in the sources)" if path not in text else text

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)", unlink, markdown)
