"""`inarow quixo study thumb`."""

from __future__ import annotations

import json

from cli.calling import Inarow

from inarow.cli.quixo.study import thumb as command
from inarow.quixo.study.thumb import RULES


def test_the_book_is_enough_for_positions_of_few_marks(inarow: Inarow) -> None:
    result = inarow("quixo", "study", "thumb", "--size", "5", "--marks", "3", "--sample", "30")
    assert result.code == 0
    for rule in RULES:
        assert rule.text.split()[0] in result.out
    assert "No games are played" in result.out


def test_games_show_exceptions(inarow: Inarow) -> None:
    args = ("quixo", "study", "thumb", "--size", "3x4", "--sample", "20", "--games", "60", "--rounds", "1")
    result = inarow(*args)
    assert result.code == 0
    assert "for up to 200 plies" in result.out
    found = json.loads(inarow(*args, "--json").out)
    assert [its["games"] for its in found["games"]] == [60, 60, 60]
    assert ("Exceptions with fewest marks" in result.out) == any(its["exceptions"] for its in found["games"])
    assert ("learned by heart" in result.out) == bool(found["rounds"])


def test_few_of_many_saving_moves_are_named() -> None:
    assert command._moves(("a1a3",)) == "a1a3"
    assert command._moves(("a1a3", "a1c1", "b1b3", "b1a1")) == "a1a3, a1c1, b1b3 and 1 more"
