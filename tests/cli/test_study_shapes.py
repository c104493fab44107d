"""`inarow quixo study shapes`."""

from __future__ import annotations

import json
from pathlib import Path

from cli.calling import Inarow

from inarow.quixo.study.shapes import games, kept_shapes, read_shapes

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
