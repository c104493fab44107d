"""The documents: links lead somewhere, and the commands that they name exist."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from documents import ROOT, each_document
from typer.main import get_command

from inarow.cli import dictionary, quixo, ultimate


@each_document
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    links = re.findall(r"(?:\]\(|src=\")([^)\s\"]+)", text)
    missing = [
        link
        for link in links
        if not link.startswith(("http", "mailto:", "#"))
        and not (path.parent / link.partition("#")[0]).exists()
    ]
    assert missing == []


@each_document
def test_commands_exist(path: Path) -> None:
    named = re.findall(r"\binarow ((?:quixo|dictionary|ultimate)\b(?: [a-z]+)?)", path.read_text())
    for command in sorted(set(named)):
        group, _, name = command.partition(" ")
        assert not name or name in _commands(group), f"inarow {command}"


def test_the_commands_of_the_claims_can_be_given() -> None:
    """Their options exist, and take what they are given."""
    text = (ROOT / "docs/results/claims.md").read_text()
    commands = sorted(set(re.findall(r"`inarow ((?:quixo|dictionary|ultimate) [^`]+)`", text)))
    assert len(commands) > 30
    for line in commands:
        group, *arguments = shlex.split(line)
        _parse(group, arguments)
    with pytest.raises(Exception, match="No such option"):
        _parse("ultimate", ["prove", "--plies", "43", "--no-such-option"])
    programs = re.findall(r"`(?:python|pytest) ([\w/.]+)", text)
    assert programs
    assert [path for path in programs if not (ROOT / path).exists()] == []


def test_the_plots_are_those_of_the_tables(tmp_path: Path) -> None:
    run([sys.executable, ROOT / "docs/results/draw_tables.py", tmp_path], check=True)
    drawn = sorted(tmp_path.iterdir())
    assert drawn
    for plot in drawn:
        assert plot.read_text() == (ROOT / "docs/images" / plot.name).read_text(), plot.name


def test_the_citation_is_of_this_version() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()


GROUPS: dict[str, Any] = {"quixo": quixo.app, "dictionary": dictionary.app, "ultimate": ultimate.app}


def _parse(group: str, arguments: list[str]) -> None:
    """Read a command line as the program would, without running the command."""
    command: Any = get_command(GROUPS[group])
    name: str | None = group
    while hasattr(command, "get_command"):
        name, *arguments = arguments
        command = command.get_command(command.make_context(group, [], resilient_parsing=True), name)
        assert command is not None, name
    command.make_context(name, arguments)


def _commands(group: str) -> set[str]:
    found: Any = get_command(GROUPS[group])
    return set(found.commands)
