"""The claims of the paper, verified with the strategies of the room."""

from __future__ import annotations

import pytest

from inarow.ultimate.claims import ClaimName, by_moves, verify_claim
from inarow.ultimate.rules import Move, Ultimate
from inarow.ultimate.strategy import xavier

LONG = [pytest.param(claim, marks=pytest.mark.exhaustive) for claim in ("xavier", "lemma7")]


@pytest.mark.parametrize("claim", ["lbs", "lemma6", *LONG])
def test_every_claim_is_proven(claim: ClaimName) -> None:
    report = verify_claim(claim)
    assert report.verdict == "proven"
    assert report.to_json()["verdict"] == "proven"
    assert report.wrong is None


def test_a_strategy_is_asked_by_moves() -> None:
    position = Ultimate().parse("44 40 04 43")
    assert by_moves(xavier)(tuple(position.move_numbers)) == Move(3, 4).number
    assert by_moves(xavier)(()) == Move(4, 4).number
