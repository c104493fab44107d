"""Certificates for Ultimate Tic-Tac-Toe: written, read by the room and by the checker, played by, damaged."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.ultimate_endings import late_position
from ultimate.boards import any_move, played_on

from inarow.errors import DamagedFile, InarowError
from inarow.ultimate.certificate import (
    Claim,
    open_certificate,
    optimal_play,
    read_certificate,
    shipped,
    write_certificate,
)
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.values import Mark
from inarow.verify.ultimate.certificate import check_certificate
from inarow.verify.ultimate.rules import moves_text

MEMORY = 16 << 20
IN_A_FOLDER = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def claim_of(position: Position, plies: int) -> Claim:
    proof = prove(position, plies, policy=True, memory=MEMORY)
    assert proof.claim is not None
    return proof.claim


each_reader = pytest.mark.parametrize("read", [read_certificate, check_certificate], ids=["room", "checker"])


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A certificate that X does not win by ply 21."""
    path = tmp_path_factory.mktemp("certificates") / "21.u3t"
    write_certificate(path, claim_of(Ultimate().start(), 21))
    return path.read_bytes()


def test_written_and_read(tmp_path: Path) -> None:
    claim = claim_of(Ultimate().parse("44 40"), 19)
    path = tmp_path / "certificate"
    assert write_certificate(path, claim) == path.stat().st_size
    assert read_certificate(path) == read_certificate(str(path)) == claim
    report = check_certificate(str(path))
    assert report.verdict == "proven"
    assert (report.claim.side, report.claim.plies, report.claim.answers) == (claim.side, 19, claim.answers)
    assert moves_text(report.claim.moves) == claim.position.text
    assert str(report.claim) == str(claim)
    assert str(claim) == "X does not win by ply 19 after 44 40"


def test_where_it_has_no_move(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "certificate"
    path.write_bytes(content)
    certificate = open_certificate(path)
    assert len(certificate) > 1000
    assert certificate.move(Ultimate().start()) is None  # X's turn
    assert certificate.move(Ultimate().parse("44")) is not None
    with pytest.raises(InarowError, match="open"):
        certificate.move(Ultimate("closed").parse("44"))


@settings(IN_A_FOLDER, max_examples=60)
@given(st.builds(late_position, st.integers(0, 10**9), st.integers(1, 7)), st.integers(1, 7))
def test_it_is_played_by_against_every_move(tmp_path: Path, begin: Position, ahead: int) -> None:
    claim = claim_of(begin, min(81, begin.ply + ahead))
    write_certificate(tmp_path / "certificate", claim)
    certificate = open_certificate(tmp_path / "certificate")
    assert len(certificate) == len(claim.answers)
    left = {begin}
    while left:
        position = left.pop()
        if position.is_over or position.ply >= claim.plies:
            assert (position.winner == "x" and position.ply <= claim.plies) == (claim.side == "x")
        elif (move := certificate.move(position)) is not None:
            left.add(position.play(move))
        else:  # of X a move is always needed; of O any will do where X is too late
            assert (position.turn, claim.side) != ("x", "x")
            left.update(map(position.play, position.legal_moves()))


@each_reader
@settings(IN_A_FOLDER, max_examples=100)
@given(data=st.data())
def test_any_change_is_noticed(
    tmp_path: Path, content: bytes, read: Callable[[Path], object], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(content) - 1))
    damaged = bytearray(content)
    damaged[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "certificate"
    path.write_bytes(content[:at] if data.draw(st.booleans()) else damaged)
    with pytest.raises(DamagedFile, match="certificate: "):
        read(path)


@settings(IN_A_FOLDER, max_examples=60)
@given(data=st.data())
def test_a_new_checksum_hides_no_change(tmp_path: Path, data: st.DataObject, content: bytes) -> None:
    """Unless the answers still show a claim that is true: then it is a certificate, if not the same."""
    body = bytearray(content[:-32])
    body[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path / "certificate"
    path.write_bytes(signed(bytes(body)))
    try:
        report = check_certificate(path)
    except DamagedFile:
        with pytest.raises(DamagedFile):
            read_certificate(path)
        return
    claim = read_certificate(path)
    assert (claim.side, claim.plies) == (report.claim.side, report.claim.plies)
    assert tuple(claim.position.move_numbers) == report.claim.moves
    assert claim.answers == report.claim.answers
    if report.verdict == "proven":
        assert report.claim.side == "o"
        position = Ultimate().parse(moves_text(report.claim.moves))
        assert not prove(position, report.claim.plies, memory=MEMORY).wins


def signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


@each_reader
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: signed(content[:-32] + b"\0"), "size"),
        (lambda content: signed(content[:-32] + content[-32:]), "size"),
        (lambda content: signed(content[:-32] + content), "size"),
        (lambda content: signed(content[:12] + b"\1\x51" + content[13:-32]), "ply 1"),
        (lambda content: signed(content[:12] + b"\2\0\0" + content[13:-32]), "ply 2"),
        (lambda content: signed(content[:12] + b"\2\0\x09" + content[13:-32]), "ply 2"),
        (lambda content: content[:8] + b"\2" + content[9:], "version 2"),
        (lambda content: b"", "not a certificate"),
        (lambda content: b"\x89PNG\r\n\x1a\n" + bytes(100), "not a certificate"),
        (lambda content: bytes(1000), "not a certificate"),
    ],
)
def test_what_is_no_certificate(tmp_path: Path, content: bytes, read: Any, change: Any, reason: str) -> None:
    path = tmp_path / "certificate"
    path.write_bytes(change(content))
    with pytest.raises(DamagedFile, match=reason):
        read(path)


def test_what_does_not_show_its_claim_is_not_played_by(tmp_path: Path) -> None:
    claim = claim_of(Ultimate().start(), 19)
    path = tmp_path / "certificate"
    for answers in (claim.answers[:-1], claim.answers + b"\0", b"\x50" + claim.answers[1:]):
        write_certificate(path, replace(claim, answers=answers))
        with pytest.raises(DamagedFile, match="does not show"):
            open_certificate(path)


def test_the_certificates_of_the_package_are_those_of_0_1() -> None:
    found = {side: hashlib.sha256(shipped(side).read_bytes()).hexdigest() for side in get_args(Mark)}
    assert found == {
        "x": "96284a71726911dbb8774d722f1c08d48417d0b705b69c97e78463eb4e97f1c3",
        "o": "c98899d830122591e76d254cca902fa107c5f09468e289543e2533d4a6fdd897",
    }


def test_the_certificate_of_the_package_wins_on_time() -> None:
    certificate = optimal_play("x")

    def proven(position: Position) -> Move:
        move = certificate.move(position)
        assert move is not None
        return move

    for seed in range(20):
        position = played_on(Ultimate().start(), proven, any_move(Random(seed)))
        assert (position.winner, position.ply <= 43) == ("x", True)
