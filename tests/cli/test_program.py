"""The program itself: its help, version and completion, and what it loads when."""

from __future__ import annotations

import ast
import inspect
import io
import os
import re
import subprocess
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
import typer
from cli.calling import Inarow, Program

import inarow as library
from inarow.cli import console, dictionary, exit_codes, quixo, ultimate
from inarow.cli.commands import Commands
from inarow.cli.options import parse_memory

ROOT_COMMANDS = ["quixo", "dictionary", "ultimate", "doctor", "serve", "site"]
GROUPS: tuple[ModuleType, ...] = (quixo, dictionary, ultimate)


def words_of(group: ModuleType) -> list[str]:
    """What is typed for a group: 'quixo'."""
    return group.__name__.removeprefix("inarow.cli.").split(".")


def summaries(module: ModuleType) -> dict[str, str]:
    """The commands of a group, each with its line in the group's help."""
    group = module.app.info.cls
    assert issubclass(group, Commands)
    return {name: str(command.short_help) for name, command in group.late.items()}


COMMANDS = [
    pytest.param(group, name, id=" ".join([*words_of(group), name]))
    for group in GROUPS
    for name in summaries(group)
]


# --- Help and version ---


def test_version(inarow: Inarow) -> None:
    assert inarow("--version").out == f"inarow {version('inarow')}\n"
    assert library.__version__ == version("inarow")


def test_help(inarow: Inarow) -> None:
    for args in ((), ("--help",), ("-h",)):
        result = inarow(*args)
        assert result.err == ""
        assert "Exit codes:" in result.out
        assert "130  interrupted" in result.out
        assert "--install-completion" in result.out
        assert all(f"  {command} " in result.out for command in ROOT_COMMANDS)


@pytest.mark.parametrize("module", GROUPS)
def test_help_of_a_group(inarow: Inarow, module: ModuleType) -> None:
    name = words_of(module)
    for args in (name, [*name, "--help"], [*name, "-h"]):
        result = inarow(*args)
        assert result.err == ""
        lines = result.out.splitlines()
        for command, summary in summaries(module).items():
            assert any(line.split(maxsplit=1) == [command, summary] for line in lines)


@pytest.mark.parametrize(("group", "command"), COMMANDS)
def test_help_of_a_command(inarow: Inarow, group: ModuleType, command: str) -> None:
    words = [*words_of(group), command]
    result = inarow(*words, "--help")
    assert result.err == ""
    assert result.out.startswith(f"Usage: inarow {' '.join(words)} [OPTIONS]")
    found = group.app.info.cls.late[command]._load()
    if isinstance(found, Commands):
        return
    # A group lists a command without importing it: its line there is that of the command itself.
    assert found.help.splitlines()[0] == summaries(group)[command]


def test_python_runs_the_package() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "inarow", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"inarow {version('inarow')}\n"


def test_the_worst_verdict_decides_the_exit_code() -> None:
    assert exit_codes.of_verdicts(["proven", "proven"]) == 0
    assert exit_codes.of_verdicts(["proven", "consistent"]) == 6
    assert exit_codes.of_verdicts(["wrong", "consistent", "proven"]) == 1


# --- What is loaded when ---

HEAVY = (
    *("numpy", "rich", "pydantic", "zstandard", "highspy", "fastapi", "uvicorn", "PIL", "distributed"),
    *("cupy", r"inarow\._native\..*"),
)
NOT_FOR_SOLVING = (
    *("highspy", "fastapi", "uvicorn", "httpx", "PIL", "distributed", "cupy", "pydantic", "platformdirs"),
    *("asyncio", "http.client", "urllib.request", "xml.sax", "ssl", "multiprocessing", "rich.progress"),
    # Of inarow: the other games and engines, and what looks positions up.
    *(".*positional.*", ".*ultimate.*", "inarow.cuda", "inarow.cluster"),
    *(f"inarow.quixo.solver.engines.{name}" for name in ("gpu_memory", "cuda", "cluster")),
    *(f"inarow.quixo.{name}" for name in ("table.table", "table.remote", "probe", "arrays")),
)
MAIN = "from inarow.cli.main import main; main({})"
COMMANDS_ALONE: list[list[str]] = [
    [],
    ["--version"],
    ["quixo"],
    ["quixo", "-h"],
    ["dictionary"],
    ["ultimate", "-h"],
]


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import inarow", HEAVY),
        ("import inarow; dir(inarow); inarow.__version__", HEAVY),
        ("import inarow; inarow.InarowError, inarow.Outcome", HEAVY),
        ("import inarow.cli.app", HEAVY),
        *((MAIN.format(args), HEAVY) for args in COMMANDS_ALONE),
        (MAIN.format(["quixo", "solve", "--size", "2"]), NOT_FOR_SOLVING),
        (MAIN.format(["quixo", "solve", "--size", "2", "--json"]), NOT_FOR_SOLVING),
    ],
)
def test_nothing_is_loaded_before_it_is_used(code: str, unwanted: tuple[str, ...]) -> None:
    code += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = result.stderr.splitlines()[-1].split()
    assert [name for name in loaded if re.fullmatch("|".join(unwanted), name)] == []


