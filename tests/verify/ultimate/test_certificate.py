"""The checker of certificates: says yes to what is proven, and no to anything else."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ultimate_endings import forces_win, late_position

from inarow._native import verify_ultimate as native
from inarow.ultimate.certificate import shipped
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Position, Ultimate
from inarow.values import Mark
from inarow.verify.ultimate.certificate import CertificateClaim, check_certificate, check_claim

MEMORY = 16 << 20


def claim(side: Mark, plies: int, position: Position, answers: bytes) -> CertificateClaim:
    return CertificateClaim(side, plies, tuple(position.move_numbers), answers)


def proven_claim(position: Position, plies: int) -> CertificateClaim:
    proof = prove(position, plies, policy=True, memory=MEMORY)
    assert proof.claim is not None
    return claim(proof.side, plies, position, proof.claim.answers)


def holds(claim: CertificateClaim) -> bool:
    return check_claim(claim).verdict == "proven"


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 14), st.integers(0, 14), st.lists(st.integers(0, 8)).map(bytes))
def test_claims_hold_exactly_if_they_are_true(seed: int, back: int, ahead: int, answers: bytes) -> None:
    position = late_position(seed, back)
    plies = min(81, position.ply + ahead)
    proven = proven_claim(position, plies)
    report = check_claim(proven)
    assert report.verdict == "proven", report.reason
    assert report.answered == len(proven.answers)
    assert report.longest_plies <= plies
    assert not holds(replace(proven, side="o" if proven.side == "x" else "x"))
    if back <= 5 and ahead <= 6:  # nothing shows what is not true
        false = claim("o" if forces_win(position, plies) else "x", plies, position, answers)
        assert false.side != proven.side
        assert check_claim(false).verdict == "wrong"


@pytest.mark.parametrize(
    ("side", "plies", "longest"), [("x", 43, 43), pytest.param("o", 41, 40, marks=pytest.mark.exhaustive)]
)
def test_the_certificates_that_come_with_the_package(side: Mark, plies: int, longest: int) -> None:
    """X wins by ply 43, as the paper's Lemma 3 says, and not by ply 41."""
    report = check_certificate(shipped(side))
    assert report.verdict == "proven"
    assert (report.claim.side, report.claim.plies, report.claim.moves) == (side, plies, ())
    assert report.longest_plies == longest


def test_the_first_player_does_not_win_by_ply_25() -> None:
    report = check_claim(proven_claim(Ultimate().start(), 25))
    assert (report.verdict, report.reason) == ("proven", "the answers hold against every move of X")
    assert report.opposed > 0
    assert report.longest_plies <= 25
    assert report.to_json()["position"] == "start"


def test_a_claim_needs_all_its_answers_and_no_more() -> None:
    claim = proven_claim(Ultimate().parse("44"), 19)
    for answers in (claim.answers[:-1], claim.answers + b"\0", b"\x09" + claim.answers[1:], b""):
        assert not holds(replace(claim, answers=answers))
    assert not holds(replace(claim, plies=21))  # a stronger claim


def test_it_can_be_stopped() -> None:
    class Stop(Exception):
        pass

    def stop(positions: int, ply: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        check_claim(proven_claim(Ultimate().start(), 21), stop)


@pytest.mark.parametrize(
    ("plies", "moves"), [(0, []), (82, []), (29, [81]), (29, [-1]), (29, [0, 0]), (29, [0, 9])]
)
def test_claims_that_are_none(plies: int, moves: list[int]) -> None:
    with pytest.raises(ValueError, match=r"plies|played"):
        native.check(True, plies, moves, b"", None)
