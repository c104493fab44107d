"""`inarow quixo check --published` and `--write-list`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli.calling import Inarow
from quixo.forms import change_plies
from serving import faulty

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve


def test_the_published_table(
    inarow: Inarow, table4: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with faulty(table4.parent) as server:
        result = inarow("quixo", "check", f"{server.url}{table4.name}", "--published")
    assert result.code == 0
    assert "163 files" in result.out
    assert result.out.splitlines()[-1].startswith("This is the published table")
    solve(Quixo(4), tmp_path / "part", stop_at=14, outcomes_only=True)
    result = inarow("quixo", "check", tmp_path / "part", "--published")
    assert result.code == 3  # not complete
    told = " ".join(result.out.split())
    assert "The files present are those of the published table: " in told
    assert "Missing are 81 files of plies and 56 files of values." in told
    found = json.loads(inarow("quixo", "check", tmp_path / "part", "--published", "--json").out)["published"]
    assert (found["different"], len(found["missing"])) == ([], 137)


def test_another_table(inarow: Inarow, table4: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(table4, tmp_path / "copy"))
    change_plies(copy, 5, 5, 0, 0, 2)
    result = inarow("quixo", "check", copy, "--published")
    assert result.code == 1
    assert "Not the published table: 1 files differ: pair-05-05.plies" in result.out
    assert inarow("quixo", "check", copy).code == 0
    (copy / "pair-05-05.plies").write_bytes(b"")
    assert inarow("quixo", "check", copy, "--published").code == 4


def test_what_is_not_published(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    result = inarow("quixo", "check", table3, "--published")
    assert (result.code, result.out) == (3, "")
    assert "no checksums are published for Quixo 3×3" in result.err
    assert inarow("quixo", "check", tmp_path / "none", "--published").code == 3


def test_a_list_is_written(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    result = inarow("quixo", "check", table3, "--write-list", path)
    assert result.code == 0
    assert result.out.splitlines()[-1] == f"The checksums are in {path}"
    assert len(json.loads(path.read_text())["files"]) == 60
    result = inarow("quixo", "check", table3, "--write-list", tmp_path / "none" / "list.json")
    assert (result.code, result.out) == (3, "")
    solve(Quixo(3), tmp_path / "part", stop_at=5)
    result = inarow("quixo", "check", tmp_path / "part", "--write-list", path)
    assert result.code == 3
    assert "is not complete" in result.err
