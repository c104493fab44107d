"""The dictionaries that come with inarow win every game."""

from __future__ import annotations

import pytest

from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.shipped import NoDictionary, shipped_dictionary
from inarow.positional.rules import Game
from inarow.verify.positional.dictionary import verify_dictionary

POSITIONS, LINES = 1821, 301


def test_qubic_is_won() -> None:
    game = Game.named("qubic")
    dictionary = shipped_dictionary(game)
    report = verify_dictionary(game, dictionary, assisted=True, proof_only=True)
    assert report.exhaustive
    assert report.positions.dictionary == len(dictionary.entries()) == POSITIONS
    assert len(dictionary.lines) == LINES
    assert not report.unused_lines
    assert not report.conflicts


def test_qubic_is_compressed() -> None:
    game = Game.named("qubic")
    found = compress(shipped_dictionary(game).entries(), game.symmetries("full"))
    assert found.positions == POSITIONS
    assert len(found.lines) == LINES == found.lower_bound


@pytest.mark.parametrize(
    "game",
    [
        Game.named("mnk:3x3x3"),
        Game.named("polyomino:i-tetromino:6", maker_breaker=False),
        Game.named("qubic", maker_breaker=True),
        Game("qubic", 4, [0b1111]),
        Game("any/other: name", 4, [0b1111]),
    ],
)
def test_other_games_have_none(game: Game) -> None:
    with pytest.raises(NoDictionary, match="name a file"):
        shipped_dictionary(game)
