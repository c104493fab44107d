"""`inarow dictionary defend` and `inarow dictionary check`."""

from __future__ import annotations

import json
from pathlib import Path

from cli.calling import Inarow

GAME = ("--game", "mnk:3x3x3")


def test_lines_on_stdout_and_a_summary_beside_them(inarow: Inarow) -> None:
    result = inarow("dictionary", "defend", *GAME)
    assert result.code == 0
    assert result.out.splitlines()[0].startswith("# mnk:3x3x3, maker-maker")
    assert "X never wins: a defence of 5 lines, verified" in result.err


def test_what_is_found_is_checked(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "defence.txt"
    found = inarow("dictionary", "defend", *GAME, "--out", out, "--json")
    assert (found.code, json.loads(found.out)["lines"]) == (0, 5)
    checked = inarow("dictionary", "check", out, *GAME)
    assert (checked.code, "proven: X never completes a line" in checked.out) == (0, True)
    wrong = inarow("dictionary", "check", out, *GAME, "--maker-breaker")
    assert (wrong.code, "wrong: " in wrong.out) == (1, True)


def test_x_wins(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "defence.txt"
    result = inarow("dictionary", "defend", *GAME, "--maker-breaker", "--out", out)
    assert (result.code, out.exists()) == (1, False)
    assert "X wins: O has no defence" in result.out


def test_errors(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "defence.txt"
    for text, code, message in (
        (None, 3, "defence"),
        ("O...x...", 4, "line 1: 8 cells"),
        ("\0", 4, "binary"),
    ):
        if text is not None:
            file.write_text(text)
        result = inarow("dictionary", "check", file, *GAME)
        assert (result.code, result.out) == (code, "")
        assert message in result.err
        assert "defence.txt" in result.err
