"""`inarow dictionary` and its commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.calling import Inarow, Result
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
    assert result.code == 0, result.err
    value = json.loads(result.out)
    assert isinstance(value, dict)
    return value


def entries_of(text: str) -> set[object]:
    return set(Dictionary.parse(text).entries())


# --- Expand and convert ---


def test_expand(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    result = inarow("dictionary", "expand", blog)
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) == POSITIONS
    assert "O" not in result.out
    assert entries_of(result.out) == entries_of(THREE_OF_FOUR)
    out = tmp_path / "expanded.txt"
    written = inarow("dictionary", "expand", blog, "--out", out)
    assert (written.code, written.out) == (0, "")
    assert out.read_text() == result.out
    assert written.err == f"12 lines, 91 positions: 91 lines written to {out}\n"


def test_convert_there_and_back(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    there = tmp_path / "patashnik.txt"
    result = inarow("dictionary", "convert", blog, "--to", "patashnik", "--out", there, "--json")
    assert summary(result) == {"lines_in": 12, "positions": POSITIONS, "lines_out": POSITIONS}
    assert there.read_text().splitlines()[:3] == [" 5", "o4x 6", "1o3x 6"]
    back = inarow("dictionary", "convert", there, "--to", "blog", *GAME)
    assert entries_of(back.out) == entries_of(THREE_OF_FOUR)
    assert len(back.out.splitlines()[0]) == 16
    assert len(inarow("dictionary", "convert", there, "--to", "blog").out.splitlines()[0]) == 64


def test_marks_that_no_game_has_can_be_rewritten(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "six.txt"
    file.write_text(UNBALANCED)
    game = ("--game", "mnk:6x1x3")
    result = inarow("dictionary", "compress", file, *game, "--symmetry", "none")
    assert result.code == 0
    assert sorted(result.out.splitlines()) == ["OO..xX", "Xx.oo.", "XxOOOo"]
    assert inarow("dictionary", "expand", file).out == UNBALANCED
    there = inarow("dictionary", "convert", file, "--to", "patashnik").out
    file.write_text(there)
    assert inarow("dictionary", "convert", file, "--to", "blog", *game).out == UNBALANCED
    for command in ("verify", "prune", "complete", "play"):
        result = inarow("dictionary", command, file, *game)
        assert (result.code, result.out) == (4, "")
        assert "1 x against 2 o" in result.err


# --- Compress and prune ---


@pytest.mark.parametrize("method", ["greedy", "optimal"])
@pytest.mark.parametrize("symmetry", ["none", "geometric", "full"])
def test_compress(inarow: Inarow, blog: Path, tmp_path: Path, symmetry: str, method: str) -> None:
    args = ("--symmetry", symmetry, "--method", method, "--time-limit", "60")
    out = tmp_path / "less.txt"
    found = summary(inarow("dictionary", "compress", blog, *GAME, *args, "--out", out, "--json"))
    lines = out.read_text().splitlines()
    assert (found["lines_in"], found["lines_out"]) == (12, len(lines))
    assert len(lines) <= 12
    if method == "optimal":
        assert (found["optimal"], found["lower_bound"]) == (True, len(lines))
    assert found["positions"] == (POSITIONS if symmetry == "none" else 58)
    if symmetry == "none":
        assert entries_of(out.read_text()) == entries_of(THREE_OF_FOUR)
    result = inarow("dictionary", "compress", blog, *GAME, *args)
    assert result.out == out.read_text()
    known = "no fewer suffice" if found["optimal"] else f"at least {found['lower_bound']} are needed"
    start = f"12 lines, {found['positions']} positions: now {len(lines)} lines; {known} ("
    assert result.err.startswith(start)
    assert ("27 positions with several answers" in result.err) == (symmetry != "none")
    assert inarow("dictionary", "verify", out, *GAME).code == 0


def test_compress_keeps_one_answer_or_each(inarow: Inarow, tmp_path: Path) -> None:
    file = tmp_path / "second.txt"
    file.write_text(SECOND_MOVES)
    args = ("dictionary", "compress", file, *GAME, "--json")
    any_of_them, each = summary(inarow(*args)), summary(inarow(*args, "--answers", "each"))
    assert [(found["positions"], found["choices"]) for found in (any_of_them, each)] == [(9, 3), (12, 0)]


def test_an_answer_that_no_game_used(inarow: Inarow, tmp_path: Path) -> None:
    """Compressing may keep it, and so lose the win; pruning does not."""
    file, out = tmp_path / "two.txt", tmp_path / "out.txt"
    file.write_text(THREE_OF_FOUR + "X...............\n")
    assert inarow("dictionary", "verify", file, *GAME).code == 0
    result = inarow("dictionary", "compress", file, *GAME, "--out", out)
    assert "28 positions with several answers" in result.err
    assert inarow("dictionary", "prune", file, *GAME, "--out", out).code == 0
    assert inarow("dictionary", "verify", out, *GAME).code == 0


def test_prune(inarow: Inarow, blog: Path, tmp_path: Path) -> None:
    out = tmp_path / "pruned.txt"
    found = summary(inarow("dictionary", "prune", blog, *GAME, "--out", out, "--json"))
    assert (found["positions_in"], found["positions_dropped"]) == (POSITIONS, POSITIONS - 58)
    assert found["lines_out"] == len(out.read_text().splitlines()) == 9
    report = summary(inarow("dictionary", "verify", out, *GAME, "--json"))
    assert (report["exhaustive"], report["unused_lines"]) == (True, [])

    assisted = inarow("dictionary", "prune", blog, *GAME, "--assisted")
    assert assisted.out == "".join(THREE_OF_FOUR.splitlines(keepends=True)[:2])
    assert assisted.err.splitlines()[0] == "10 positions of 91 used, 81 dropped"


# --- Verify ---


def test_verify(inarow: Inarow, blog: Path) -> None:
    result = inarow("dictionary", "verify", blog, *GAME)
    assert (result.code, result.err) == (0, "")
    assert "The dictionary is exhaustive: X wins every game." in result.out
    assert "58 positions with X to move, up to full symmetry." in result.out
    assert "Both may be right" in " ".join(result.out.split())

    found = summary(inarow("dictionary", "verify", blog, *GAME, "--json"))
    assert (found["verdict"], found["reason"]) == ("proven", "X wins every game")
    assert (found["exhaustive"], found["counterexample"]) == (True, None)
    rules = dict.fromkeys(("win", "block", "forced", "failed"), 0)
    assert found["positions"] == {**rules, "total": 58, "dictionary": 58}

    unused = inarow("dictionary", "verify", blog, *GAME, "--assisted")
    assert (unused.code, "10 lines of 12 never used: 3–12" in unused.out) == (0, True)
    refused = inarow("dictionary", "verify", blog, *GAME, "--proof-only")
    assert (refused.code, refused.out, "--assisted" in refused.err) == (2, "", True)


def test_verify_an_assisted_player(inarow: Inarow, tromino: Path) -> None:
    args = ("dictionary", "verify", tromino, *TROMINO)
    found = summary(inarow(*args, "--assisted", "--json"))
    assert (found["longest_game_plies"], found["longest_forced_threats"]) == (5, 1)
    result = inarow(*args, "--assisted", "--proof-only")
    assert result.code == 0
    assert "The longest forced win makes 1 threat." in result.out
    assert inarow(*args).code == 1
    # As maker-maker it is won as well: O makes no threat in time.
    assert inarow(*args, "--assisted", "--maker-maker").code == 0


def test_verify_shows_a_counterexample(inarow: Inarow, tmp_path: Path) -> None:
    gap = tmp_path / "gap.txt"
    gap.write_text(GAP)
    result = inarow("dictionary", "verify", gap, *GAME)
    assert (result.code, result.err) == (1, "")
    for text in ("The dictionary is not exhaustive.", "X has no answer at", "none, or too late"):
        assert text in result.out

    result = inarow("dictionary", "verify", gap, *GAME, "--json")
    found = json.loads(result.out)
    wrong = found["counterexample"]
    assert (result.code, found["verdict"], wrong["reason"]) == (1, "wrong", "unanswered")
    assert wrong["position"] in found["reason"]


@pytest.mark.parametrize("command", ["verify", "prune", "complete"])
def test_memory_is_limited(inarow: Inarow, blog: Path, command: str) -> None:
    assert inarow("dictionary", command, blog, *GAME, "--memory", "1GB").code == 0
    result = inarow("dictionary", command, blog, *GAME, "--memory", "1k")
    assert (result.code, result.out) == (2, "")
    assert "need more than 1.0 kB of memory" in result.err


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
    assert inarow("dictionary", "verify", out, *TROMINO).code == 0  # looking up is enough
    result = inarow("dictionary", "complete", tromino, *TROMINO, *method)
    assert result.out == out.read_text()
    assert result.err.startswith("1 line; complete: ")


def test_complete_without_the_obvious(inarow: Inarow, tromino: Path, tmp_path: Path) -> None:
    out = tmp_path / "complete.txt"
    assert inarow("dictionary", "complete", tromino, *TROMINO, "--without-obvious", "--out", out).code == 0
    assert inarow("dictionary", "verify", out, *TROMINO).code == 1
    found = summary(inarow("dictionary", "verify", out, *TROMINO, "--assisted", "--json"))
    assert found["positions"]["forced"] == 0  # type: ignore[index]


def test_what_is_not_exhaustive_cannot_be_completed(inarow: Inarow, tromino: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    result = inarow("dictionary", "complete", tromino, "--game", "mnk:3x3x3", "--out", out)
    assert (result.code, result.out) == (1, "")
    assert "the dictionary is not exhaustive" in result.err
    assert not out.exists()


# --- Play ---


BAD = "X........\nxo......X\nxoX.o...x\n"


@pytest.mark.parametrize(
    ("text", "options", "moves", "code", "shown"),
    [
        (
            THREE_OF_FOUR,
            GAME,
            "0\n4\n",
            0,
            ["5: line 1 of", "6: line 2 of", "7: it completes a line", "X wins"],
        ),
        (THREE_OF_FOUR, (*GAME, "--dumb"), "0\n4\n", 0, ["7: line 3 of the dictionary", "after 5 moves.\n"]),
        (".....X..........\n", GAME, "0\n", 0, ["a forced win in 1 threat", "The game ends here.\n"]),
        (BAD, ("-g", "mnk:3x3x3"), "1\n4\n", 0, ["inarow plays 7: it blocks yours", "The game ends here.\n"]),
        (BAD, ("-g", "mnk:3x3x3", "--dumb"), "1\n4\n7\n", 0, ["O wins after 6 moves.\n"]),
        ("X..\nxoX\n", ("-g", "mnk:3x1x3"), "1\n", 0, ["Nobody has won: the board is full after 3 moves.\n"]),
        (GAP, (*GAME, "--dumb"), "0\n7\n", 1, ["gives up: the dictionary has no answer to o....xxo........"]),
        (
            " 0\n",
            ("-g", "qubic"),
            "quit\n",
            0,
            ["  X  1  2  3    16 17 18 19    32 33 34 35    48 49 50 51\n"],
        ),
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
    shown: list[str],
) -> None:
    file = tmp_path / "dictionary.txt"
    file.write_text(text)
    result = inarow("dictionary", "play", file, *options, stdin=moves)
    assert (result.code, result.err) == (code, "")
    for part in shown:
        assert part in result.out


def test_commands_and_mistakes(inarow: Inarow, blog: Path) -> None:
    script = ["undo", "moves", "help", "99", "5", "left", "", "0", "undo", "moves", "0", "moves", "quit"]
    result = inarow("dictionary", "play", blog, *GAME, stdin="\n".join(script))
    assert (result.code, result.err) == (0, "")
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
    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("The game ends here.\n")

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = inarow("dictionary", "play", blog, *GAME)
    assert (result.code, result.err) == (130, "")
    assert result.out.endswith("The game ends here.\n")


# --- Without a file: the shipped dictionaries ---


@pytest.mark.parametrize(
    ("command", "more"), [("verify", ("--assisted", "--proof-only")), ("play", ())], ids=["verify", "play"]
)
def test_without_a_file(inarow: Inarow, command: str, more: tuple[str, ...]) -> None:
    result = inarow("dictionary", command, "--game", "qubic", *more, stdin="quit\n")
    assert result.code == 0, result.err
    assert "inarow's own dictionary for qubic" in result.out
    for game in (("--game", "mnk:3x3x3"), ("--game", "polyomino:i-tetromino:6", "--maker-maker")):
        refused = inarow("dictionary", command, *game)
        assert (refused.code, "name a file" in refused.err) == (2, True)


# --- What is refused ---


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1, column 1: the file is empty"),
        (b"\xff\x00\x01", "line 1, column 1: not text, but a binary file"),
        (b"....X....\n", "line 1, column 10: 9 cells, but the board has 16"),
        (b" 5\no4x 16\n", "line 2, column 5: cell 16: the board has 0 to 15"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files(inarow: Inarow, tmp_path: Path, command: str, content: bytes, message: str) -> None:
    file, out = tmp_path / "bad.txt", tmp_path / "out.txt"
    file.write_bytes(content)
    more = () if command in ("verify", "play") else ("--out", out)
    result = inarow("dictionary", command, file, *GAME, *more)
    assert (result.code, result.out) == (4, "")
    assert result.err.startswith(f"inarow: {file}, {message}")
    assert not out.exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--game", "chess"), "game 'chess': must be qubic, mnk:WxHxK or polyomino:NAME:SIDE"),
        (("--game", "mnk:4x4x9"), "in a row must be 2 to 4, not 9"),
        (("--game", "polyomino:cat:4"), "polyomino 'cat'"),
        ((), "Missing option '--game'"),
        ((*GAME, "--symmetry", "most"), "'--symmetry'"),
        # Sixteen lines of one cell each: 16! symmetries.
        (("--game", "polyomino:monomino:4"), "use the geometric ones or none"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_usage(inarow: Inarow, blog: Path, command: str, args: tuple[str, ...], message: str) -> None:
    result = inarow("dictionary", command, blog, *args)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("inarow: ")
    assert message in result.err
    assert len(result.err.splitlines()) <= 2


@pytest.mark.parametrize("command", ["expand", "convert", *COMMANDS])
def test_missing_files_and_folders(inarow: Inarow, blog: Path, tmp_path: Path, command: str) -> None:
    game = GAME if command in COMMANDS else ("--to", "blog") if command == "convert" else ()
    result = inarow("dictionary", command, tmp_path / "none.txt", *game)
    assert (result.code, result.out) == (3, "")
    assert "none.txt: No such file" in result.err
    if command not in ("verify", "play"):
        result = inarow("dictionary", command, blog, *game, "--out", tmp_path / "none" / "out.txt")
        assert (result.code, result.out) == (3, "")
        assert "none: no such folder" in result.err


@pytest.mark.parametrize(
    ("option", "said", "written"),
    [
        (
            "--proof-only",
            r"With forced wins played as found, the longest game .* has (\d+) plies\.",
            "`--proof-only` says {} plies",
        ),
        pytest.param(
            "--assisted",
            r"\nThe longest game that X wins has (\d+) plies\.",
            "The longest game has {} plies",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_the_longest_game_is_the_published_one(inarow: Inarow, option: str, said: str, written: str) -> None:
    result = inarow("dictionary", "verify", "--game", "qubic", "--assisted", option)
    longest = re.search(said, result.out)
    assert longest is not None
    document = Path(__file__).parents[2] / "docs" / "results" / "strategies-qubic.md"
    assert written.format(longest[1]) in document.read_text(encoding="utf-8")
