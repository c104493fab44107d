"""`inarow site`: writes a site and checks one."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from cli.calling import Inarow


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
    assert (checked.code, checked.err) == (0, "")
    assert "1 pages, and all that they need" in checked.out
    page.write_text("")
    damaged = inarow("site", "--check", tmp_path)
    assert damaged.code == 4
    assert "index.html is damaged" in damaged.err
    page.unlink()
    assert inarow("site", "--check", tmp_path).code == 3


def test_one_thing_at_a_time(inarow: Inarow, tmp_path: Path) -> None:
    for result in (inarow("site"), inarow("site", "--out", tmp_path / "site", "--check", tmp_path)):
        assert result.code == 2
        assert "either --out DIR" in result.err
    assert inarow("site", "--check", tmp_path).code == 3


def test_no_name_is_not_the_current_folder(inarow: Inarow) -> None:
    for option in ("--out", "--check"):
        result = inarow("site", option, "")
        assert result.code == 2
        assert "the name is empty" in result.err
