"""What the core refuses in WebAssembly, in the words of the library; and moves that it plays first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inarow.errors import NotationError
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.quixo.rules import Position, Quixo
from inarow.ultimate.rules import Ultimate
from inarow.web.qubic import QUBIC, Proof
from inarow.web.ultimate import record

from .conftest import Ask

TEXTS: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "quixo": (
        Position.parse,
        [
            *("", "x", "x../..", "xq./.../... x", "x../..../... x", "x../../... x", "x../.../..."),
            *("x../.../... ", "x../.../... z", "x../.../... xx", "x../'../... x", "x\t./.../... x"),
            *("x.×/.../... x", "x./../x.\\/.. x"),
        ],
    ),
    "qubic": (
        QUBIC.parse,
        ["", "x", "q" * 64, "." * 65, "x" * 64, "xx" + "." * 62, "." * 30 + "×" + "." * 33],
    ),
    "ultimate": (
        Ultimate().parse,
        ["x", "4", "444", "94", "4x", "44 55", "44,40,04,41,44", "44, 40, 51", "44 44"],
    ),
}


@pytest.mark.parametrize(("game", "text"), [(game, text) for game in TEXTS for text in TEXTS[game][1]])
def test_bad_notation_is_refused_in_the_same_words(ask: Ask, game: str, text: str) -> None:
    with pytest.raises(NotationError) as raised:
        TEXTS[game][0](text)
    [answer] = ask(game, [("probe", {"position": text})])
    reason = raised.value.reason.replace("2 to 26", "2 to 13")  # pages show boards that can be solved
    assert answer["refused"] == {"what": reason, "at": raised.value.column}


SHAPES = {
    "............../.............. x": "a row of 14 cells; must be 2 to 13",
    "....../....../....../....../...... x": "a board of 5×6 has 30 cells; must be at most 26",
}
ONE_WAY = "moves are apart by one comma or space each; none at all is 'start'"
REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("quixo", "stats", Quixo(4, 6).to_json(), "no results of Quixo 4×6, line 6, double line loses are kept"),
    ("quixo", "puzzles", Quixo(4, line=3).to_json(), "no puzzles"),
    ("quixo", "openings", Quixo(4).to_json(), "no openings"),
    ("quixo", "move", {"position": "xxx/.../... o", "player": "best"}, "the game is over"),
    ("quixo", "probe", {"position": ".../.../... x", "line": 9}, "line 9: must be 2 or 3 on a board of 3×3"),
    *(("quixo", "probe", {"position": text}, what) for text, what in SHAPES.items()),
    ("qubic", "probe", {"position": "." * 64, "move": 64}, "number of a cell"),
    ("qubic", "probe", {"position": "." * 21 + "x" + "." * 42, "move": "21"}, "cell 21: already has an x"),
    ("ultimate", "probe", {"position": "44", "move": "9"}, "no field '9'; must be 0 to 8"),
    ("ultimate", "probe", {"position": "44", "move": "00"}, "move 00: must be in field 4, where 44 sends"),
    *(
        ("ultimate", "probe", {"position": text}, ONE_WAY)
        for text in ("44  40", " 44", "44, 40", "", "Start")
    ),
]


@pytest.mark.parametrize(("game", "name", "fields", "what"), REFUSED)
def test_what_is_refused(ask: Ask, game: str, name: str, fields: dict[str, Any], what: str) -> None:
    [answer] = ask(game, [(name, fields)])
    assert what in answer["refused"]["what"]


def test_moves_are_played_first(ask: Ask) -> None:
    [qubic] = ask("qubic", [("probe", {"position": QUBIC.start().text, "move": "21"})])
    assert qubic["record"] == Proof(shipped_dictionary(QUBIC)).record(QUBIC.start().play("21"))
    position = {"position": "44,40"}
    made, wrong = ask("ultimate", [("probe", {**position, "move": move}) for move in ("04", "9")])
    assert made["record"] == record(Ultimate().parse("44 40 04"))
    assert wrong["refused"]["at"] == 0
