"""Agents judged by perfect play."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from oracle import quixo as oracle

import inarow
from inarow.errors import MissingTable
from inarow.quixo.evaluate import evaluate
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory

EXAMPLES = Path(__file__).parents[2] / "examples"
RULES = Quixo(2, 4, 3)  # has wins, losses and draws
EXPECTED = oracle.solve(2, 4, 3, "loses")
WORTH = {"win": 1, "draw": 0, "loss": -1}


@pytest.fixture(scope="module")
def prober() -> Iterator[Prober]:
    with open_prober(RULES, [table_in_memory(RULES)]) as opened:
        yield opened


def worth(position: Position) -> int:
    return WORTH[EXPECTED[position.mover, position.other][0]]


def test_perfect_players_make_no_mistakes(prober: Prober) -> None:
    found = evaluate(inarow.Player(prober), 20, prober=prober)
    assert (found.mistakes, found.regret, found.plies_lost) == (0, 0, 0)
    assert found.won + found.drawn + found.lost == found.games == 20
    assert found.moves >= 20


def test_mistakes_and_regret_are_those_of_the_oracle(prober: Prober) -> None:
    random = Random(1)
    given: list[int] = []

    def agent(position: Position) -> Move:
        move = random.choice(position.legal_moves())
        given.append(worth(position) + worth(position.play(move)))
        return move

    found = evaluate(agent, 50, prober=prober, seed=4)
    assert found.moves == len(given)
    assert found.mistakes == sum(regret > 0 for regret in given) > 0
    assert found.regret == sum(given)
    assert found.regret_per_game == sum(given) / 50
    assert f"a regret of {sum(given) / 50:.2f} a game" in str(found)
    assert found.to_json()["mistakes"] == found.mistakes


def test_the_same_seed_gives_the_same_games(prober: Prober) -> None:
    def first(position: Position) -> str:
        return RULES.move_text(position.legal_moves()[0])

    assert evaluate(first, 10, prober=prober, seed=1) == evaluate(first, 10, prober=prober, seed=1)
    weak = inarow.Player(prober, "weaker", seed=1)
    beaten = evaluate(inarow.Player(prober), 10, prober=prober, opponent=weak)
    assert beaten.won > 0


def test_what_cannot_be_judged(prober: Prober) -> None:
    with pytest.raises(ValueError, match="which is not legal"):
        evaluate(lambda position: Move(0, 0), 1, prober=prober)
    with pytest.raises(ValueError, match="no row '9'"):
        evaluate(lambda position: "a9a1", 1, prober=prober)
    with pytest.raises(ValueError, match="at least 1"):
        evaluate(lambda position: "a1a2", 0, prober=prober)
    with pytest.raises(ValueError, match="does not know"):
        evaluate(lambda position: "a1a2", 1, prober=prober, rules=Quixo(3))


@pytest.mark.parametrize(
    ("rules", "board", "options"),
    [
        (Quixo(5), "5×5", "--size 5"),
        (Quixo(4, 5, 4, "wins"), "4×5", "--size 4x5 --line 4 --double-line wins"),
    ],
)
def test_without_a_table_it_names_the_command_that_makes_one(rules: Quixo, board: str, options: str) -> None:
    with pytest.raises(MissingTable) as error:
        evaluate(lambda position: "a1a2", 1, rules=rules)
    assert str(error.value) == (
        f"Judging moves needs a complete {board} table. Make one: `inarow quixo solve {options} --out DIR`, "
        "and pass `prober=inarow.open_prober(rules, ['DIR'])`"
    )


def test_the_regret_of_a_learner_falls(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["learn_quixo.py", "--judged", "60"])
    runpy.run_path(str(EXAMPLES / "learn_quixo.py"), run_name="__main__")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["0", "50", "100", "200", "400", "800"]
    regrets = [float(row[2]) for row in rows]
    assert regrets[0] > 0.5
    assert regrets[-1] < 0.1
