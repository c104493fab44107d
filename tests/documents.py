"""What tests read in the documents."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def found(pattern: str, path: str) -> re.Match[str]:
    """Where a document says this, however its lines are broken."""
    match = re.search(pattern, re.sub(r"\s+", " ", text(path)))
    assert match is not None, f"{path} does not say: {pattern}"
    return match


def number(pattern: str, path: str) -> int:
    """A number that a document has in this place."""
    return count(found(pattern, path)[1])


def count(cell: str) -> int:
    return int(cell.replace(",", ""))


def table(path: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = re.split(rf"^##+ {re.escape(heading)}$", text(path), flags=re.MULTILINE)[1]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert lines is not None, heading
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in lines[0].splitlines()[2:]]


def result(name: str) -> dict[str, Any]:
    """What is kept of all positions of 5×5."""
    found: dict[str, Any] = json.loads(text(f"docs/results/quixo-5x5-{name}.json"))
    return found
