"""`inarow ultimate prove` and `check`."""

import json
import signal
from pathlib import Path
from types import FrameType

import pytest
from cli.calling import Inarow

from inarow.ultimate.certificate import Claim, write_certificate
from inarow.ultimate.rules import Ultimate

LITTLE = ("--memory", "16M")
# O has two ways to hold X off by ply 29, after Xavier's opening.
OPENING = "44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48"


def test_prove(inarow: Inarow) -> None:
    result = inarow("ultimate", "prove", "--plies", "17", *LITTLE)
    assert result.code == 0
    assert result.out.startswith("X cannot force a win by ply 17.\n")


def test_prove_json(inarow: Inarow) -> None:
    result = inarow("ultimate", "prove", "--plies", "29", "--position", OPENING, "--json", *LITTLE)
    assert result.code == 0
    found = json.loads(result.out)
    assert found.keys() == {"plies", "wins", "first_moves", "nodes", "seconds"}
    assert (found["plies"], found["wins"], found["first_moves"]) == (29, False, [])


def test_certificate(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "19.u3t"
    result = inarow("ultimate", "prove", "--plies", "19", "--certificate", path, "--json", *LITTLE)
    assert (result.code, json.loads(result.out)["wins"]) == (0, False)
    result = inarow("ultimate", "check", path, "--json")
    found = json.loads(result.out)
    assert (result.code, found["verdict"], found["side"], found["plies"]) == (0, "proven", "o", 19)
    result = inarow("ultimate", "check", path)
    assert result.code == 0
    assert result.out.startswith("Claim: X does not win by ply 19.\nProven.\n")


def test_a_claim_that_does_not_hold(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "wrong.u3t"
    write_certificate(path, Claim("x", 43, Ultimate().start(), b"\0"))
    result = inarow("ultimate", "check", path)
    assert result.code == 1
    assert "Not shown: " in result.out
    assert inarow("ultimate", "check", path, "--json").code == 1


def test_files_that_are_damaged_or_missing(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "damaged.u3t"
    path.write_bytes(b"\x89U3T\r\n\x1a\n")
    assert inarow("ultimate", "check", path).code == 4
    assert inarow("ultimate", "check", tmp_path / "missing.u3t").code == 3


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--plies", "0"), 2, "0 plies: a game has 1 to 81"),
        (("--plies", "82"), 2, "82 plies: a game has 1 to 81"),
        (("--plies", "29", "--memory", "much"), 2, "'much' is not a size like 18G, 500M or 16GiB"),
        (("--plies", "29", "--memory", "12k"), 2, "12000 bytes of memory"),
        (("--plies", "29", "--position", "44 40 51"), 2, "ply 3, move 51"),
        (("--plies", "29", "--certificate", "/no/such/folder/file"), 3, "no such folder"),
        ((), 2, "--plies"),
    ],
)
def test_bad_input(inarow: Inarow, args: tuple[str, ...], code: int, message: str) -> None:
    result = inarow("ultimate", "prove", *args)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


@pytest.mark.parametrize("certificate", [False, True])
def test_interrupted(inarow: Inarow, tmp_path: Path, certificate: bool) -> None:
    """By a signal that comes while the search is in C++, as Ctrl-C would."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "certificate"
    extra = ("--certificate", str(path)) if certificate else ()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        result = inarow("ultimate", "prove", "--plies", "41", *extra, *LITTLE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (result.code, result.out, result.err) == (130, "", "inarow: interrupted\n")
    assert not list(tmp_path.iterdir())
