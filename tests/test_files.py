"""Files are there whole or not at all, and what is no file stays what it is."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarow.files import require_writable, write_atomically


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
