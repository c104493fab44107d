"""`inarow serve` as a program: it says where it is, answers, and ends when told to."""

from __future__ import annotations

import http.client
import json
import socket
import urllib.request
from contextlib import closing
from pathlib import Path

from cli.calling import Inarow, serving


def test_it_serves_until_interrupted_under_the_names_it_was_given(table3: Path) -> None:
    with serving("--table", table3, "--allowed-host", "games.example") as url:
        with urllib.request.urlopen(f"{url}api/health", timeout=30) as answer:
            assert json.load(answer)["tables"] == ["Quixo 3×3, line 3, double line loses"]
        ours = url.removeprefix("http://").rstrip("/")
        for host, status in (("games.example", 200), ("other.example", 421), (ours, 200)):
            with closing(http.client.HTTPConnection(ours, timeout=30)) as connection:
                connection.request("GET", "/api/health", headers={"host": host})
                assert connection.getresponse().status == status


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
