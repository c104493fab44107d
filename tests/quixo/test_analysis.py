"""Games judged move by move, against what a table says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from inarow.quixo.analysis import analyse
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Move, Position, Quixo

RULES = Quixo(3)
RANK = {"win": 2, "draw": 1, "loss": 0}


@pytest.fixture(scope="module")
def prober() -> Iterator[Prober]:
    with open_prober(RULES) as prober:
        yield prober


def random_game(random: Random) -> list[Move]:
    position = RULES.start()
    moves: list[Move] = []
    while not position.is_over and len(moves) < 30:
        moves.append(random.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return moves


def test_mistakes_are_those_of_the_table(prober: Prober) -> None:
    random = Random(1)
    for _ in range(20):
        moves = random_game(random)
        found = analyse(prober, RULES.start(), moves)
        position: Position = RULES.start()
        for judged in found.moves:
            here, there = prober.probe(position), prober.probe(position.play(judged.move))
            assert judged.before == here.outcome
            assert judged.after is not None
            assert there.outcome is not None
            assert judged.after.plies == (None if there.plies is None else there.plies + 1)
            worse = RANK[judged.after.value] < RANK[here.value or "draw"]
            assert (judged.verdict == "mistake") == worse
            if worse:
                assert judged.best == here.moves[0].move
                end = position.play(judged.move)
                for reply in judged.refutation:
                    end = end.play(reply)
                assert judged.refutation or end.is_over
                if judged.after.value == "loss":
                    assert end.winner == there.position.turn
            position = position.play(judged.move)
        assert found.end == position
        for mark in ("x", "o"):
            side = found.side(mark)
            own = [move for move in found.moves if move.side == mark]
            assert side.mistakes == sum(move.verdict == "mistake" for move in own)
            assert side.moves == side.judged == len(own)
        last = max((move.ply for move in found.moves if move.verdict == "mistake"), default=None)
        assert (found.turned.ply if found.turned else None) == last == found.to_json()["turned"]


def test_repetitions_are_counted(prober: Prober) -> None:
    begin = Position.parse("x.o/.../... x")
    around = ["a3a1", "c3c1", "a1a3", "c1c3"]
    found = analyse(prober, begin, around * 2)
    assert [move.seen for move in found.moves] == [1, 1, 1, 2, 2, 2, 2, 3]


def test_an_empty_game(prober: Prober) -> None:
    found = analyse(prober, RULES.start(), [])
    assert found.to_json()["moves"] == []
    assert found.side("x").accuracy is None


def test_an_illegal_move(prober: Prober) -> None:
    with pytest.raises(ValueError, match="is the opponent's"):
        analyse(prober, RULES.start(), ["a1a3", "a3a1"])
