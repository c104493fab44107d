"""Files that are no files, too large, or nothing but brackets: refused before they take memory or time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inarow.errors import DamagedFile
from inarow.quixo.puzzles import read_puzzles
from inarow.quixo.strategy import read_strategy
from inarow.quixo.table.book import open_book
from inarow.quixo.table.manifest import Manifest


def manifest(path: Path) -> object:
    return Manifest.load(path.parent)


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 12 << 30)


def holding(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "sparse": sparse,
    "null": holding(b"null"),
    "number": holding(b"9" * 5000),
    "brackets": holding(b"[" * 200_000),
    "empty": holding(b""),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes among its files")
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "read", [manifest, read_puzzles, read_strategy, open_book], ids=lambda it: it.__name__
)
def test_hostile_files_are_damaged(
    read: Callable[[Path], object], make: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "manifest.json"
    make(path)
    with pytest.raises(DamagedFile, match=r"manifest\.json"):
        read(path)
