"""`inarow serve` as a program: it says where it is, answers, and ends when told to."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import urllib.request
from contextlib import closing
from pathlib import Path

from cli.calling import PROGRAM, Inarow


def test_it_serves_until_interrupted(table3: Path) -> None:
    command = [*PROGRAM, "serve", "--port", "0", "--table", str(table3)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        assert found is not None
        with urllib.request.urlopen(f"{found[0]}api/health", timeout=30) as answer:
            assert json.load(answer)["tables"] == ["Quixo 3×3, line 3, double line loses"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == "inarow: interrupted\n"


def test_an_address_that_is_taken(inarow: Inarow) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = inarow("serve", "--port", str(port))
    assert result.code == 5
    assert f"127.0.0.1:{port}: Address already in use" in result.err


def test_a_table_that_is_not_there(inarow: Inarow, tmp_path: Path) -> None:
    result = inarow("serve", "--table", tmp_path / "none")
    assert result.code == 3
    assert "inarow quixo solve" in result.err


def test_no_address_is_not_every_address(inarow: Inarow) -> None:
    result = inarow("serve", "--host", "", "--port", "0")
    assert result.code == 2
    assert "--host" in result.err


def test_it_answers_to_the_names_it_was_given() -> None:
    command = [*PROGRAM, "serve", "--port", "0", "--allowed-host", "games.example"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://(127\.0\.0\.1:\d+)/", process.stderr.readline())
        assert found is not None
        for host, status in (("games.example", 200), ("other.example", 421), (found[1], 200)):
            with closing(http.client.HTTPConnection(found[1], timeout=30)) as connection:
                connection.request("GET", "/api/health", headers={"host": host})
                assert connection.getresponse().status == status
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
