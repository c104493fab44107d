"""Ultimate Tic-Tac-Toe in the pages, as the core answers in WebAssembly: the same as the library."""

from __future__ import annotations

from random import Random

import pytest

from inarow.ultimate.players import Mcts
from inarow.ultimate.rules import Position, Ultimate, Variant
from inarow.ultimate.strategy import OffStrategy, explain, lbs
from inarow.web.ultimate import record

from .conftest import Ask


def game(
    random: Random, strategy_plies: int = 0, resists: bool = False, variant: Variant = "open"
) -> list[Position]:
    """Positions of a game in which X follows the strategy for a while, and O resists or plays anything."""
    positions = [Ultimate(variant).start()]
    while not positions[-1].is_over:
        here = positions[-1]
        if here.turn == "x" and here.ply < strategy_plies:
            move = explain(here).move
        else:
            move = random.choice(lbs(here) if here.turn == "o" and resists else here.legal_moves())
        positions.append(here.play(move))
    return positions


def test_games_with_and_without_the_strategy(ask: Ask) -> None:
    random = Random(2)
    positions = [
        position
        for number in range(60)
        for position in game(random, random.choice([0, 4, 12, 81, 81]), resists=number % 2 == 0)
    ]
    assert len(positions) > 2000
    answers = ask("ultimate", [("probe", {"position": position.text}) for position in positions])
    for position, answer in zip(positions, answers, strict=True):
        assert answer["record"] == record(position)


def test_games_of_the_closed_variant(ask: Ask) -> None:
    random = Random(5)
    positions = [position for _ in range(20) for position in game(random, variant="closed")]
    answers = ask("ultimate", [("probe", {"position": it.text, "variant": "closed"}) for it in positions])
    for position, answer in zip(positions, answers, strict=True):
        assert answer["record"] == record(position)
    shut, field, spot = next(
        (it, field, spot)
        for it in positions
        for field in range(9)
        for spot in range(9)
        if not it.is_over
        and it.active is None
        and it.x_fields >> field & 1
        and not it.taken(field) >> spot & 1
    )
    [refused] = ask(
        "ultimate", [("probe", {"position": shut.text, "variant": "closed", "move": f"{field}{spot}"})]
    )
    assert refused["refused"]["what"] == f"move {field}{spot}: field {field} is closed, x has won it"


@pytest.mark.parametrize("variant", ["open", "closed"])
def test_a_search_plays_either_side(ask: Ask, variant: Variant) -> None:
    for text in ("44", "44 40"):
        position = Ultimate(variant).parse(text)
        fields = {"position": text, "seed": 3, "variant": variant, "player": "search"}
        [answer] = ask("ultimate", [("move", fields)])
        searched = Mcts(playouts=20_000, seed=3 + position.ply).think(position)
        assert answer["record"]["move"] == str(searched.best.move)


def test_the_player(ask: Ask) -> None:
    random = Random(3)
    for position in [*game(random, 81, resists=True)[:-1:5], *game(random, 4, resists=False)[:-1:9]]:
        first, again = ask("ultimate", [("move", {"position": position.text, "seed": 11})] * 2)
        assert first["record"] == again["record"]
        move = first["record"]["move"]
        if position.turn == "o":
            assert move in map(str, lbs(position))
            continue
        try:
            assert move == str(explain(position).move)
        except OffStrategy:
            searched = Mcts(playouts=20_000, seed=11 + position.ply).think(position)
            assert move == str(searched.best.move)
