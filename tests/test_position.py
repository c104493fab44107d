"""The protocol of positions and rules, for all games."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from drawings import SVG, parse

from inarow.errors import NotationError
from inarow.position import Position, Rules
from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate
from inarow.values import opponent

# The annotation makes mypy check each of them against the protocol.
GAMES: list[Rules[Any]] = [
    Quixo(3),
    Quixo(4, 4, 3, "wins"),
    Quixo(2, 3),
    Quixo(5),
    Game.named("qubic"),
    Game.named("mnk:3x3x3"),
    Game.named("mnk:4x3x3", maker_breaker=True),
    Game.named("polyomino:el:3"),
    Game.named("polyomino:tippy:4", maker_breaker=False),
    Game("lines of one's own", 7, [0b0000111, 0b1010100, 0b0111000]),
    Game("more than 64 cells", 71, [0b11 << 60, 0b1101 << 63]),
    Ultimate(),
    Ultimate("closed"),
]
MOST_PLIES = 120  # games of Quixo may go on for ever

each_game = pytest.mark.parametrize("rules", GAMES, ids=str)


def random_game(rules: Rules[Any], seed: int) -> Iterator[tuple[Position[Any], Any]]:
    """The positions of a game and the move played in each; None in the last."""
    chance = random.Random(seed)
    position = rules.start()
    for _ in range(MOST_PLIES):
        moves = position.legal_moves()
        if not moves:
            break
        move = chance.choice(moves)
        yield position, move
        position = position.play(move)
    yield position, None


def finished_game(rules: Rules[Any]) -> Position[Any]:
    ends = (list(random_game(rules, seed))[-1][0] for seed in range(100))
    return next(end for end in ends if end.is_over)


@each_game
def test_rules_are_values_and_x_begins(rules: Rules[Any]) -> None:
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert hash(again) == hash(rules)
    start = rules.start()
    assert start == again.start()
    assert start.rules == rules
    assert (start.turn, start.is_over, start.winner, start.result) == ("x", False, None, None)
    for value in (rules, start):
        for field in fields(value):  # type: ignore[arg-type]
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, None)


@each_game
def test_text(rules: Rules[Any]) -> None:
    for position, _ in random_game(rules, seed=1):
        assert str(position) == position.text
        assert rules.parse(position.text) == position
        assert hash(rules.parse(position.text)) == hash(position)
        assert pickle.loads(pickle.dumps(position)) == position


@each_game
def test_moves(rules: Rules[Any]) -> None:
    seen: dict[Any, None] = {}
    for position, move in random_game(rules, seed=2):
        legal = position.legal_moves()
        assert isinstance(legal, tuple)
        assert len(set(legal)) == len(legal)
        for each in legal:
            text = rules.move_text(each)
            assert rules.parse_move(text) == each
            assert position.play(text) == position.play(each)
        for each in seen.keys() - set(legal):
            with pytest.raises(ValueError, match=r"\w"):
                position.play(each)
        seen |= dict.fromkeys(legal)
        if move is not None:
            before = position.text
            after = position.play(move)
            assert position.text == before, "a position never changes"
            assert after != position
            assert after.rules == rules
            assert after.turn == opponent(position.turn)


@each_game
def test_ends(rules: Rules[Any]) -> None:
    for seed in range(20):
        for position, _ in random_game(rules, seed):
            assert position.is_over == (not position.legal_moves())
            assert position.is_over == (position.result is not None)
            if not position.is_over:
                assert position.winner is None
            elif position.winner is None:
                assert position.result == "draw"
            else:
                assert position.result == ("win" if position.winner == position.turn else "loss")


@each_game
def test_no_move_follows_the_end_and_it_is_drawn(rules: Rules[Any]) -> None:
    start, end = rules.start(), finished_game(rules)
    assert end.legal_moves() == ()
    for move in start.legal_moves():
        with pytest.raises(ValueError, match=r"\w"):
            end.play(move)
    for position in (start, end):
        assert parse(position.svg()).tag == f"{SVG}svg"


@each_game
@pytest.mark.parametrize("text", ["?", "x?y", "\0", "x" * 5000, "١٢"])
def test_bad_notation(rules: Rules[Any], text: str) -> None:
    for read in (rules.parse, rules.parse_move, rules.start().play):
        with pytest.raises(NotationError) as caught:
            read(text)
        assert caught.value.text == text
        assert 0 <= caught.value.column <= len(text)
        assert caught.value.reason
        assert len(str(caught.value)) < 500
    with pytest.raises(NotationError):
        rules.parse_move("")
