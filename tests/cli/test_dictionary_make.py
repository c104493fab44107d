"""`inarow dictionary make`."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli.calling import PROGRAM, Inarow

from inarow.positional.dictionary.text import Dictionary


def test_lines_on_stdout_and_a_summary_beside_them(inarow: Inarow) -> None:
    result = inarow("dictionary", "make", "--game", "polyomino:tic:4")
    assert (result.code, len(Dictionary.parse(result.out).lines)) == (0, 6)
    assert "X wins in 3 moves, and in no fewer: 6 lines" in result.err
    assert "no strategy that wins in 3 moves has fewer" in result.err


def test_what_is_made_verifies(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "three.txt"
    made = inarow("dictionary", "make", "--game", "mnk:4x4x3", "--out", out, "--json")
    summary = json.loads(made.out)
    assert (made.code, summary["moves"], summary["lines"], summary["lower_bound"]) == (0, 3, 8, 8)
    assert (summary["optimal"], list(tmp_path.iterdir())) == (True, [out])
    assert inarow("dictionary", "verify", out, "--game", "mnk:4x4x3").code == 0


def test_no_win(inarow: Inarow, tmp_path: Path) -> None:
    game = ("dictionary", "make", "--game", "mnk:3x3x3", "--json")
    assert json.loads(inarow(*game, "--maker-breaker").out)["moves"] == 4
    never = inarow(*game, "--maker-maker")
    assert (never.code, json.loads(never.out)["never"]) == (1, True)
    out = tmp_path / "none.txt"
    result = inarow("dictionary", "make", "--game", "polyomino:knobby:5", "--moves", "3", "--out", out)
    assert (result.code, out.exists()) == (1, False)
    assert "X has no win in 3 moves." in result.out


def test_pairs_are_shown(inarow: Inarow) -> None:
    result = inarow("dictionary", "make", "--game", "polyomino:fatty:3")
    assert result.code == 1
    assert "X never wins: pairs of cells block every line." in result.out
    letters = "".join(result.out.split("same letter:")[1].split())
    assert len(letters) == 9
    assert all(letters.count(letter) == 2 for letter in set(letters) - {"."})


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("polyomino:el:99",), 2, "cells"),
        (("mnk:3x3x3", "--moves", "0"), 2, "--moves"),
        (("mnk:3x3x3", "--memory", "0"), 2, "--memory"),
        (("mnk:3x3x3", "--out", "/nowhere/at/all.txt"), 3, "no such folder"),
        (("mnk:3x3x3", "--dask", "not an address"), 2, "no Dask scheduler"),
        (("mnk:3x3x3", "--effort", "1"), 2, "--effort does not apply to mnk:3x3x3"),
        (("mnk:3x3x3", "--seed", "1"), 2, "--seed does not apply to mnk:3x3x3"),
        (("qubic", "--moves", "3"), 2, "--moves does not apply to qubic"),
        (("qubic", "--time-limit", "3"), 2, "--time-limit does not apply to qubic"),
        (("qubic", "--dask", "tcp://127.0.0.1:1"), 2, "--dask does not apply to qubic"),
        (("qubic", "--effort", "-1"), 2, "--effort"),
        (("qubic", "--maker-breaker"), 2, "maker-maker only"),
    ],
)
def test_errors(inarow: Inarow, arguments: tuple[str, ...], code: int, message: str) -> None:
    result = inarow("dictionary", "make", "--game", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_an_interrupted_search_resumes(tmp_path: Path) -> None:
    out = tmp_path / "skinny.txt"
    state = tmp_path / "skinny.txt.search"
    # Seven moves do not win on 6×6, and to see that takes a while.
    args = ("dictionary", "make", "--game", "polyomino:skinny:6", "--maker-maker", "--out", out)
    command = [*PROGRAM, *map(str, args)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if state.exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in err
    assert json.loads(state.read_text())["settled"]
    rest = subprocess.run([*command, "--moves", "5"], capture_output=True, text=True, timeout=60)
    assert rest.returncode == 1
    assert "X has no win in 5 moves." in rest.stdout
    assert not state.exists()
