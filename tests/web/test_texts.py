"""The texts of the pages: every language has all of them, and the scripts have none of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from random import Random
from typing import Any

import pytest

from inarow import Game, Quixo, Ultimate, open_prober
from inarow.errors import InarowError
from inarow.positional.dictionary.player import NoAnswer
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.quixo.openings import shipped_openings
from inarow.quixo.player import LEVELS, Player
from inarow.quixo.rules import Position
from inarow.ultimate.strategy import OffStrategy, explain, lbs
from inarow.web.pages import texts
from inarow.web.qubic import Proof

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
        assert stem in code or made or f'"{name}"' in code or section == "told", key


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_script_has_texts_of_its_own(script: str) -> None:
    code = (WEB / "static" / script).read_text()
    code = re.sub(r"^\s*(//|/?\*).*$|/\*\*.*?\*/", "", code, flags=re.MULTILINE)
    code = re.sub(r'class: [`"][^`"]*[`"]|throw new Error\(.*?\)', "", code)
    found = [text for _, text in WORDS.findall(code)]
    assert [text for text in found if not re.fullmatch("|".join(ALLOWED), text)] == []


def _of_ultimate() -> Iterator[str]:
    """Why X's moves of the strategy are played, in games against any moves; and what is refused."""
    for seed in range(30):
        chance, position = Random(seed), Ultimate().start()
        while not position.is_over:
            if position.turn == "x":
                found = explain(position)
                yield found.why
                position = position.play(found.move)
            else:
                position = position.play(chance.choice(position.legal_moves()))
    for text, variant in (
        ("00", "open"),
        ("00 04 40", "open"),
        ("44 40 04 43 34 45", "open"),
        ("44", "closed"),
    ):
        begin = Ultimate(variant).parse(text)  # type: ignore[arg-type]
        with suppress(OffStrategy):
            yield explain(begin).why if begin.turn == "x" else ""
            lbs(begin)
    for text in ("44 51", "44 49", "4", "44 44", "9"):
        yield from _refusal(lambda text=text: Ultimate().parse(text))
    yield from _refusal(lambda: position.play("44"))
    yield from _refusal(lambda: explain(Ultimate("closed").start()))
    yield from _refusal(lambda: explain(Ultimate().parse("00 04")))


def _of_qubic() -> Iterator[str]:
    game = Game.named("qubic")
    proof = Proof(shipped_dictionary(game))
    for seed in range(3):
        chance, position = Random(seed), game.start()
        while not position.is_over:
            if position.turn == "x":
                found = proof.answer(position)
                yield found["why"]
                position = position.play(found["cell"])
            else:
                position = position.play(chance.choice(position.legal_moves()))
        yield from _refusal(lambda position=position: position.play(position.legal_moves()[:1] or 0))
    blank = "." * 64
    yield from _refusal(lambda: proof.answer(game.parse("ooo.xx.........o..x.ooo.x..x" + blank[28:])))
    yield from _refusal(lambda: proof.answer(game.parse("o" + blank[:61] + "x.")))
    for text in ("z", blank + ".", "..", "xx" + blank[2:]):
        yield from _refusal(lambda text=text: game.parse(text))
    yield from _refusal(lambda: game.start().play("0").play("0"))
    yield from _refusal(lambda: game.start().play("64"))


def _of_quixo() -> Iterator[str]:
    def names(lines: Any) -> Iterator[str]:
        for line in lines:
            if line["name"]:
                yield line["name"]
            yield from names(line["lines"])

    yield from names(shipped_openings(Quixo(5))["lines"])
    for size in (3, 5, 6):
        rules = Quixo(size) if size < 6 else Quixo(4, 6)
        with open_prober(rules, search_seconds=0.05) as prober:
            if size != 3:
                yield prober.probe(rules.start().play(rules.moves[0])).reason or ""
            for kind in ("best", "trap"):
                yield Player(prober, kind).describe()
            for level in range(1, len(LEVELS) + 1):
                yield Player(prober, "level", level=level).describe()
            if size == 5:
                text = "xo.x./..o../.x.../o...x/..o.x x"
                yield prober.probe(Position.parse(text)).reason or ""
    for text in ("q", "...", ".../.../..", ".../.../...", ".../.../... z", ".../.../... xx", "....", "./."):
        yield from _refusal(lambda text=text: Position.parse(text))
    for shape in ((1,), (13, 2), (2, 13), (9, 9), (5, 5, 9), (2, 2, 3)):
        yield from _refusal(lambda shape=shape: Quixo(*shape))


def _refusal(attempt: Any) -> Iterator[str]:
    try:
        attempt()
    except (NoAnswer, OffStrategy) as error:
        yield error.reason
    except (ValueError, InarowError) as error:
        yield getattr(error, "reason", None) or str(error)


@pytest.mark.parametrize("sentences", [_of_ultimate, _of_qubic, _of_quixo])
def test_what_the_source_says_is_translated(sentences: Any) -> None:
    english, french = texts("en"), texts("fr")
    told = [(text, french[key]) for key, text in english.items() if key.startswith(("told.", "wrong."))]
    told.sort(key=lambda pair: -len(re.sub(r"\{\w+\}", "", pair[0])))

    def translated(sentence: str) -> str:
        """As static/texts.js does it."""
        for text, there in told:
            parts = re.split(r"\{(\w+)\}", text)
            names = parts[1::2]
            for nth, name in enumerate(names):
                parts[2 * nth] = re.escape(parts[2 * nth])
                parts[2 * nth + 1] = f"(?P={name})" if name in names[:nth] else f"(?P<{name}>.+)"
            parts[-1] = re.escape(parts[-1])
            if found := re.fullmatch("".join(parts), sentence, re.DOTALL):
                return re.sub(r"\{(\w+)\}", lambda name: translated(found[name[1]]), there)
        return sentence

    said = {sentence for sentence in sentences() if sentence}
    assert len(said) >= 15
    for sentence in said:
        assert translated(sentence) != sentence
        assert not re.search(r"\b(the|must|is|has|field|of|and|are|by|to|or|beside)\b", translated(sentence))
