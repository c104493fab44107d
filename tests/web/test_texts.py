"""The texts of the pages: every language has all of them, and the scripts have none of their own."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from inarow.web.pages import texts

WEB = files("inarow.web")
SCRIPTS = sorted(file.name for file in (WEB / "static").iterdir() if file.name.endswith(".js"))
# Strings of two words or more, or of one with a capital: keys, classes and events have none of these.
WORDS = re.compile(
    r"""(["'`])((?:[A-Z][a-z]+|[a-z]{2,}) [a-z]{2,}[^"'`<>=;:]*|[A-Z][a-z]{2,}[^"'`/<>=]*)\1"""
)
# Names of keys of the keyboard, of events, classes and attributes that look like words.
ALLOWED = {"Arrow(Left|Right|Up|Down)", "Enter", "Escape", "Content-Type", "DOMContentLoaded", "use strict"}
# Names of games, and of the headers of their texts.
ALLOWED |= {"Quixo", "Qubic", "Ultimate", "Game", "Size", "Line", "DoubleLine", "Variant", "Position", "Date"}
ALLOWED |= {"Result"}


def names(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


def test_every_language_has_every_text() -> None:
    english, french = texts("en"), texts("fr")
    assert english.keys() == french.keys()
    for key, text in english.items():
        assert names(text) == names(french[key]), key
        assert re.findall(r"<\w+", text) == re.findall(r"<\w+", french[key]), key
        assert french[key].strip(), key


def test_every_text_is_used() -> None:
    kept = [file for folder in ("static", "pages") for file in (WEB / folder).iterdir()]
    code = "".join(file.read_text() for file in kept if file.name.endswith((".js", ".html")))
    code += (WEB / "pages.py").read_text()
    for key in texts("en"):
        stem = re.sub(r"\.(one|other)$", "", key)
        section, _, name = stem.partition(".")
        made = f"{section}.${{" in code or f"{section}.{{" in code or section.startswith("page-")
        assert stem in code or made or f'"{name}"' in code, key


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_script_has_texts_of_its_own(script: str) -> None:
    code = (WEB / "static" / script).read_text()
    code = re.sub(r"^\s*(//|/?\*).*$|/\*\*.*?\*/", "", code, flags=re.MULTILINE)
    code = re.sub(r'class: [`"][^`"]*[`"]|throw new Error\(.*?\)', "", code)
    found = [text for _, text in WORDS.findall(code)]
    assert [text for text in found if not re.fullmatch("|".join(ALLOWED), text)] == []
