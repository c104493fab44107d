"""What goes wrong is reported in a line or two, with the exit code that the help documents."""

from __future__ import annotations

import errno
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from cli.calling import PROGRAM, Inarow, Program
from numpy.typing import NDArray
from quixo.forms import change_outcomes, contents, flip
from quixo.test_solve import all_pairs

from inarow import files
from inarow.cli.main import main
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.plan import Plan
from inarow.quixo.table import files as table_files
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import pairs_of

START_3 = ".../.../... x"


@pytest.fixture
def copy3(table3: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(table3, tmp_path / "copy"))


# --- What is refused ---


URL = "https://example.org/table"
NO_TABLE = "no table in|Make it with: inarow quixo solve --size {} --out {{none}}"
LINKED = ["solve --size 3 --out", "solve --size 3 --no-store --out", "copy {table}"]
EMPTY = [  # commands whose last word is a name
    *("quixo solve --out", "quixo line -o", "quixo check . --write-list", "quixo info", "quixo copy ."),
    *("dictionary make -g mnk:3x3x3 --out", "dictionary convert --to blog", "ultimate prove -n 1 -c"),
    *("ultimate check", "site --out", "site --check"),
]

REFUSED = [
    ("chess solve", 2, "No such command 'chess'"),
    ("frobnicate", 2, "No such command 'frobnicate'"),
    ("--frobnicate", 2, "--frobnicate"),
    ("quixo sovle", 2, "No such command 'sovle'. Did you mean 'solve'?"),
    ("quixo solve chess", 2, "chess"),
    ("quixo solve --size 7", 2, "a board of 7×7 has 49 cells: boards of up to 26 can be solved"),
    ("quixo solve --size 4x", 2, "--size 4x: a size is rows x columns, as in 4x5"),
    ("quixo solve --size 1x5", 2, "rows 1: must be 2 to 26"),
    ("quixo solve --size 3x4 --line 5", 2, "line 5: must be 2, 3 or 4"),
    ("quixo solve --size 3 --stop-at 10", 2, "0 to 9 marks; cannot stop at 10"),
    ("quixo solve --size 3 --no-store", 2, "--out DIR"),
    ("quixo solve --double-line ties", 2, "'ties' is not one of 'loses', 'wins', 'draws'"),
    ("quixo solve --threads 0", 2, "'--threads'"),
    ("quixo solve --dask tcp://x:1", 2, "--dask writes a table: name its folder with --out DIR"),
    ("quixo solve --memory 4", 2, "'4' is not a size like 18G, 500M or 16GiB"),
    ("quixo solve --size 3 --out {folder}", 2, "not empty"),
    ("quixo solve --size 3 --out {none}/t", 3, "inarow: {none}: no such folder\n"),
    ("quixo solve --size 3 --out {folder}/file", 5, "inarow: {folder}/file: is a file, not a folder\n"),
    ("quixo line '.../.../.../... x' --size 3x4", 2, "the position has a board of 4×3, but --size is 3x4"),
    ("quixo line --out game.png", 2, "game.png: the name must end in .svg or .gif"),
    ("quixo line --size 3 --out {none}/game.svg", 3, "inarow: {none}: no such folder\n"),
    ("quixo play '.../.../... x' --size 4", 2, "the position has a board of 3×3, but --size is 4"),
    ("quixo verify a --seed 1", 2, "--seed goes with --sample"),
    ("quixo verify a --sample 0", 2, "'--sample'"),
    ("quixo check", 2, "Missing argument 'DIR|URL'"),
    ("quixo check {table} --published", 3, "no checksums are published for Quixo 3×3"),
    ("quixo check {none} --published", 3, "{none}"),
    ("quixo export --out {none} --size 5", 3, "inarow quixo solve --size 5 --out DIR"),
    ("quixo export --out {none} --table {table} --size 4", 2, "is a table of Quixo 3×3"),
    ("quixo export --out {none} --table {table} --seed 1", 2, "--seed is for --sample"),
    ("quixo export --out {none}.npz --table {table} --sample 5 --value draw", 2, "no such position"),
    ("quixo export --out {none}.npz --table {none}", 3, "{none}"),
    ("quixo puzzle --id 201", 2, "1 to 200"),
    ("quixo puzzle --id 1 --daily", 2, "only one of them"),
    ("quixo puzzle --size 3", 3, "no puzzles of Quixo 3×3"),
    ("quixo analyse {none}", 3, "{none}"),
    *((f"quixo {name} {{none}}", 3, NO_TABLE.format("N")) for name in ("check", "verify", "info")),
    *((f"quixo {name} .../.../..._x --table {{none}}", 3, NO_TABLE.format(3)) for name in ("probe", "line")),
    *(
        (f"quixo {name} {URL}", 2, f"download it with: inarow quixo copy {URL}")
        for name in ("info", "verify")
    ),
    *((f"quixo {command} {{folder}}/link", 3, "link: is a link to {none}, which does") for command in LINKED),
    ("serve --table {none}", 3, "inarow quixo solve"),
    ("serve --host '' --port 0", 2, "--host"),
    ("site", 2, "either --out DIR"),
    ("site --out {none} --check {folder}", 2, "either --out DIR"),
    ("site --check {folder}", 3, ""),
    ("dictionary make -g polyomino:el:99", 2, "cells"),
    ("dictionary make -g mnk:3x3x3 --moves 0", 2, "--moves"),
    ("dictionary make -g mnk:3x3x3 --memory 0", 2, "--memory"),
    ("dictionary make -g mnk:3x3x3 --out /nowhere/at/all.txt", 3, "no such folder"),
    ("dictionary make -g mnk:3x3x3 --dask 'not an address'", 2, "no Dask scheduler"),
    ("dictionary make -g mnk:3x3x3 --effort 1", 2, "--effort does not apply to mnk:3x3x3"),
    ("dictionary make -g mnk:3x3x3 --seed 1", 2, "--seed does not apply to mnk:3x3x3"),
    ("dictionary make -g qubic --moves 3", 2, "--moves does not apply to qubic"),
    ("dictionary make -g qubic --time-limit 3", 2, "--time-limit does not apply to qubic"),
    ("dictionary make -g qubic --dask tcp://127.0.0.1:1", 2, "--dask does not apply to qubic"),
    ("dictionary make -g qubic --effort -1", 2, "--effort"),
    ("dictionary make -g qubic --maker-breaker", 2, "maker-maker only"),
    ("ultimate play '44 41 55'", 2, "ply 3, move 55: must be in field 1, where 41 sends"),
    ("ultimate play --size 3", 2, "No such option"),
    ("ultimate play --as x --against xavier", 2, "Xavier's strategy plays X only"),
    ("ultimate play --as both --against mcts", 2, "--as both is for two people; --against"),
    ("ultimate play --against mcts --seconds 0", 2, "seconds 0.0: must be more than 0"),
    ("ultimate prove", 2, "--plies"),
    ("ultimate prove --plies 0", 2, "0 plies: a game has 1 to 81"),
    ("ultimate prove --plies 82", 2, "82 plies: a game has 1 to 81"),
    ("ultimate prove --plies 29 --memory much", 2, "'much' is not a size like 18G, 500M or 16GiB"),
    ("ultimate prove --plies 29 --memory 12k", 2, "12000 bytes of memory"),
    ("ultimate prove --plies 29 --position '44 40 51'", 2, "ply 3, move 51"),
    ("ultimate prove --plies 29 --certificate {none}/file", 3, "no such folder"),
    ("ultimate verify lemma8", 2, "'lemma8'"),
    *((f"{command} ''", 2, "the name is empty") for command in EMPTY),
]


