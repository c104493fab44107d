"""Every public name has a contract, an example that runs as a doctest, and a place in the reference."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
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
    text = "".join(path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.md"))
    return {*re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE), *re.findall(r"`(inarow\.[\w.]+)`", text)}


def test_every_public_name_is_in_the_reference() -> None:
    assert set(NAMES) <= listed()


@pytest.mark.parametrize("name", sorted(listed() - LITERALS))
def test_what_is_in_the_reference_has_an_example(name: str) -> None:
    library = LIBRARIES.get(name.rpartition(".")[0])
    if library is not None:
        pytest.importorskip(library)
    assert ">>> " in (inspect.getdoc(resolve(name)) or "")
