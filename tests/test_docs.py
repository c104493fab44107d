"""The documents: links lead somewhere, and the commands they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")],
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    links = re.findall(r"(?:\]\(|src=\")([^)\s\"]+)", text)
    missing = [
        link
        for link in links
        if not link.startswith(("http", "mailto:", "#"))
        and not (path.parent / link.partition("#")[0]).exists()
    ]
    assert missing == []
