"""`inarow quixo study shapes`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.calling import Inarow

from inarow.cli.quixo.study import shapes as command
from inarow.quixo.rules import Quixo
from inarow.quixo.study.shapes import ShapeResult, games, kept_shapes, read_shapes

KEPT = {result.rules: result for result in kept_shapes()}


def test_the_command_solves_checks_and_resumes(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    first = inarow("quixo", "study", "shapes", "--solve", "--cells", "4", "--out", out)
    assert (first.code, read_shapes(out)[0].proven) == (0, False)
    args = ("quixo", "study", "shapes", "--solve", "--check", "--cells", "6", "--out", out, "--json")
    second = inarow(*args)
    assert second.code == 0
    found = json.loads(second.out)["games"]
    assert found == [KEPT[rules].to_json() for rules in games(6)]
    # What the file has is believed, and compared with what ships.
    out.write_text(out.read_text().replace('"draw": 345', '"draw": 344'))
    third = inarow(*args)
    assert third.code == 1
    assert "Quixo 2×3, line 3, double line loses: this is not the result" in third.err


def test_options_for_solving_need_it(inarow: Inarow) -> None:
    result = inarow("quixo", "study", "shapes", "--check")
    assert result.code == 2
    assert "add --solve" in result.err


def test_no_folder_for_the_results(inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "study_shape", None)  # refused before anything is solved
    result = inarow("quixo", "study", "shapes", "--solve", "--out", tmp_path / "nowhere" / "found.json")
    assert (result.code, "no such folder" in result.err) == (3, True)


def test_an_interrupt_says_what_is_kept(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(rules: Quixo, *rest: object) -> ShapeResult:
        if rules.cells > 4:
            raise KeyboardInterrupt
        return KEPT[rules]

    monkeypatch.setattr(command, "study_shape", interrupted)
    out = tmp_path / "found.json"
    result = inarow("quixo", "study", "shapes", "--solve", "--out", out)
    assert result.code == 130
    assert f"kept in {out}" in result.err
    assert [its.rules.cells for its in read_shapes(out)] == [4, 4]
