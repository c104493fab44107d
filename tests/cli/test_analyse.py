"""Games judged in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.calling import Inarow
from drawings import parse

GAME = '[Game "Quixo"] [Size "3x3"] [X "Ann"] 1. a1a3 c1a1 2. a2c2 *'


def test_a_game_is_annotated(inarow: Inarow, tmp_path: Path) -> None:
    (tmp_path / "one.game").write_text(GAME)
    result = inarow("quixo", "analyse", tmp_path / "one.game", "--svg", tmp_path / "one.svg")
    assert result.code == 0
    assert "Ann – O, Quixo 3×3" in result.out
    assert "won in 5 → lost in 6; best was" in result.out
    assert "Ann: 2 moves, 1 mistake, 0 slow, accuracy 50%" in result.out
    assert "It turned with move 3, X a2c2: won in 5 → lost in 6." in result.out
    assert "→" in (tmp_path / "one.svg").read_text()
    parse((tmp_path / "one.svg").read_text())
    found = json.loads(inarow("quixo", "analyse", tmp_path / "one.game", "--json").out)
    assert (found["players"], found["turned"]) == ({"x": "Ann", "o": ""}, 3)


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("", 4, "has no game"),
        ('[Game "Quixo"] a1a9', 4, "line 1, column 19: no row '9'"),
        ('[Game "Qubic"] 0 1', 2, "only Quixo"),
    ],
)
def test_what_is_no_game(inarow: Inarow, tmp_path: Path, text: str, code: int, why: str) -> None:
    (tmp_path / "one.game").write_text(text)
    result = inarow("quixo", "analyse", tmp_path / "one.game")
    assert (result.code, why in result.err) == (code, True), result.err


def test_a_missing_game(inarow: Inarow, tmp_path: Path) -> None:
    assert inarow("quixo", "analyse", tmp_path / "none.game").code == 3


def test_a_position_that_comes_back_is_a_draw_at_the_third_time(inarow: Inarow) -> None:
    around = "a3a1\nc3c1\na1a3\nc1c3\n"
    script = f"draw\n{around}{around}draw\n"
    result = inarow("quixo", "play", "x.o/.../... x", "--as", "both", stdin=script)
    assert result.code == 0
    assert "offered when a position is there for the third time" in result.out
    assert "This position was there before." in result.out
    assert "This position is there for the 3. time: 'draw' ends the game." in result.out
    assert "A draw by repetition after 8 moves." in result.out
