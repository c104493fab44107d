"""Every command takes --json, and prints what docs/json.md says."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli.calling import PROGRAM, Inarow
from typer.main import get_command

from inarow.cli.app import app
from inarow.cli.commands import Commands

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"

TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path."""
    for name in group.commands:
        command: Any = group.commands[name]._load()
        if isinstance(command, Commands):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ENGINE = "quixo engine"  # speaks a protocol of its own
ALL = {" ".join(path): command for path, command in commands(get_command(app)) if " ".join(path) != ENGINE}


def documented() -> dict[str, dict[str, str]]:
    """The type of each field of each command."""
    found: dict[str, dict[str, str]] = {}
    for section in DOCUMENT.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows = re.findall(r"^\| (`.*?`) \| ([a-z, ]+?) \|", text, re.MULTILINE)
        if rows:
            found[title] = {field: type for names, type in rows for field in re.findall("`(.+?)`", names)}
    return found


def test_every_command_takes_json_and_is_documented() -> None:
    assert set(documented()) == set(ALL)
    for name, command in ALL.items():
        assert any("--json" in option.opts for option in command.params), name


def check(value: dict[str, Any], fields: dict[str, str], prefix: str = "") -> None:
    """The fields of an object are those documented, with their types."""
    below = {name.removeprefix(prefix): type for name, type in fields.items() if name.startswith(prefix)}
    own = {name: type for name, type in below.items() if not re.search(r"[.\[]", name)}
    if not own:  # an object with keys of any name
        return
    assert set(value) <= set(own), prefix
    for name, type in own.items():
        optional = type.endswith(", optional")
        if name not in value:
            assert optional, prefix + name
            continue
        allowed = type.removesuffix(", optional").split(" or ")
        assert any(TYPES[one](value[name]) for one in allowed), (prefix + name, value[name])
        if isinstance(value[name], dict):
            check(value[name], fields, f"{prefix}{name}.")
        elif isinstance(value[name], list):
            for item in value[name]:
                if isinstance(item, dict):
                    check(item, fields, f"{prefix}{name}[].")


@pytest.fixture
def tables(table3: Path, tmp_path: Path) -> dict[str, Path]:
    names = "table new dictionary made certificate site puzzles strategy data defence"
    files = {name: tmp_path / name for name in names.split()}
    shutil.copytree(table3, files["table"])
    files["dictionary"].write_text(".....X..........\n")
    return files


GAME = ("--game", "mnk:4x4x3")
EXAMPLES: Sequence[tuple[Sequence[str], str]] = [
    (("quixo", "solve", "--size", "3"), ""),
    (("quixo", "solve", "--size", "3", "--outcomes-only", "--stop-at", "8"), ""),
    (("quixo", "probe", ".../.../... x"), ""),
    (("quixo", "line", "--size", "3"), ""),
    (("quixo", "play", "--size", "3"), "a1a3\nnonsense\nundo\nundo\n"),
    (("quixo", "openings"), ""),
    (("quixo", "analyse", "-"), '[Game "Quixo"] [Size "3"] a1a3 c1a1 a2c2'),
    (("quixo", "puzzle", "--daily"), ""),
    (("quixo", "puzzles", "--size", "3", "--count", "2", "--out", "{puzzles}"), ""),
    (("quixo", "puzzles", "--check", "{puzzles}"), ""),
    (("quixo", "strategy", "--size", "3", "--out", "{strategy}"), ""),
    (("quixo", "strategy", "--check", "{strategy}"), ""),
    (("quixo", "results"), ""),
    (("quixo", "info", "{table}"), ""),
    (("quixo", "check", "{table}"), ""),
    (("quixo", "verify", "{table}"), ""),
    (("quixo", "info", "{table}"), ""),
    (("quixo", "verify", "{table}", "--sample", "9"), ""),
    (("quixo", "export", "--size", "2x2", "--out", "{data}.npz"), ""),
    (("quixo", "copy", "{table}", "{made}"), ""),
    (("dictionary", "make", *GAME), ""),
    (("dictionary", "make", "--game", "mnk:3x3x3"), ""),
    (("dictionary", "verify", "{dictionary}", *GAME, "--assisted"), ""),
    (("dictionary", "verify", "{dictionary}", *GAME), ""),
    (("dictionary", "compress", "{dictionary}", *GAME), ""),
    (("dictionary", "expand", "{dictionary}"), ""),
    (("dictionary", "convert", "{dictionary}", "--to", "patashnik"), ""),
    (("dictionary", "complete", "{dictionary}", *GAME), ""),
    (("dictionary", "prune", "{dictionary}", *GAME, "--assisted"), ""),
    (("dictionary", "defend", "--game", "mnk:3x3x3", "--out", "{defence}"), ""),
    (("dictionary", "defend", *GAME), ""),
    (("dictionary", "check", "{defence}", "--game", "mnk:3x3x3"), ""),
    (("dictionary", "check", "{defence}", "--game", "mnk:3x3x3", "--maker-breaker"), ""),
    (("dictionary", "play", "{dictionary}", *GAME), "0\n0\n"),
    (("ultimate", "play", "--against", "random"), "99\n"),
    (("ultimate", "optimal", "44 40", "--plies"), ""),
    (("ultimate", "prove", "--plies", "9", "--certificate", "{certificate}", "--memory", "64M"), ""),
    (("ultimate", "check", "{certificate}"), ""),
    (("ultimate", "verify", "lbs"), ""),
    (("doctor",), ""),
    (("site", "--out", "{site}"), ""),
    (("site", "--check", "{site}"), ""),
]


def test_what_commands_print_is_what_is_documented(inarow: Inarow, tables: dict[str, Path]) -> None:
    fields = documented()
    seen = {"serve"}  # has a test of its own
    for args, stdin in EXAMPLES:
        filled = [arg.format(**tables) for arg in args]
        result = inarow(*filled, "--json", stdin=stdin, code=None)
        name = next(name for name in (" ".join(args[:words]) for words in (3, 2, 1)) if name in ALL)
        lines = result.out.splitlines()
        assert lines, (args, result.err)
        for line in lines:
            check(json.loads(line), fields[name])
        seen.add(name)
    assert seen == set(ALL)


def test_serve_says_where_it_is() -> None:
    server = subprocess.Popen([*PROGRAM, "serve", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
    with server:
        assert server.stdout is not None
        found = json.loads(server.stdout.readline())
        check(found, documented()["serve"])
        assert found["url"] == f"http://127.0.0.1:{found['port']}/"
        server.send_signal(signal.SIGINT)


def test_a_program_plays(inarow: Inarow) -> None:
    result = inarow("quixo", "play", "--size", "3", "--json", stdin="a1a3\nhint\nundo\nundo\nquit\n")
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert [(line.get("ply"), line.get("by")) for line in lines] == [
        (0, None),
        (1, "person"),
        (2, "inarow"),
        (None, None),
        (0, None),
        (None, None),
    ]
    assert lines[1]["move"] == "a1a3"
    assert "no column 'h'" in lines[3]["error"]
    assert "nothing to take back" in lines[5]["error"]
