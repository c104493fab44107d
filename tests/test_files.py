"""Files are there whole or not at all, and what is no file stays what it is."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inarow.errors import DamagedFile
from inarow.files import require_writable, write_atomically
from inarow.quixo.puzzles import read_puzzles
from inarow.quixo.strategy import read_strategy
from inarow.quixo.table.book import open_book
from inarow.quixo.table.manifest import Manifest


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"new"
        raise OSError("the disk is full")

    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(OSError, match="full"):
        write_atomically(tmp_path / "file", parts())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """As a device does: /dev/null must survive being written to, by root too."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, [b"one ", b"two"])
    reader.join()
    assert got == [b"one two"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "error"),
    [("missing/file", FileNotFoundError), ("folder", IsADirectoryError), ("a-file/file", FileNotFoundError)],
)
def test_what_cannot_be_written_is_known_beforehand(tmp_path: Path, name: str, error: type[OSError]) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a-file").write_bytes(b"old")
    with pytest.raises(error) as caught:
        require_writable(tmp_path / name)
    assert str(tmp_path) in str(caught.value.filename)


def test_to_ask_whether_a_file_can_be_written_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").write_bytes(b"old")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "old", tmp_path / "new", tmp_path / "pipe", Path("new"), Path("/dev/null")):
        require_writable(path)
    assert {path.name for path in tmp_path.iterdir()} == {"old", "pipe"}
    assert (tmp_path / "old").read_bytes() == b"old"


# --- Files that are no files, too large, or nothing but brackets: refused before they take memory or time ---


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
