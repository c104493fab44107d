"""Games in the terminal, played by a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cli.calling import Inarow

from inarow.quixo.player import Player
from inarow.quixo.prober import open_prober
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
    assert (result.code, result.err) == (0, "")
    assert "X wins after" in result.out
    assert 1 <= result.out.count("inarow plays") <= 4


def test_a_person_may_play_both_sides_and_is_told_what_was_better(inarow: Inarow) -> None:
    moves = "a1a3", "c1c3", "b1a1", "c2c3", "a2a1"
    result = inarow("quixo", "play", "--size", "3", "--as", "both", stdin="\n".join(moves))
    assert result.code == 0
    assert "X wins after 5 moves." in result.out
    assert "inarow plays" not in result.out
    result = inarow("quixo", "play", "xx./.../o.o x", "--as", "both", stdin="a3a1\nc3c1\na1c1\n" + "quit\n")
    assert result.code == 0


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
    assert (result.code, result.err) == (0, "")
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
    assert (result.code, result.err.replace(told, "")) == (0, "")
    assert told in result.out


def test_ctrl_c_ends_the_game_politely(inarow: Inarow, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = inarow("quixo", "play", "--size", "3")
    assert (result.code, result.err) == (130, "")
    assert result.out.endswith("The game ends here.\n")


def test_a_weaker_opponent_makes_mistakes(inarow: Inarow, table: Table, table3: Path) -> None:
    position = Position.parse("xx./.../o.o x")
    best = {position.rules.move_text(move.move) for move in table.probe(position).best}
    played: dict[str, set[str]] = {"best": set(), "weaker": set()}
    for opponent, moves in played.items():
        for seed in range(20):
            args = str(position), "--as", "o", "--against", opponent, "--seed", str(seed)
            result = inarow("quixo", "play", *args, "--table", table3, stdin="quit\n")
            assert (result.code, result.err) == (0, "")
            moves.add(re.findall(r"inarow plays (\w+)", result.out)[0])
    assert played["best"] <= best
    assert not played["weaker"] <= best


def test_inarow_plays_by_a_dictionary(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    made = inarow("quixo", "strategy", "--size", "3", "--out", path)
    assert (made.code, "9 positions with an answer each" in made.out) == (0, True)
    result = inarow("quixo", "play", "--dictionary", path, stdin="a1a3\nquit\n")
    assert "Plays by a dictionary of 9 positions." in result.out
    assert "inarow plays c1a1" in result.out
    checked = inarow("quixo", "strategy", "--check", path)
    assert (checked.code, checked.out.split(":")[0]) == (0, "proven")


def test_a_dictionary_is_for_x_from_the_start(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    inarow("quixo", "strategy", "--size", "3", "--out", path)
    for args in (("--as", "x"), (".../.../... x",), ("--size", "4")):
        result = inarow("quixo", "play", *args, "--dictionary", path)
        assert result.code == 2
        assert "dictionary is for X" in result.err or "is for Quixo 3×3" in result.err
    path.write_text(path.read_text().replace("answers", "questions"))
    assert inarow("quixo", "play", "--dictionary", path).code == 4
    assert inarow("quixo", "play", "--dictionary", tmp_path / "nothing").code == 3
