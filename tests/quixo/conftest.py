"""Tables that many tests read, and none writes to."""

from __future__ import annotations

from pathlib import Path

import pytest
from quixo.forms import Forms

from inarow.quixo.rules import Quixo


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `three` and `four`, which are in "3" and "4"."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def three(tables: Path) -> Forms:
    return Forms(tables / "3", Quixo(3))


@pytest.fixture(scope="session")
def four(tables: Path) -> Forms:
    return Forms(tables / "4", Quixo(4))
