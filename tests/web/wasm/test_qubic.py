"""Qubic in the pages, as the core answers in WebAssembly: the same as the library."""

from __future__ import annotations

from random import Random

import pytest

from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.rules import Position
from inarow.positional.search.threats import promising_cells
from inarow.web.qubic import QUBIC, Proof

from .conftest import Ask


@pytest.fixture(scope="module")
def proof() -> Proof:
    return Proof(shipped_dictionary(QUBIC))


def game(random: Random, proof: Proof, by_proof: bool) -> list[Position]:
    """Positions of a game in which O, and X unless he follows the proof, mark any cell."""
    positions = [QUBIC.start()]
    while not positions[-1].is_over:
        here = positions[-1]
        cell = (
            proof.move(here, random) if by_proof and here.turn == "x" else random.choice(here.legal_moves())
        )
        positions.append(here.play(cell))
    return positions


def test_games_by_the_proof_and_at_random(ask: Ask, proof: Proof) -> None:
    random = Random(4)
    positions = [
        position
        for number in range(80)
        for position in game(random, proof, by_proof=number < 60)
        if position.is_over or random.random() < (1 if number < 60 else 0.3)
    ]
    assert len(positions) > 400
    answers = ask("qubic", [("probe", {"position": position.text}) for position in positions])
    for position, answer in zip(positions, answers, strict=True):
        assert answer["record"] == proof.record(position)


def test_the_player(ask: Ask, proof: Proof) -> None:
    random = Random(5)
    for position in game(random, proof, by_proof=True)[:-1]:
        first, again = ask("qubic", [("move", {"position": position.text, "seed": 7})] * 2)
        assert first["record"] == again["record"]
        assert first["record"]["move"] in position.legal_moves()
        if position.turn == "x":
            assert first["record"]["move"] == proof.answer(position)["cell"]
        else:
            assert first["record"]["move"] in promising_cells(position)


def test_the_player_without_the_proof(ask: Ask, proof: Proof) -> None:
    random = Random(6)
    for position in game(random, proof, by_proof=False)[:-1]:
        if position.turn == "o":
            allowed = promising_cells(position)
            answers = ask("qubic", [("move", {"position": position.text, "seed": seed}) for seed in range(3)])
            assert {answer["record"]["move"] for answer in answers} <= set(allowed)