# --- Completion ---


def completions(program: Program, *words: str, shell: str = "bash") -> list[str]:
    """What the shell offers for the last of these words."""
    line = " ".join(["inarow", *words])
    environment = {
        **os.environ,
        "_INAROW_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    result = program(env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split("\n")[:-1]


def test_completion_in_bash(program: Program) -> None:
    assert completions(program, "quixo", "so") == ["solve"]
    assert completions(program, "quixo", "pu") == ["puzzle", "puzzles"]
    assert completions(program, "") == ROOT_COMMANDS
    assert completions(program, "ult") == ["ultimate"]
    assert completions(program, "solve", "") == ROOT_COMMANDS
    assert "--double-line" in completions(program, "quixo", "solve", "--")
    assert completions(program, "quixo", "solve", "--device", "") == ["cpu", "cuda"]
    assert completions(program, "ultimate", "play", "--against", "x") == ["xavier"]


def test_completion_in_zsh_and_fish_shows_the_summaries(program: Program) -> None:
    summary = summaries(quixo)["results"]
    assert completions(program, "quixo", "res", shell="fish") == [f"results\t{summary}"]
    (shown,) = completions(program, "quixo", "res", shell="zsh")
    assert f'"results":"{summary}"' in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script(program: Program, shell: str) -> None:
    result = program(env={**os.environ, "_INAROW_COMPLETE": f"source_{shell}"})
    assert (result.returncode, result.stderr) == (0, "")
    assert "_INAROW_COMPLETE" in result.stdout


# --- From Python ---


def test_every_exported_name_is_there() -> None:
    assert sorted(library.__all__) == library.__all__
    for name in library.__all__:
        assert getattr(library, name) is not None
        assert name in dir(library)
    assert inspect.isfunction(library.solve)
    with pytest.raises(AttributeError, match="frobnicate"):
        library.frobnicate  # type: ignore[attr-defined]  # noqa: B018


def test_what_type_checkers_see_is_what_is_exported() -> None:
    tree = ast.parse(Path(str(library.__file__)).read_text())
    checked, _ = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in checked.body if isinstance(node, ast.ImportFrom)]
    declared = {alias.name: node.module for node in imports for alias in node.names}
    assert set(declared) == set(library.__all__)
    for name, module in declared.items():
        assert getattr(library, name) is getattr(import_module(str(module)), name)


# --- Progress and sizes, as all commands show and read them ---


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Stderr as a terminal, on which progress is shown without waiting; Pytest would undo it in a fixture."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(console, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_progress_shows_the_share_done_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    with console.progress("solving") as report:
        for done in range(3):
            report(done, 4)
    assert "solving" in terminal.getvalue()
    assert "50%" in terminal.getvalue()
    assert ":" in terminal.getvalue()


def test_progress_appears_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE", 0.01)
    with console.progress("solving"), console.activity("searching"):
        for _ in range(500):
            if "solving" in terminal.getvalue():
                break
            time.sleep(0.01)
    assert "0:00:0" in terminal.getvalue()


def test_activity_shows_words(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    with console.activity("searching") as report:
        report("12 nodes")
    assert "searching: 12 nodes" in terminal.getvalue()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE", 60)
    with console.progress("solving") as report, console.activity("searching") as words:
        report(1, 2)
        words("12 nodes")
    assert terminal.getvalue() == ""


def test_progress_goes_to_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_PATIENCE", 0)
    with console.progress("solving") as report, console.activity("searching") as words:
        report(1, 2)
        words("12 nodes")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("18G", 18 * 10**9),
        ("18GB", 18 * 10**9),
        ("18 gb", 18 * 10**9),
        ("18GiB", 18 << 30),
        ("18Gi", 18 << 30),
        ("500M", 500 * 10**6),
        ("1.5k", 1500),
        ("0.5KiB", 512),
        ("2T", 2 * 10**12),
        ("2TiB", 2 << 40),
    ],
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "18", "G", "18X", "-1G", "1e9", "18 G B", "18GiBs", "∞G"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a size like 18G"):
        parse_memory(text)