@pytest.mark.parametrize(("command", "code", "message"), REFUSED)
def test_what_is_refused(
    inarow: Inarow, table3: Path, tmp_path: Path, command: str, code: int, message: str
) -> None:
    folder, none = tmp_path / "folder", tmp_path / "none"
    folder.mkdir()
    (folder / "file").touch()
    (folder / "link").symlink_to(none)
    names = {"folder": folder, "none": none, "table": table3}
    result = inarow(*(word.format(**names) for word in shlex.split(command)), code=code)
    assert result.out == ""
    assert result.err.startswith("inarow: ")
    assert [part for part in message.format(**names).split("|") if part not in result.err] == []
    assert len(result.err.splitlines()) <= 3
    assert list(tmp_path.iterdir()) == [folder]


def test_a_malformed_position_is_pointed_at(inarow: Inarow) -> None:
    result = inarow("quixo", "probe", ".../.q./... x", code=2)
    assert result.err.splitlines() == [
        "inarow: 'q' is not a cell; must be 'x', 'o' or '.'",
        "  .../.q./... x",
        "       ^",
    ]


def test_malformed_lines_of_stdin_are_named_and_the_others_answered(inarow: Inarow) -> None:
    result = inarow(
        "quixo", "probe", "--json", stdin=f"{START_3}\n\n.../...\n{START_3}\nz\n{START_3}\n", code=1
    )
    assert len(result.out.splitlines()) == 3
    told = result.err.splitlines()
    at = told.index("line 3: the side to move is missing; must be ' x' or ' o' at the end")
    assert told[at + 1 : at + 3] == ["  .../...", "         ^"]
    assert told[at + 3].startswith("line 5: ")
    assert told[-1] == "2 lines could not be looked up."


