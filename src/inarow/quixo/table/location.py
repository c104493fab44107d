"""Where a table is: in a folder, or on a web server."""

from __future__ import annotations

import re
from pathlib import Path

Location = str | Path  # a folder, or the URL of one


def parse_location(text: Location) -> Location:
    """The folder that a text names, unless it is a URL.

    >>> parse_location("https://example.org/quixo/"), parse_location("tables/4x4")
    ('https://example.org/quixo/', PosixPath('tables/4x4'))
    """
    return text if isinstance(text, str) and is_url(text) else Path(text)


def is_url(location: Location) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", str(location)) is not None
