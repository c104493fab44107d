"""Qubic without a file: the shipped dictionary, and `inarow dictionary make`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.calling import Inarow

from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game
from inarow.positional.search.qubic import QubicWin

GAME = ("--game", "qubic")


def test_verify_without_a_file(inarow: Inarow) -> None:
    result = inarow("dictionary", "verify", *GAME, "--assisted", "--proof-only")
    assert result.code == 0, result.err
    assert "inarow's own dictionary for qubic" in result.out
    assert "X wins every game" in result.out


def test_play_without_a_file(inarow: Inarow) -> None:
    result = inarow("dictionary", "play", *GAME, stdin="quit\n")
    assert result.code == 0, result.err
    assert "inarow's own dictionary for qubic" in result.out


@pytest.mark.parametrize("command", ["verify", "play"])
@pytest.mark.parametrize(
    "game", [("--game", "mnk:3x3x3"), ("--game", "polyomino:i-tetromino:6", "--maker-maker")]
)
def test_other_games_need_a_file(inarow: Inarow, command: str, game: tuple[str, ...]) -> None:
    result = inarow("dictionary", command, *game)
    assert result.code == 2
    assert "name a file" in result.err


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Dictionary:
    """What the search finds, without its minutes."""
    dictionary = shipped_dictionary(Game.named("qubic"))
    win = QubicWin(tuple(sorted(dictionary.entries())), 1, 12, 7)
    monkeypatch.setattr("inarow.positional.dictionary.make.find_win", lambda **options: win)
    return dictionary


def test_make_writes_what_was_found(inarow: Inarow, found: Dictionary, tmp_path: Path) -> None:
    result = inarow("dictionary", "make", *GAME, "--out", tmp_path / "qubic.txt", "--json")
    assert result.code == 0, result.err
    summary = json.loads(result.out)
    assert summary["verified"]
    assert (summary["effort"], summary["seed"], summary["assisted"]) == (12, 1, True)
    assert (summary["positions"], summary["lines"]) == (len(found.entries()), len(found.lines))
    assert len(Dictionary.read(tmp_path / "qubic.txt").entries()) == len(found.entries())


def test_make_writes_nothing_that_does_not_win(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gap = QubicWin(((0, 0, 0),), 1, 12, 0)
    monkeypatch.setattr("inarow.positional.dictionary.make.find_win", lambda **options: gap)
    result = inarow("dictionary", "make", *GAME, "--out", tmp_path / "qubic.txt")
    assert result.code == 1
    assert "not exhaustive" in result.err
    assert not (tmp_path / "qubic.txt").exists()


def test_make_refuses_a_damaged_state(inarow: Inarow, tmp_path: Path) -> None:
    (tmp_path / "qubic.txt.search").write_text("no state")
    result = inarow("dictionary", "make", *GAME, "--out", tmp_path / "qubic.txt")
    assert result.code == 4
    assert "qubic.txt.search" in result.err


def test_make_mistakes(inarow: Inarow, tmp_path: Path) -> None:
    assert inarow("dictionary", "make", *GAME, "--effort", "-1").code == 2
    assert inarow("dictionary", "make", *GAME, "--memory", "none").code == 2
    assert inarow("dictionary", "make", *GAME, "--out", tmp_path / "no" / "qubic.txt").code == 3


@pytest.mark.parametrize(
    ("game", "option"),
    [
        ("qubic", ("--moves", "3")),
        ("qubic", ("--time-limit", "3")),
        ("qubic", ("--dask", "tcp://127.0.0.1:1")),
        ("mnk:3x3x3", ("--effort", "1")),
        ("mnk:3x3x3", ("--seed", "1")),
    ],
)
def test_options_that_do_not_apply(inarow: Inarow, game: str, option: tuple[str, str]) -> None:
    result = inarow("dictionary", "make", "--game", game, *option)
    assert (result.code, result.out) == (2, "")
    assert f"{option[0]} does not apply to {game}" in result.err


def test_make_has_no_search_for_maker_breaker(inarow: Inarow) -> None:
    result = inarow("dictionary", "make", *GAME, "--maker-breaker")
    assert (result.code, result.out) == (2, "")
    assert "maker-maker only" in result.err
