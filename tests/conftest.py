"""Dictionaries that others published: they are not part of the package, and tests that read them may skip."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def outside_data() -> Callable[[str], Path]:
    """The path of a published file; skips the test where there is none."""
    folder = Path(os.environ.get("INAROW_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"no {name} in {folder}; INAROW_DATA names another folder")
        return path

    return find
