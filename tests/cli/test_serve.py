"""`inarow serve` as a program: it says where it is, answers, and ends when told to."""

from __future__ import annotations

import http.client
import json
import socket
import urllib.request
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
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
        result = inarow("serve", "--port", str(port), code=5)
    assert f"127.0.0.1:{port}: Address already in use" in result.err


# --- `inarow site` ---


def test_a_site_is_written_and_checked(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inarow.cli.site.write_site", lambda *_: 7)
    assert "a site of 7 files" in inarow("site", "--out", tmp_path / "new").out
    page = tmp_path / "index.html"
    page.write_text("<h1>inarow</h1>")
    files = {"index.html": sha256(page.read_bytes()).hexdigest()}
    (tmp_path / "site.json").write_text(json.dumps({"files": files}))
    checked = inarow("site", "--check", tmp_path)
    assert checked.err == ""
    assert "1 pages, and all that they need" in checked.out
    page.write_text("")
    damaged = inarow("site", "--check", tmp_path, code=4)
    assert "index.html is damaged" in damaged.err
    page.unlink()
    inarow("site", "--check", tmp_path, code=3)
