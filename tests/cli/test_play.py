"""Games in the terminal, played by a script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cli.calling import Inarow
from drawings import parse

from inarow.quixo.player import Player
from inarow.quixo.prober import open_prober
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.table import Table, open_table


@pytest.fixture
def table(table3: Path) -> Iterator[Table]:
    with open_table(table3) as table:
        yield table


def scripted_replies(player: Player, position: Position, random: Random) -> list[str]:
    """Legal moves against this player, up to the end of the game."""
    script: list[str] = []
    while True:
        position = player.choose(position).position
        if position.is_over:
            return script
        move = random.choice(position.legal_moves())
        script.append(position.rules.move_text(move))
        position = position.play(move)
        if position.is_over:
            return script


@pytest.mark.parametrize("seed", range(2))
def test_a_game_against_inarow(inarow: Inarow, table: Table, table3: Path, seed: int) -> None:
    script = scripted_replies(Player(open_prober(Quixo(3), [table]), "best"), Quixo(3).start(), Random(seed))
    result = inarow("quixo", "play", "--table", table3, "--as", "o", stdin="\n".join(script) + "\n")
    assert result.err == ""
    assert "X wins after" in result.out
    assert 1 <= result.out.count("inarow plays") <= 4


def test_a_person_may_play_both_sides_and_is_told_what_was_better(inarow: Inarow) -> None:
    moves = "a1a3", "c1c3", "b1a1", "c2c3", "a2a1"
    result = inarow("quixo", "play", "--size", "3", "--as", "both", stdin="\n".join(moves))
    assert "X wins after 5 moves." in result.out
    assert "inarow plays" not in result.out
    result = inarow("quixo", "play", "xx./.../o.o x", "--as", "both", stdin="a3a1\nc3c1\na1c1\n" + "quit\n")


def test_a_move_that_gave_the_win_away_is_named(inarow: Inarow, table: Table) -> None:
    position = Position.parse("xx./.../o.o x")
    blunder = next(move for move in table.probe(position).moves if move.value == "loss")
    lines = [
        Quixo(3).move_text(blunder.move),
        *(Quixo(3).move_text(move.move) for move in table.line(blunder.position)),
    ]
    result = inarow("quixo", "play", str(position), "--as", "both", stdin="\n".join(lines))
    assert "O wins after" in result.out
    assert f"Move 1, X {Quixo(3).move_text(blunder.move)}, turned a win in 1 into a loss" in result.out


def test_hints_moves_undo_help_and_mistakes(inarow: Inarow) -> None:
    script = ["hint", "moves", "help", "undo", "b2a2", "a1a3", "undo", "undo", "", "quit"]
    result = inarow("quixo", "play", "--size", "3", stdin="\n".join(script))
    assert result.err == ""
    assert result.out.count("X to move wins in 7 plies (4 moves).") == 2
    assert result.out.count("win in 7 ") == 2
    assert "push it in: a1a3" in result.out
    assert "only a tile on the border can be taken" in result.out
    assert result.out.count("inarow plays") == 1
    assert result.out.count("There is nothing to take back.") == 2
    assert "The game ends here." in result.out


@pytest.mark.parametrize(
    ("args", "stdin", "told"),
    [
        (["xxx/.../... o"], "", "The game is over: X has won.\n"),
        (["--size", "3"], "", "The game ends here.\n"),
        (["o../.../... x"], "a3a1\n", "the tile of a3 is the opponent's"),
    ],
)
def test_ends(inarow: Inarow, args: list[str], stdin: str, told: str) -> None:
    result = inarow("quixo", "play", *args, stdin=stdin)
    assert result.err.replace(told, "") == ""
    assert told in result.out


def test_ctrl_c_ends_the_game_politely(inarow: Inarow, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = inarow("quixo", "play", "--size", "3", code=130)
    assert result.err == ""
    assert result.out.endswith("The game ends here.\n")


def test_a_weaker_opponent_makes_mistakes(inarow: Inarow, table: Table, table3: Path) -> None:
    position = Position.parse("xx./.../o.o x")
    best = {position.rules.move_text(move.move) for move in table.probe(position).best}
    played: dict[str, set[str]] = {"best": set(), "weaker": set()}
    for opponent, moves in played.items():
        for seed in range(20):
            args = str(position), "--as", "o", "--against", opponent, "--seed", str(seed)
            result = inarow("quixo", "play", *args, "--table", table3, stdin="quit\n")
            assert result.err == ""
            moves.add(re.findall(r"inarow plays (\w+)", result.out)[0])
    assert played["best"] <= best
    assert not played["weaker"] <= best


def test_inarow_plays_by_a_dictionary(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    made = inarow("quixo", "strategy", "--size", "3", "--out", path)
    assert "9 positions with an answer each" in made.out
    result = inarow("quixo", "play", "--dictionary", path, stdin="a1a3\nquit\n")
    assert "Plays by a dictionary of 9 positions." in result.out
    assert "inarow plays c1a1" in result.out
    checked = inarow("quixo", "strategy", "--check", path)
    assert checked.out.split(":")[0] == "proven"


def test_a_dictionary_is_for_x_from_the_start(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    inarow("quixo", "strategy", "--size", "3", "--out", path)
    for args in (("--as", "x"), (".../.../... x",), ("--size", "4")):
        result = inarow("quixo", "play", *args, "--dictionary", path, code=2)
        assert "dictionary is for X" in result.err or "is for Quixo 3×3" in result.err
    path.write_text(path.read_text().replace("answers", "questions"))
    inarow("quixo", "play", "--dictionary", path, code=4)
    inarow("quixo", "play", "--dictionary", tmp_path / "nothing", code=3)


# --- Puzzles in the terminal ---


def test_a_puzzle_is_solved(inarow: Inarow) -> None:
    puzzle = shipped_puzzles(Quixo(4)).numbered(3)
    text = puzzle.position.rules.move_text
    wrong = next(text(move) for move in puzzle.outcomes if move != puzzle.move)
    result = inarow("quixo", "puzzle", "--id", "3", stdin=f"z9\n{wrong}\n{text(puzzle.move)}\n")
    assert puzzle.task in result.out
    assert "no column 'z'" in result.out
    assert result.out.splitlines()[-1] == f"inarow 4×4 #3 {'★' * puzzle.grade}{'☆' * (5 - puzzle.grade)} ✗✓"


def test_the_answer_is_shown(inarow: Inarow) -> None:
    result = inarow("quixo", "puzzle", "--daily", "--size", "5", stdin="show\n")
    assert "✓" not in result.out


def test_puzzles_are_made_and_checked(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    made: list[str | Path] = ["quixo", "puzzles", "--size", "3", "--count", "4", "--table", table3]
    result = inarow(*made, "--out", tmp_path / "some.json")
    assert result.out == f"4 puzzles written to {tmp_path / 'some.json'}\n"
    assert json.loads(inarow(*made, "--json").out) == json.loads((tmp_path / "some.json").read_text())
    assert "★" in inarow(*made).out
    check: list[str | Path] = ["quixo", "puzzles", "--check", tmp_path / "some.json"]
    result = inarow(*check, "--table", table3)
    assert result.out == "proven: 4 puzzles, 4 by the table, 0 by trying all moves\n"
    content = (tmp_path / "some.json").read_text().replace('"id":4', '"id":5')
    (tmp_path / "some.json").write_text(content)
    result = inarow(*check, "--json", code=1)
    assert json.loads(result.out)["verdict"] == "wrong"
    inarow("quixo", "puzzle", "--file", tmp_path / "some.json", code=4)


# --- Games judged in the terminal ---


GAME = '[Game "Quixo"] [Size "3x3"] [X "Ann"] 1. a1a3 c1a1 2. a2c2 *'


def test_a_game_is_annotated(inarow: Inarow, tmp_path: Path) -> None:
    (tmp_path / "one.game").write_text(GAME)
    result = inarow("quixo", "analyse", tmp_path / "one.game", "--svg", tmp_path / "one.svg")
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
    result = inarow("quixo", "analyse", tmp_path / "one.game", code=code)
    assert why in result.err


def test_a_position_that_comes_back_is_a_draw_at_the_third_time(inarow: Inarow) -> None:
    around = "a3a1\nc3c1\na1a3\nc1c3\n"
    script = f"draw\n{around}{around}draw\n"
    result = inarow("quixo", "play", "x.o/.../... x", "--as", "both", stdin=script)
    assert "offered when a position is there for the third time" in result.out
    assert "This position was there before." in result.out
    assert "This position is there for the 3. time: 'draw' ends the game." in result.out
    assert "A draw by repetition after 8 moves." in result.out
