"""Puzzles in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.calling import Inarow

from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.rules import Quixo


def test_a_puzzle_is_solved(inarow: Inarow) -> None:
    puzzle = shipped_puzzles(Quixo(4)).numbered(3)
    text = puzzle.position.rules.move_text
    wrong = next(text(move) for move in puzzle.outcomes if move != puzzle.move)
    result = inarow("quixo", "puzzle", "--id", "3", stdin=f"z9\n{wrong}\n{text(puzzle.move)}\n")
    assert result.code == 0
    assert puzzle.task in result.out
    assert "no column 'z'" in result.out
    assert result.out.splitlines()[-1] == f"inarow 4×4 #3 {'★' * puzzle.grade}{'☆' * (5 - puzzle.grade)} ✗✓"


def test_the_answer_is_shown(inarow: Inarow) -> None:
    result = inarow("quixo", "puzzle", "--daily", "--size", "5", stdin="show\n")
    assert result.code == 0
    assert "✓" not in result.out


@pytest.mark.parametrize(
    ("args", "code", "why"),
    [
        (["--id", "201"], 2, "1 to 200"),
        (["--id", "1", "--daily"], 2, "only one of them"),
        (["--size", "3"], 3, "no puzzles of Quixo 3×3"),
    ],
)
def test_there_is_no_such_puzzle(inarow: Inarow, args: list[str], code: int, why: str) -> None:
    result = inarow("quixo", "puzzle", *args)
    assert result.code == code
    assert why in result.err


def test_puzzles_are_made_and_checked(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    made: list[str | Path] = ["quixo", "puzzles", "--size", "3", "--count", "4", "--table", table3]
    result = inarow(*made, "--out", tmp_path / "some.json")
    assert (result.code, result.out) == (0, f"4 puzzles written to {tmp_path / 'some.json'}\n")
    assert json.loads(inarow(*made, "--json").out) == json.loads((tmp_path / "some.json").read_text())
    assert "★" in inarow(*made).out
    check: list[str | Path] = ["quixo", "puzzles", "--check", tmp_path / "some.json"]
    result = inarow(*check, "--table", table3)
    assert (result.code, result.out) == (0, "proven: 4 puzzles, 4 by the table, 0 by trying all moves\n")
    content = (tmp_path / "some.json").read_text().replace('"id":4', '"id":5')
    (tmp_path / "some.json").write_text(content)
    result = inarow(*check, "--json")
    assert (result.code, json.loads(result.out)["verdict"]) == (1, "wrong")
    assert inarow("quixo", "puzzle", "--file", tmp_path / "some.json").code == 4
