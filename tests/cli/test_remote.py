"""Commands that take the URL of a table."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.calling import PROGRAM, Inarow
from serving import Answer, Faulty, faulty

from inarow.quixo.table.convert import convert

POSITION = ".x./..o/... x"


@pytest.fixture(scope="session")
def tables(table3: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a compact table of 3×3, and a plain one; not to be written to."""
    folder = tmp_path_factory.mktemp("served")
    convert(table3, folder / "compact")
    (folder / "plain").symlink_to(table3)
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
    far = inarow("quixo", *command, "--table", f"{server.url}compact/", "--json")
    assert near.code == 0
    assert far == near


def test_a_game_against_a_table_elsewhere(inarow: Inarow, server: Faulty) -> None:
    result = inarow("quixo", "play", "--table", f"{server.url}compact", stdin="hint\nquit\n")
    assert result.code == 0
    assert "win in 7" in result.out


def test_the_explorer_reads_tables_elsewhere(server: Faulty) -> None:
    command = [*PROGRAM, "serve", "--port", "0", "--table", f"{server.url}compact"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        assert found is not None
        with urllib.request.urlopen(
            f"{found[0]}api/quixo/probe?position=.../.../..._x", timeout=30
        ) as answer:
            assert json.load(answer)["plies"] == 7
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert any(path.endswith(".plies") for path, _ in server.requests)


@pytest.mark.parametrize(
    ("table", "code", "words"),
    [
        ("none", 3, "no table at"),
        ("plain", 2, "inarow quixo copy"),
    ],
)
def test_what_is_wrong_with_a_url(inarow: Inarow, server: Faulty, table: str, code: int, words: str) -> None:
    result = inarow("quixo", "probe", POSITION, "--table", server.url + table)
    assert (result.code, result.out) == (code, "")
    assert words in result.err
    assert server.url + table in result.err
    assert "quixo solve" not in result.err


def test_a_damaged_table_elsewhere(inarow: Inarow, server: Faulty) -> None:
    def spoil(answer: Answer) -> bool:
        content = answer.content()
        if content is None or not answer.path.endswith(".values"):
            return False
        answer.answer(bytes(len(content)))
        return True

    server.spoil = spoil
    result = inarow("quixo", "probe", POSITION, "--table", f"{server.url}compact")
    assert result.code == 4
    assert "is damaged" in result.err


def test_a_server_that_is_gone(inarow: Inarow, tables: Path) -> None:
    with faulty(tables) as server:
        url = server.url
    result = inarow("quixo", "probe", POSITION, "--table", url)
    assert result.code == 5
    assert f"{url}manifest.json: the server cannot be read" in result.err


@pytest.mark.parametrize("command", ["info", "verify", "convert"])
def test_commands_that_need_the_files(inarow: Inarow, command: str, tmp_path: Path) -> None:
    out = [tmp_path / "out"] if command == "convert" else []
    result = inarow("quixo", command, "https://example.org/table", *out)
    assert result.code == 2
    assert "download it with: inarow quixo copy https://example.org/table DIR" in result.err


def test_ctrl_c_does_not_wait_for_a_server_that_stalls(server: Faulty) -> None:
    stalled = []

    def spoil(answer: Answer) -> bool:
        if answer.path.endswith(".json"):
            return False
        stalled.append(answer.path)
        time.sleep(30)
        return True

    server.spoil = spoil
    command = [*PROGRAM, "quixo", "probe", POSITION, "--table", f"{server.url}compact"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not stalled:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
