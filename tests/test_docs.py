"""The documents: links lead somewhere, commands exist, examples run, and every public name has one."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import sys
import warnings
from importlib import import_module
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


# --- Examples ---

NEEDED = {"docs/tutorials/cluster.md": "distributed", "docs/agents.md": "pettingzoo"}  # that are needed


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "docs/datasets.md", "docs/dictionaries.md", "docs/engine-protocol.md"),
        *("docs/ultimate.md", "docs/tutorials/first-probe.md", "docs/tutorials/arrays.md"),
        *("docs/tutorials/opponent.md", "docs/tutorials/dictionary.md", "docs/tutorials/verify.md"),
        *NEEDED,
    ],
)
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(NEEDED.get(name, "inarow"))
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / name), module_relative=False)
    assert results.attempted >= 4
    assert results.failed == 0


def test_the_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    kept, again = (nbformat.read(ROOT / "docs" / "quixo.ipynb", as_version=4) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the notebook's tools say of each other
        client = nbclient.NotebookClient(
            again, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        )
        client.execute()
    assert _shown(again) == _shown(kept)


def _shown(notebook: Any) -> list[Any]:
    """What a reader sees: the picture or the page, not the words that stand in for it."""
    return [
        output.get("text")
        or {
            kind: text
            for kind, text in output["data"].items()
            if kind != "text/plain" or len(output["data"]) == 1
        }
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


# --- The reference: every public name has a contract, an example and a place ---

# What adapters are to; without them the classes are not there.
LIBRARIES = {
    "inarow.adapters.gymnasium": "gymnasium",
    "inarow.adapters.open_spiel": "pyspiel",
    "inarow.adapters.pettingzoo": "pettingzoo",
    "inarow.adapters.widget": "anywidget",
}
LITERALS = {"inarow.verify.Verdict"}  # have no docstrings of their own
NAMES = [
    f"{module}.{name}" for module in ("inarow", "inarow.verify") for name in import_module(module).__all__
]


def resolve(name: str) -> Any:
    """The object of a dotted name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def listed() -> set[str]:
    """The names in the reference: those shown with their docstrings, and those named in the text."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    return {*re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE), *re.findall(r"`(inarow\.[\w.]+)`", text)}


def test_every_public_name_is_in_the_reference() -> None:
    assert set(NAMES) <= listed()


@pytest.mark.parametrize("name", sorted(listed() - LITERALS))
def test_what_is_in_the_reference_has_an_example(name: str) -> None:
    library = LIBRARIES.get(name.rpartition(".")[0])
    if library is not None:
        pytest.importorskip(library)
    assert ">>> " in (inspect.getdoc(resolve(name)) or "")