def test_a_damaged_table_ends_a_batch(inarow: Inarow, copy3: Path) -> None:
    flip(copy3 / "pair-01-00.values", -40)  # in the index
    result = inarow(
        "quixo", "probe", "--table", copy3, stdin=f"xxx/.../... o\n{START_3}\n{START_3}\n", code=4
    )
    assert "pair-01-00.values is damaged: its index does not match its checksum" in result.err
    assert "That was line 2." in result.err


@pytest.mark.parametrize(
    ("size", "args"),
    [
        ("2x3", ("../../.. x",)),  # turned by 90 degrees
        ("2x3", ("../.. x",)),
        ("2x3", (".../... x", "--line", "2")),
        ("2x3", (".../... x", "--double-line", "wins")),
    ],
)
def test_a_table_of_other_rules(inarow: Inarow, tmp_path: Path, size: str, args: tuple[str, ...]) -> None:
    inarow("quixo", "solve", "--size", size, "--out", tmp_path / "t")
    result = inarow("quixo", "probe", *args, "--table", tmp_path / "t", code=2)
    assert "is a table of Quixo 2×3, line 3, double line loses, not of" in result.err


def test_gif_without_pillow(inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.ImageDraw", None)
    result = inarow("quixo", "line", "--size", "3", "--out", tmp_path / "game.gif", code=2)
    assert "pip install 'inarow[gif]'" in result.err


# --- 3: missing ---


@pytest.mark.parametrize("command", ["check", "verify"])
def test_a_file_of_a_table_is_missing(inarow: Inarow, copy3: Path, command: str) -> None:
    (copy3 / "pair-05-04.values").unlink()
    result = inarow("quixo", command, copy3, code=3)
    assert "pair-05-04.values" in result.err
    assert "repair it with: inarow quixo solve --size" in result.err


# --- 4: damaged ---


def test_damaged_files(inarow: Inarow, copy3: Path) -> None:
    path = copy3 / "pair-05-04.values"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    result = inarow("quixo", "check", copy3, code=4)
    assert result.out == ""
    assert "pair-05-04.values is damaged" in result.err
    assert f"Complete or repair it with: inarow quixo solve --size 3 --out {copy3}" in result.err
    path.write_bytes(content[:-1])
    for args in (("check", copy3), ("verify", copy3), ("probe", START_3, "--table", copy3)):
        result = inarow("quixo", *args, code=4)
        assert result.out == ""
        assert "pair-05-04.values" in result.err
    (copy3 / "manifest.json").write_text("{")
    for command in ("check", "verify"):
        inarow("quixo", command, copy3, code=4)


# --- 1: a check failed ---


def test_a_wrong_entry_is_shown(inarow: Inarow, copy3: Path) -> None:
    entries = np.split(all_pairs(Quixo(3))[5, 3], 2)[0]

    # A position that is won in 1 becomes a drawn one; the checksum is right, so only the rules can tell.
    def draw(plane: int, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if plane == 0:
            codes[int(np.flatnonzero(entries == 254)[0])] = 1
        return codes

    change_outcomes(copy3, 5, 3, draw)

    inarow("quixo", "check", copy3)
    result = inarow("quixo", "verify", copy3, code=1)
    assert result.err == ""
    assert "stored draw, expected win in 1" in result.out
    assert "     a  b  c\n" in result.out
    result = inarow("quixo", "verify", copy3, "--json", code=1)
    assert '"stored": "draw", "expected": "win in 1"' in result.out


# --- 5: the system refused ---


def test_no_permission(inarow: Inarow, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    for args in (
        ("quixo", "solve", "-s", "3", "-o", tmp_path / "t"),
        ("quixo", "line", "-o", tmp_path / "g.svg"),
    ):
        result = inarow(*args, code=5)
        assert str(tmp_path) in result.err


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.EACCES, "Permission denied"), (errno.EROFS, "Read-only file system")]
)
def test_a_refusal_names_the_folder(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(prefix: str, dir: Path) -> None:
        raise OSError(number, os.strerror(number), str(dir / f"{prefix}abcd"))

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    result = inarow("quixo", "line", START_3, "--out", tmp_path / "game.svg", code=5)
    assert result.err.endswith(f"inarow: {tmp_path}: {reason}\n")


def test_the_disk_is_full_and_then_is_not(
    inarow: Inarow, table3: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "t"
    write, calls = files.write_atomically, 0

    def full_after_ten(path: Path, parts: Iterable[bytes | memoryview]) -> None:
        nonlocal calls
        calls += 1
        if calls > 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, parts)

    with monkeypatch.context() as patch:
        patch.setattr(table_files, "write_atomically", full_after_ten)
        result = inarow("quixo", "solve", "--size", "3", "--out", out, code=5)
    assert result.out == ""
    # Two threads write: of the ten that were written, those are listed that no failed one comes before.
    rules, finished = Quixo(3), [record.pair for record in Manifest.load(out).pairs]
    pairs = list(pairs_of(rules))
    assert len(finished) in range(3, 6)  # of two files each
    assert finished == pairs[: len(finished)]
    left = Plan(rules).disk(pairs[len(finished) :])
    told = result.err.splitlines()
    assert re.fullmatch(rf"inarow: {out}/pair-\d\d-\d\d\.\w+: No space left on device", told[0])
    assert told[1:] == [
        f"About {left:,} bytes more are needed.",
        f"What is finished is kept in {out}; the same command resumes there.",
    ]
    inarow("quixo", "solve", "--size", "3", "--out", out)
    assert contents(out) == contents(table3)


def test_a_limit_on_the_size_of_files(program: Program, tmp_path: Path) -> None:
    limit = 10_000
    result = program(
        *("quixo", "solve", "--size", "4", "--out", str(tmp_path / "t")),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert result.returncode == 5
    assert re.match(
        rf"inarow: {tmp_path}/t/(pair-\d\d-\d\d\.\w+|manifest\.json): File too large\n", result.stderr
    )
    assert "Traceback" not in result.stderr
    assert not list((tmp_path / "t").glob(".*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "args",
    [
        *(("quixo", "solve", "--size", "3", *more) for more in ((), ("--json",))),
        *(("--help",), ("--version",), ("quixo", "--help"), ("quixo", "solve", "-h"), ()),
        ("quixo", "check", "{part}"),
    ],
    ids=" ".join,
)
def test_results_that_cannot_be_written(program: Program, copy3: Path, args: tuple[str, ...]) -> None:
    manifest = Manifest.load(copy3)
    Manifest(manifest.rules, manifest.pairs[:7]).save(copy3)
    words = [word.format(part=copy3) for word in args]
    with Path("/dev/full").open("w") as full:
        result = program(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 5
    assert result.stderr.endswith("inarow: standard output: No space left on device\n")


# --- Faults of inarow's own ---


def test_a_fault_is_written_to_a_file(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise KeyError("a b")

    monkeypatch.setattr("inarow.cli.quixo.solve.solve_planned", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = inarow("quixo", "solve", "--size", "3", code=70)
    (report,) = tmp_path.iterdir()
    assert result.out == ""
    assert result.err.splitlines() == [
        "inarow: a fault in inarow itself: KeyError: 'a b'",
        f"Please report it, and attach {report}",
    ]
    told = report.read_text()
    assert "Traceback (most recent call last)" in told
    assert "KeyError: 'a b'" in told
    assert told.startswith("inarow ")
    report.unlink()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert main(["quixo", "solve", "--size", "3"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err  # where no file can be written


# --- Interrupted ---


def test_nobody_reads_the_results(program: Program) -> None:
    for more in ((), ("--json",)):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            result = program(
                *("quixo", "solve", "--size", "3", *more),
                capture_output=False,
                stdout=writer,
                stderr=subprocess.PIPE,
            )
        finally:
            os.close(writer)
        assert (result.returncode, result.stderr) == (141, "")


def test_ctrl_c_leaves_what_the_same_command_completes(
    program: Program, table4: Path, tmp_path: Path
) -> None:
    out = tmp_path / "t"
    args = "quixo", "solve", "--size", "4", "--threads", "1", "--out", str(out)
    process = subprocess.Popen([*PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (out / "pair-16-00.plies").exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert stderr.splitlines() == [
        "inarow: interrupted",
        f"What is finished is kept in {out}; the same command resumes there.",
    ]
    assert not Manifest.load(out).complete

    result = program(*args)
    assert (result.returncode, result.stderr) == (0, "")
    assert contents(out) == contents(table4)


def test_text_that_cannot_be_read_or_shown(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    result = program("quixo", "probe", input="\udcff..\n", errors="surrogateescape")
    assert result.returncode == 1
    assert "line 1: " in result.stderr
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    result = program("quixo", "solve", "--size", "3")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Quixo 3?3" in result.stdout
    assert "# win = draw - loss" in result.stdout
    assert re.search(r"\| +90% +\| +0% +\| +10% \| #{22}--", result.stdout)
