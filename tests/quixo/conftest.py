"""Tables that many tests read, and none writes to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from quixo.forms import Forms

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.table.book import Book, book_name, open_book


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's own tables are left alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "home"))
        yield


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


@pytest.fixture(scope="session")
def kept(tables: Path) -> Path:
    """What is kept of 4×4 without a table: its book and its counts."""
    inarow.solve(Quixo(4), tables / "kept", store=False)
    return tables / "kept"


@pytest.fixture(scope="session")
def book_of_four(kept: Path) -> Book:
    return open_book(kept / book_name(Quixo(4)))
