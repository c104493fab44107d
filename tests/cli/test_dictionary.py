"""`inarow dictionary` and its commands."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli.calling import PROGRAM, Inarow, Result
from golden.dictionaries import SECOND_MOVES, THREE_OF_FOUR, UNBALANCED

from inarow.positional.dictionary.text import Dictionary

GAME = ("--game", "mnk:4x4x3")
TROMINO = ("--game", "polyomino:v-tromino:3")
POSITIONS = 91
COMMANDS = ("compress", "verify", "prune", "complete", "play")
GAP = "".join(THREE_OF_FOUR.splitlines(keepends=True)[:-1])  # without its last line


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    path = tmp_path / "three.txt"
    path.write_text(THREE_OF_FOUR)
    return path


@pytest.fixture
def tromino(tmp_path: Path) -> Path:
    """All that an assisted player needs to make the v-tromino on 3×3."""
    path = tmp_path / "tromino.txt"
    path.write_text("# the middle\n....X....\n")
    return path


def summary(result: Result) -> dict[str, object]:
    value = json.loads(result.out)
    assert isinstance(value, dict)
    return value


def entries_of(text: str) -> set[object]:
    return set(Dictionary.parse(text).entries())


# --- Expand, convert, compress and prune ---


def test_expand(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    result = inarow("dictionary", "expand", blog)
    assert result.err == ""
    assert (len(result.out.splitlines()), "O" in result.out) == (POSITIONS, False)
    assert entries_of(result.out) == entries_of(THREE_OF_FOUR)
    out = tmp_path / "expanded.txt"
    written = inarow("dictionary", "expand", blog, "--out", out)
    assert (written.out, out.read_text()) == ("", result.out)
    assert written.err == f"12 lines, 91 positions: 91 lines written to {out}\n"


def test_convert_there_and_back(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    there = tmp_path / "patashnik.txt"
    result = inarow("dictionary", "convert", blog, "--to", "patashnik", "--out", there, "--json")
    assert summary(result) == {"lines_in": 12, "positions": POSITIONS, "lines_out": POSITIONS}
    assert there.read_text().splitlines()[:3] == [" 5", "o4x 6", "1o3x 6"]
    back = inarow("dictionary", "convert", there, "--to", "blog", *GAME)
    assert entries_of(back.out) == entries_of(THREE_OF_FOUR)
    assert len(inarow("dictionary", "convert", there, "--to", "blog").out.splitlines()[0]) == 64


def test_marks_that_no_game_has_can_be_rewritten(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "six.txt"
    file.write_text(UNBALANCED)
    game = ("--game", "mnk:6x1x3")
    result = inarow("dictionary", "compress", file, *game, "--symmetry", "none")
    assert sorted(result.out.splitlines()) == ["OO..xX", "Xx.oo.", "XxOOOo"]
    assert inarow("dictionary", "expand", file).out == UNBALANCED
    for command in ("verify", "prune", "complete", "play"):
        result = inarow("dictionary", command, file, *game, code=4)
        assert (result.out, "1 x against 2 o" in result.err) == ("", True)
    file.write_text(inarow("dictionary", "convert", file, "--to", "patashnik").out)
    assert inarow("dictionary", "convert", file, "--to", "blog", *game).out == UNBALANCED


@pytest.mark.parametrize(
    ("symmetry", "method", "lines", "proven"),
    [
        ("none", "optimal", 12, "no fewer suffice"),
        ("geometric", "greedy", 9, "at least 7 are needed"),
        ("full", "optimal", 9, "no fewer suffice"),
    ],
)
def test_compress(
    inarow: Inarow, blog: Path, tmp_path: Path, symmetry: str, method: str, lines: int, proven: str
) -> None:
    args = ("--symmetry", symmetry, "--method", method, "--time-limit", "60")
    out = tmp_path / "less.txt"
    found = summary(inarow("dictionary", "compress", blog, *GAME, *args, "--out", out, "--json"))
    positions = POSITIONS if symmetry == "none" else 58
    assert (found["lines_in"], found["positions"], found["lines_out"]) == (12, positions, lines)
    result = inarow("dictionary", "compress", blog, *GAME, *args)
    assert (result.out, len(result.out.splitlines())) == (out.read_text(), lines)
    assert result.err.startswith(f"12 lines, {positions} positions: now {lines} lines; {proven} (")
    assert ("27 positions with several answers" in result.err) == (symmetry != "none")
    inarow("dictionary", "verify", out, *GAME)


def test_compress_keeps_one_answer_or_each(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "second.txt"
    file.write_text(SECOND_MOVES)
    args = ("dictionary", "compress", file, *GAME, "--json")
    any_of_them, each = summary(inarow(*args)), summary(inarow(*args, "--answers", "each"))
    assert [(found["positions"], found["choices"]) for found in (any_of_them, each)] == [(9, 3), (12, 0)]


def test_prune(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    """An answer that no game used is dropped, and what is left still wins."""
    blog.write_text(THREE_OF_FOUR + "X...............\n")
    assert "28 positions with several answers" in inarow("dictionary", "compress", blog, *GAME).err
    out = tmp_path / "pruned.txt"
    found = summary(inarow("dictionary", "prune", blog, *GAME, "--out", out, "--json"))
    assert (found["positions_in"], found["positions_dropped"]) == (POSITIONS + 1, POSITIONS + 1 - 58)
    assert found["lines_out"] == len(out.read_text().splitlines()) == 9
    report = summary(inarow("dictionary", "verify", out, *GAME, "--json"))
    assert (report["exhaustive"], report["unused_lines"]) == (True, [])
    assisted = inarow("dictionary", "prune", blog, *GAME, "--assisted")
    assert assisted.out == "".join(THREE_OF_FOUR.splitlines(keepends=True)[:2])
    assert assisted.err.splitlines()[0] == "10 positions of 92 used, 82 dropped"


# --- Verify ---


def test_verify(inarow: Inarow, blog: Path) -> None:
    result = inarow("dictionary", "verify", blog, *GAME)
    assert result.err == ""
    assert "The dictionary is exhaustive: X wins every game." in result.out
    assert "58 positions with X to move, up to full symmetry." in result.out
    assert "Both may be right" in " ".join(result.out.split())

    found = summary(inarow("dictionary", "verify", blog, *GAME, "--json"))
    assert (found["verdict"], found["reason"]) == ("proven", "X wins every game")
    assert (found["exhaustive"], found["counterexample"]) == (True, None)
    rules = dict.fromkeys(("win", "block", "forced", "failed"), 0)
    assert found["positions"] == {**rules, "total": 58, "dictionary": 58}

    unused = inarow("dictionary", "verify", blog, *GAME, "--assisted")
    assert "10 lines of 12 never used: 3–12" in unused.out
    refused = inarow("dictionary", "verify", blog, *GAME, "--proof-only", code=2)
    assert (refused.out, "--assisted" in refused.err) == ("", True)


def test_verify_an_assisted_player(inarow: Inarow, tromino: Path) -> None:
    args = ("dictionary", "verify", tromino, *TROMINO)
    found = summary(inarow(*args, "--assisted", "--json"))
    assert (found["longest_game_plies"], found["longest_forced_threats"]) == (5, 1)
    result = inarow(*args, "--assisted", "--proof-only")
    assert "The longest forced win makes 1 threat." in result.out
    inarow(*args, code=1)
    # As maker-maker it is won as well: O makes no threat in time.
    inarow(*args, "--assisted", "--maker-maker")


def test_verify_shows_a_counterexample(inarow: Inarow, tmp_path: Path) -> None:
    gap = tmp_path / "gap.txt"
    gap.write_text(GAP)
    result = inarow("dictionary", "verify", gap, *GAME, code=1)
    assert result.err == ""
    for text in ("The dictionary is not exhaustive.", "X has no answer at", "none, or too late"):
        assert text in result.out

    result = inarow("dictionary", "verify", gap, *GAME, "--json", code=1)
    found = json.loads(result.out)
    wrong = found["counterexample"]
    assert (found["verdict"], wrong["reason"]) == ("wrong", "unanswered")
    assert wrong["position"] in found["reason"]


# --- Complete ---


@pytest.mark.parametrize("method", [(), ("--method", "none"), ("--method", "optimal")])
def test_complete(inarow: Inarow, tromino: Path, tmp_path: Path, method: tuple[str, ...]) -> None:
    out = tmp_path / "complete.txt"
    found = summary(inarow("dictionary", "complete", tromino, *TROMINO, *method, "--out", out, "--json"))
    assert (found["lines_in"], found["lines_out"]) == (1, len(out.read_text().splitlines()))
    if "optimal" in method:
        assert found["lower_bound"] == found["lines_out"]
    assert (found["lower_bound"] is None) == ("none" in method)
    assert found["positions"] == len(Dictionary.read(out).entries())
    inarow("dictionary", "verify", out, *TROMINO)  # looking up is enough
    result = inarow("dictionary", "complete", tromino, *TROMINO, *method)
    assert result.out == out.read_text()
    assert result.err.startswith("1 line; complete: ")


def test_complete_without_the_obvious(inarow: Inarow, tromino: Path, tmp_path: Path) -> None:
    out = tmp_path / "complete.txt"
    inarow("dictionary", "complete", tromino, *TROMINO, "--without-obvious", "--out", out)
    inarow("dictionary", "verify", out, *TROMINO, code=1)
    found = summary(inarow("dictionary", "verify", out, *TROMINO, "--assisted", "--json"))
    assert found["positions"]["forced"] == 0  # type: ignore[index]
    out.unlink()
    result = inarow("dictionary", "complete", tromino, "--game", "mnk:3x3x3", "--out", out, code=1)
    assert (result.out, out.exists()) == ("", False)
    assert "the dictionary is not exhaustive" in result.err


# --- Play ---


BAD = "X........\nxo......X\nxoX.o...x\n"


@pytest.mark.parametrize(
    ("text", "options", "moves", "code", "shown"),
    [
        (THREE_OF_FOUR, GAME, "0\n4\n", 0, "5: line 1 of|6: line 2 of|7: it completes a line|X wins"),
        (THREE_OF_FOUR, (*GAME, "--dumb"), "0\n4\n", 0, "7: line 3 of the dictionary|after 5 moves.\n"),
        (".....X..........\n", GAME, "0\n", 0, "a forced win in 1 threat|The game ends here.\n"),
        (BAD, ("-g", "mnk:3x3x3"), "1\n4\n", 0, "inarow plays 7: it blocks yours|The game ends here.\n"),
        (BAD, ("-g", "mnk:3x3x3", "--dumb"), "1\n4\n7\n", 0, "O wins after 6 moves.\n"),
        ("X..\nxoX\n", ("-g", "mnk:3x1x3"), "1\n", 0, "Nobody has won: the board is full after 3 moves.\n"),
        (GAP, (*GAME, "--dumb"), "0\n7\n", 1, "gives up: the dictionary has no answer to o....xxo........"),
        (" 0\n", ("-g", "qubic"), "quit\n", 0, " X  1  2  3    16 17 18 19    32 33 34 35    48 49 50 51\n"),
    ],
    ids=range(8),
)
def test_games(
    inarow: Inarow,
    tmp_path: Path,
    text: str,
    options: tuple[str, ...],
    moves: str,
    code: int,
    shown: str,
) -> None:
    file = tmp_path / "dictionary.txt"
    file.write_text(text)
    result = inarow("dictionary", "play", file, *options, stdin=moves, code=code)
    assert result.err == ""
    for part in shown.split("|"):
        assert part in result.out


def test_commands_and_mistakes(inarow: Inarow, blog: Path) -> None:
    script = ["undo", "moves", "help", "99", "5", "left", "", "0", "undo", "moves", "0", "moves", "quit"]
    result = inarow("dictionary", "play", blog, *GAME, stdin="\n".join(script))
    assert result.err == ""
    for text in (
        "There is nothing to take back.",
        "Moves so far: X 5\n",
        "cell 99: the board has cells 0 to 15",
        "cell 5: already has an x",
        "'left': neither the number of a cell nor one of moves, undo, help, quit",
        "Moves so far: X 5, O 0, X 6\n",
    ):
        assert text in result.out
    assert result.out.count("Moves so far: X 5\n") == 2
    assert result.out.count("You are O.") == 2
    assert result.out.endswith("The game ends here.\n")


def test_the_end_of_the_input_and_ctrl_c(inarow: Inarow, blog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = inarow("dictionary", "play", blog, *GAME)
    assert result.err == ""
    assert result.out.endswith("The game ends here.\n")

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = inarow("dictionary", "play", blog, *GAME, code=130)
    assert result.err == ""
    assert result.out.endswith("The game ends here.\n")


# --- Without a file: the shipped dictionaries ---


@pytest.mark.parametrize(
    ("command", "more"), [("verify", ("--assisted", "--proof-only")), ("play", ())], ids=["verify", "play"]
)
def test_without_a_file(inarow: Inarow, command: str, more: tuple[str, ...]) -> None:
    result = inarow("dictionary", command, "--game", "qubic", *more, stdin="quit\n")
    assert "inarow's own dictionary for qubic" in result.out
    for game in (("--game", "mnk:3x3x3"), ("--game", "polyomino:i-tetromino:6", "--maker-maker")):
        refused = inarow("dictionary", command, *game, code=2)
        assert "name a file" in refused.err


# --- What is refused ---


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files(inarow: Inarow, tmp_path: Path, command: str) -> None:
    file, out = tmp_path / "bad.txt", tmp_path / "out.txt"
    more = () if command in ("verify", "play") else ("--out", out)
    for content, message in (
        (b"\xff\x00\x01", "line 1, column 1: not text, but a binary file"),
        (b"....X....\n", "line 1, column 10: 9 cells, but the board has 16"),
    ):
        file.write_bytes(content)
        result = inarow("dictionary", command, file, *GAME, *more, code=4)
        assert (result.out, out.exists()) == ("", False)
        assert result.err.startswith(f"inarow: {file}, {message}")


@pytest.mark.parametrize("command", COMMANDS)
def test_usage(inarow: Inarow, blog: Path, command: str) -> None:
    for args, message in (
        (("--game", "chess"), "game 'chess': must be qubic, mnk:WxHxK or polyomino:NAME:SIDE"),
        ((), "Missing option '--game'"),
        ((*GAME, "--symmetry", "most"), "'--symmetry'"),
        # Sixteen lines of one cell each: 16! symmetries.
        (("--game", "polyomino:monomino:4"), "use the geometric ones or none"),
        ((*GAME, "--memory", "1k"), "need more than 1.0 kB of memory"),
    ):
        if "--memory" in args and command in ("compress", "play"):
            continue
        result = inarow("dictionary", command, blog, *args, code=2)
        assert (result.out, message in result.err) == ("", True)
        assert result.err.startswith("inarow: ")
        assert len(result.err.splitlines()) <= 2


@pytest.mark.parametrize("command", ["expand", "convert", *COMMANDS])
def test_missing_files_and_folders(inarow: Inarow, blog: Path, tmp_path: Path, command: str) -> None:
    game = GAME if command in COMMANDS else ("--to", "blog") if command == "convert" else ()
    result = inarow("dictionary", command, tmp_path / "none.txt", *game, code=3)
    assert result.out == ""
    assert "none.txt: No such file" in result.err
    if command not in ("verify", "play"):
        result = inarow("dictionary", command, blog, *game, "--out", tmp_path / "none" / "out.txt", code=3)
        assert result.out == ""
        assert "none: no such folder" in result.err


@pytest.mark.parametrize(
    ("option", "said", "written"),
    [
        ("--proof-only", r"\nWith forced wins played as found, the", "`--proof-only` says {} plies"),
        pytest.param("--assisted", r"\nThe", "The longest game has {} plies", marks=pytest.mark.exhaustive),
    ],
)
def test_the_longest_game_is_the_published_one(inarow: Inarow, option: str, said: str, written: str) -> None:
    result = inarow("dictionary", "verify", "--game", "qubic", "--assisted", option)
    longest = re.search(rf"{said} longest game that X wins has (\d+) plies\.", result.out)
    assert longest is not None
    document = Path(__file__).parents[2] / "docs" / "results" / "strategies-qubic.md"
    assert written.format(longest[1]) in document.read_text(encoding="utf-8")


# --- `inarow dictionary make` ---


def test_lines_on_stdout_and_a_summary_beside_them(inarow: Inarow) -> None:
    result = inarow("dictionary", "make", "--game", "polyomino:tic:4")
    assert len(Dictionary.parse(result.out).lines) == 6
    assert "X wins in 3 moves, and in no fewer: 6 lines" in result.err
    assert "no strategy that wins in 3 moves has fewer" in result.err


def test_what_is_made_verifies(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "three.txt"
    made = inarow("dictionary", "make", "--game", "mnk:4x4x3", "--out", out, "--json")
    summary = json.loads(made.out)
    assert (summary["moves"], summary["lines"], summary["lower_bound"]) == (3, 8, 8)
    assert (summary["optimal"], list(tmp_path.iterdir())) == (True, [out])
    inarow("dictionary", "verify", out, "--game", "mnk:4x4x3")


def test_no_win(inarow: Inarow, tmp_path: Path) -> None:
    game = ("dictionary", "make", "--game", "mnk:3x3x3", "--json")
    assert json.loads(inarow(*game, "--maker-breaker").out)["moves"] == 4
    never = inarow(*game, "--maker-maker", code=1)
    assert json.loads(never.out)["never"]
    out = tmp_path / "none.txt"
    result = inarow(
        "dictionary", "make", "--game", "polyomino:knobby:5", "--moves", "3", "--out", out, code=1
    )
    assert not out.exists()
    assert "X has no win in 3 moves." in result.out


def test_pairs_are_shown(inarow: Inarow) -> None:
    result = inarow("dictionary", "make", "--game", "polyomino:fatty:3", code=1)
    assert "X never wins: pairs of cells block every line." in result.out
    letters = "".join(result.out.split("same letter:")[1].split())
    assert len(letters) == 9
    assert all(letters.count(letter) == 2 for letter in set(letters) - {"."})


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


# --- `inarow dictionary defend` and `inarow dictionary check` ---


NOUGHTS = ("--game", "mnk:3x3x3")


def test_a_defence_on_stdout(inarow: Inarow) -> None:
    result = inarow("dictionary", "defend", *NOUGHTS)
    assert result.out.splitlines()[0].startswith("# mnk:3x3x3, maker-maker")
    assert "X never wins: a defence of 5 lines, verified" in result.err


def test_what_is_found_is_checked(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "defence.txt"
    found = inarow("dictionary", "defend", *NOUGHTS, "--out", out, "--json")
    assert json.loads(found.out)["lines"] == 5
    checked = inarow("dictionary", "check", out, *NOUGHTS)
    assert "proven: X never completes a line" in checked.out
    wrong = inarow("dictionary", "check", out, *NOUGHTS, "--maker-breaker", code=1)
    assert "wrong: " in wrong.out


def test_x_wins(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "defence.txt"
    result = inarow("dictionary", "defend", *NOUGHTS, "--maker-breaker", "--out", out, code=1)
    assert not out.exists()
    assert "X wins: O has no defence" in result.out


def test_files_that_are_no_defence(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "defence.txt"
    for text, code, message in (
        (None, 3, "defence"),
        ("O...x...", 4, "line 1: 8 cells"),
        ("\0", 4, "binary"),
    ):
        if text is not None:
            file.write_text(text)
        result = inarow("dictionary", "check", file, *NOUGHTS, code=code)
        assert result.out == ""
        assert message in result.err
        assert "defence.txt" in result.err
