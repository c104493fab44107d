"""Commands that take the URL of a table."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.calling import PROGRAM, Inarow, serving
from quixo.forms import contents
from serving import Answer, Faulty, faulty

POSITION = ".x./..o/... x"


@pytest.fixture(scope="session")
def tables(table3: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of 3×3; not to be written to."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "table").symlink_to(table3)
    return folder


@pytest.fixture
def server(tables: Path) -> Iterator[Faulty]:
    with faulty(tables) as server:
        yield server


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("command", [("probe", POSITION), ("line", POSITION), ("line",)])
def test_a_url_in_place_of_a_folder(
    inarow: Inarow, server: Faulty, table3: Path, command: tuple[str, ...]
) -> None:
    near = inarow("quixo", *command, "--table", table3, "--json")
    far = inarow("quixo", *command, "--table", f"{server.url}table/", "--json")
    assert far == near


def test_the_explorer_reads_tables_elsewhere(server: Faulty) -> None:
    with serving("--table", f"{server.url}table") as url:
        probe = f"{url}api/quixo/probe?position=.../.../..._x"
        with urllib.request.urlopen(probe, timeout=30) as answer:
            assert json.load(answer)["plies"] == 7
    assert any(path.endswith(".plies") for path, _ in server.requests)


def test_what_is_wrong_with_a_url(inarow: Inarow, server: Faulty, tables: Path) -> None:
    def spoil(answer: Answer) -> bool:
        content = answer.content()
        if content is None or not answer.path.endswith(".values"):
            return False
        answer.answer(bytes(len(content)))
        return True

    with faulty(tables) as gone:
        pass
    server.spoil = spoil
    for url, code, told in (
        (f"{server.url}none", 3, f"no table at {server.url}none"),
        (f"{server.url}table", 4, "is damaged"),
        (gone.url, 5, f"{gone.url}manifest.json: the server cannot be read"),
    ):
        result = inarow("quixo", "probe", POSITION, "--table", url, code=code)
        assert result.out == ""
        assert told in result.err
        assert "quixo solve" not in result.err


def test_ctrl_c_does_not_wait_for_a_server_that_stalls(server: Faulty) -> None:
    stalled = []

    def spoil(answer: Answer) -> bool:
        if answer.path.endswith(".json"):
            return False
        stalled.append(answer.path)
        time.sleep(30)
        return True

    server.spoil = spoil
    command = [*PROGRAM, "quixo", "probe", POSITION, "--table", f"{server.url}table"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not stalled:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130


# --- Copies ---


def test_a_table_is_copied(inarow: Inarow, server: Faulty, tables: Path, tmp_path: Path) -> None:
    result = inarow("quixo", "copy", f"{server.url}table", tmp_path / "copy")
    assert "all as they were written" in result.out
    assert contents(tmp_path / "copy") == contents(tables / "table")
    data = json.loads(inarow("quixo", "copy", tmp_path / "copy", tmp_path / "again", "--json").out)
    assert (data["has_plies"], data["complete"]) == (True, True)
    inarow("quixo", "check", tmp_path / "again")


def test_what_is_wrong_with_a_copy(inarow: Inarow, server: Faulty, tmp_path: Path) -> None:
    for source, out, code, words in (
        (f"{server.url}none", tmp_path / "out", 3, "no table at"),
        (tmp_path, tmp_path / "out", 3, "no table in"),
        (f"{server.url}table", tmp_path / "none" / "out", 3, "no such folder"),
        (f"{server.url}table", tmp_path, 2, "is not empty and holds no table"),
    ):
        (tmp_path / "file").touch()
        result = inarow("quixo", "copy", source, out, code=code)
        assert result.out == ""
        assert words in result.err
        assert not (tmp_path / "out").exists()

    def spoil(answer: Answer) -> bool:
        if answer.path.endswith("pair-03-03.plies"):
            answer.reply(403, b"")
            return True
        return False

    server.spoil = spoil
    result = inarow("quixo", "copy", f"{server.url}table", tmp_path / "out", code=5)
    assert "pair-03-03.plies: the server answers 403" in result.err
    assert "the same command resumes there" in result.err
