"""The checker of certificates: says yes to what is proven, and no to anything else."""

from dataclasses import replace
from importlib.resources import as_file

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ultimate_endings import forces_win, late_position

from inarow._native import verify_ultimate as _verify_ultimate
from inarow.ultimate.certificate import Claim, shipped
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Ultimate
from inarow.values import Mark
from inarow.verify.ultimate.certificate import check_certificate, check_claim

MEMORY = 16 << 20


def claim_of(moves: str, plies: int) -> Claim:
    position = Ultimate().parse(moves)
    proof = prove(position, plies, policy=True, memory=MEMORY)
    assert proof.answers is not None
    return Claim(proof.side, plies, position, proof.answers)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 14), st.integers(0, 14))
def test_proven_claims_hold_and_opposite_ones_do_not(seed: int, back: int, ahead: int) -> None:
    position = late_position(seed, back)
    plies = min(81, position.ply + ahead)
    proof = prove(position, plies, policy=True, memory=MEMORY)
    assert proof.answers is not None
    claim = Claim(proof.side, plies, position, proof.answers)
    report = check_claim(claim)
    assert report.holds, report.failure
    assert report.answered == len(proof.answers)
    opposite = replace(claim, side="o" if claim.side == "x" else "x")
    assert not check_claim(opposite).holds


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 5), st.integers(0, 6), st.lists(st.integers(0, 8)).map(bytes))
def test_nothing_shows_what_is_not_true(seed: int, back: int, ahead: int, answers: bytes) -> None:
    position = late_position(seed, back)
    plies = min(81, position.ply + ahead)
    truth = forces_win(position, plies)
    assert not check_claim(Claim("o" if truth else "x", plies, position, answers)).holds


@pytest.mark.parametrize(("side", "plies", "longest"), [("x", 43, 43), ("o", 41, 40)])
def test_the_certificates_that_come_with_the_package(side: Mark, plies: int, longest: int) -> None:
    """X wins by ply 43, as the paper's Lemma 3 says, and not by ply 41."""
    with as_file(shipped(side)) as file:
        report = check_certificate(file)
    assert report.holds
    assert (report.claim.side, report.claim.plies, report.claim.position.ply) == (side, plies, 0)
    assert report.longest_plies == longest


def test_the_first_player_does_not_win_by_ply_25() -> None:
    claim = claim_of("start", 25)
    report = check_claim(claim)
    assert report.holds
    assert report.opposed > 0
    assert report.longest_plies <= 25
    assert report.to_json()["position"] == "start"


def test_a_claim_needs_all_its_answers_and_no_more() -> None:
    claim = claim_of("44", 19)
    assert not check_claim(replace(claim, answers=claim.answers[:-1])).holds
    assert not check_claim(replace(claim, answers=claim.answers + b"\0")).holds
    assert not check_claim(replace(claim, answers=b"\x09" + claim.answers[1:])).holds
    assert not check_claim(replace(claim, answers=b"")).holds


def test_a_stronger_claim_is_not_shown() -> None:
    claim = claim_of("start", 19)
    assert not check_claim(replace(claim, plies=21)).holds


def test_a_win_that_came_too_late_is_none() -> None:
    over = next(p for p in (late_position(s, 1) for s in range(100)) if prove(p, 81, memory=MEMORY).wins)
    win = next(p for p in map(over.play, over.legal_moves()) if p.winner == "x")
    assert check_claim(Claim("x", win.ply, win, b"")).holds
    assert not check_claim(Claim("o", win.ply, win, b"")).holds
    assert check_claim(Claim("o", win.ply - 1, win, b"")).holds
    assert not check_claim(Claim("x", win.ply - 1, win, b"")).holds


def test_it_can_be_stopped() -> None:
    class Stop(Exception):
        pass

    def stop(positions: int, ply: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        check_claim(claim_of("start", 21), stop)


@pytest.mark.parametrize(
    ("plies", "moves"), [(0, []), (82, []), (29, [81]), (29, [-1]), (29, [0, 0]), (29, [0, 9])]
)
def test_claims_that_are_none(plies: int, moves: list[int]) -> None:
    with pytest.raises(ValueError, match=r"plies|played"):
        _verify_ultimate.check(True, plies, moves, b"", None)
