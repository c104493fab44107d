"""Boards that are not square, through all commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli.calling import Inarow

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve

SIZE = "3x4"
START = "..../..../.... x"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / SIZE
    solve(Quixo(3, 4), folder)
    return folder


def one(text: str) -> dict[str, Any]:
    (line,) = text.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_tables(inarow: Inarow, table: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(table, tmp_path / "copy")  # what was checked is recorded there
    for command in ("check", "info", "verify"):
        assert "Quixo 3×4" in inarow("quixo", command, copy).out
        result = inarow("quixo", command, copy, "--json")
        assert (result.code, result.err) == (0, "")
        assert Quixo.from_json(one(result.out)) == Quixo(3, 4)
    outcomes = tmp_path / "outcomes"
    assert inarow("quixo", "solve", "--size", SIZE, "--outcomes-only", "--out", outcomes).code == 0
    proven, consistent = (inarow("quixo", "verify", outcomes, *more) for more in ((), ("--no-derive",)))
    assert (proven.code, consistent.code) == (0, 6)
    assert "Proven:" in proven.out
    assert "Consistent:" in consistent.out
    result = inarow("quixo", "probe", START, "--table", table)
    assert (result.code, result.err) == (0, "")
    assert " 3   .  .  .  .\n" in result.out
    found = one(inarow("quixo", "probe", START.replace(" ", "_"), "--table", table, "--json").out)
    assert found["position"] == START
    assert {move["move"] for move in found["moves"]} >= {"a1a3", "a1d1", "d2a2"}


def test_line_and_play(inarow: Inarow) -> None:
    game = one(inarow("quixo", "line", "--size", "2x4", "--line", "2", "--json").out)
    assert (game["value"], game["position"]) == ("win", "..../.... x")
    assert len(game["moves"]) == game["plies"]
    shown = inarow("quixo", "line", "--size", "2x4", "--line", "2").out
    assert "X has won" in shown
    played = inarow("quixo", "play", "--size", "2x4", "--line", "2", stdin="hint\na1d1\nquit\n")
    assert played.code == 0
    assert "push it in: a1a2" in played.out
    assert "inarow plays" in played.out or "wins after" in played.out


def test_results_of_other_boards_are_not_kept(inarow: Inarow) -> None:
    result = inarow("quixo", "results", "--size", SIZE)
    assert result.code == 3
    assert "inarow quixo solve --size 3x4" in result.err
