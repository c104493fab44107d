"""The commands on Ultimate Tic-Tac-Toe, and games of it played by a script."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from cli.calling import Inarow
from ultimate.boards import WON, any_move, played_on

from inarow.ultimate import claims, players
from inarow.ultimate.certificate import Claim, open_certificate, write_certificate
from inarow.ultimate.rules import Ultimate
from inarow.ultimate.strategy import xavier
from inarow.verify.ultimate.rules import Wrong
from inarow.verify.ultimate.strategies import BlockReport, LbsReport, XavierReport

Reports = dict[str, claims.ClaimReport]


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Reports:
    """What the checks will find; they themselves are tested elsewhere."""
    found: Reports = {
        "xavier": XavierReport(Counter({29: 2, 43: 1}), 10, 20, 3, endgame_rounds=4, seconds=0.5),
        "lbs": LbsReport(cases=7, no_win_before=29),
        "lemma6": BlockReport(72, 8, {32}, Counter({49: 48, 53: 24})),
        "lemma7": BlockReport(576, 9, {32}, Counter({47: 576})),
    }
    monkeypatch.setattr(claims, "verify_claim", found.__getitem__)
    return found


def test_verify_all(inarow: Inarow, reports: Reports) -> None:
    result = inarow("ultimate", "verify", "all", "--json")
    found = json.loads(result.out)
    assert list(found) == ["xavier", "lbs", "lemma6", "lemma7"]
    assert (found["xavier"]["lengths"], found["xavier"]["counterexample"]) == ({"29": 2, "43": 1}, None)
    shown = inarow("ultimate", "verify", "all")
    for line in (
        "Proven: X wins by ply 43, whatever O plays.",
        "P1 to P6 hold in all 4 rounds of the endgame.",
        "There is one and only one X in each field after 18 plies: 7 cases.",
        "Proven: X cannot win before ply 29.",
        "No win before ply 49: 48 of 72 openings.",
        "No win before ply 47: 576 of 576 openings.",
    ):
        assert line in shown.out


def test_verify_really_checks(inarow: Inarow) -> None:
    result = inarow("ultimate", "verify", "lemma6", "--json")
    found = json.loads(result.out)
    assert found["verdict"] == "proven"
    assert (found["openings"], found["blocked_plies"], found["no_win_before"]) == (72, [32], 49)


@pytest.mark.parametrize("claim", ["xavier", "lbs", "lemma6", "lemma7"])
def test_a_claim_that_does_not_hold(inarow: Inarow, reports: Reports, claim: str) -> None:
    wrong = Wrong("the reason", (40, 36))
    reports["xavier"] = XavierReport(wrong=wrong)
    reports["lbs"] = LbsReport(wrong=wrong)
    reports["lemma6"] = reports["lemma7"] = BlockReport(wrong=wrong)
    result = inarow("ultimate", "verify", claim, code=1)
    assert "x to move in field 0\nlast move 40" in result.out
    assert "Wrong: after 44 40: the reason." in result.out
    as_json = inarow("ultimate", "verify", claim, "--json", code=1)
    assert json.loads(as_json.out)["counterexample"] == {"moves": "44 40", "reason": "the reason"}


def test_faults_without_a_game(inarow: Inarow, reports: Reports) -> None:
    reports["lbs"] = LbsReport(wrong=Wrong("sent to field 3, O plays none"))
    reports["xavier"] = XavierReport(endgame_rounds=4, violations=Counter({"P5": 2}))
    result = inarow("ultimate", "verify", "all", code=1)
    assert "LBS\nWrong: sent to field 3, O plays none.\n" in result.out
    assert "Wrong: of 4 positions of the endgame, some lack a property: P5 in 2." in result.out
    assert "P1 to P6 hold" not in result.out


def test_help(inarow: Inarow) -> None:
    assert "At Most 43 Moves, At Least 29" in inarow("ultimate").out


# --- Play ---


def test_a_game_against_xavier(inarow: Inarow) -> None:
    game = played_on(Ultimate().start(), xavier, any_move(Random(4)))
    script = [str(move) for move in game.moves_played[1::2]]
    result = inarow("ultimate", "play", stdin="\n".join(script))
    assert "You are O, X is Xavier's strategy." in result.out
    assert "inarow plays 44\nopening: The centre of the board: O must play in field 4." in result.out
    assert f"X has won after {game.ply} moves." in result.out
    assert result.out.rstrip().split("Moves so far: ")[1] == game.text
    other = inarow("ultimate", "play", "00 01 11 10", code=2)
    assert "X has not followed Xavier's strategy" in other.err


SEARCH = ("--as", "o", "--against", "mcts", "--playouts", "200", "--seed", "3")


@pytest.mark.parametrize(
    ("args", "typed", "shown"),
    [
        (("--as", "both"), WON, ("X has won after 29 moves.", f"Moves so far: {WON}")),
        (
            ("44 40 04",),
            "undo 41 12 xx moves undo moves hint help quit",
            (
                "There is nothing to take back.",
                "move 12: must be in field 4, where 14 sends",
                "no field 'x'; must be 0 to 8",
                "Moves so far: 44 40 04 41 14\n",
                "Moves so far: 44 40 04\n",
                "in its playouts",
                "Dots show where you may play",
                "The game ends here.",
            ),
        ),
        (SEARCH, "moves", ("inarow plays", "200 playouts")),
        ((*SEARCH, "--variant", "closed"), "moves", ("inarow plays", "200 playouts")),
        (("--against", "random", "--seed", "1"), "44", ("You are X, O is a random player.",)),
        (("--against", "lbs"), "40", ("inarow plays 00",)),
    ],
)
def test_games_can_be_repeated(
    inarow: Inarow, args: tuple[str, ...], typed: str, shown: tuple[str, ...]
) -> None:
    first, again = (inarow("ultimate", "play", *args, stdin=typed.replace(" ", "\n")) for _ in range(2))
    assert first == again
    assert [line for line in shown if line not in first.out] == []


def test_a_game_of_the_optimal_length(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides play by certificates as far as they go, and are honest past it."""
    won = inarow("ultimate", "play", "--against", "optimal", stdin="")
    assert "You are O, X is a player of optimal length." in won.out
    assert "proven: X wins by ply 43" in won.out
    past = inarow("ultimate", "play", "00 01", "--against", "optimal", "--seed", "1", stdin="")
    assert "past what is proven" in past.out
    # O's own takes half a minute to read: a smaller one stands in for it.
    inarow("ultimate", "prove", "--plies", "19", "--certificate", tmp_path / "resists", "--memory", "64M")
    smaller = open_certificate(tmp_path / "resists")
    monkeypatch.setattr(players, "optimal_play", lambda side, progress: smaller)
    resists = inarow("ultimate", "play", "--against", "optimal", "--as", "x", stdin="44\n")
    assert "half a minute" in resists.err
    assert "proven: X does not win by ply 19" in resists.out


# --- Prove and check ---

LITTLE = ("--memory", "16M")
# O has two ways to hold X off by ply 29, after Xavier's opening.
OPENING = "44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48"


def test_prove(inarow: Inarow) -> None:
    result = inarow("ultimate", "prove", "--plies", "17", *LITTLE)
    assert result.out.startswith("X cannot force a win by ply 17.\n")
    found = json.loads(
        inarow("ultimate", "prove", "--plies", "29", "--position", OPENING, "--json", *LITTLE).out
    )
    assert found.keys() == {"plies", "wins", "first_moves", "nodes", "seconds"}
    assert (found["plies"], found["wins"], found["first_moves"]) == (29, False, [])


def test_certificate(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "19.u3t"
    result = inarow("ultimate", "prove", "--plies", "19", "--certificate", path, "--json", *LITTLE)
    assert json.loads(result.out)["wins"] is False
    result = inarow("ultimate", "check", path, "--json")
    found = json.loads(result.out)
    assert (found["verdict"], found["side"], found["plies"]) == ("proven", "o", 19)
    result = inarow("ultimate", "check", path)
    assert result.out.startswith("Claim: X does not win by ply 19.\nProven.\n")


def test_certificates_that_show_nothing(inarow: Inarow, tmp_path: Path) -> None:
    path = tmp_path / "wrong.u3t"
    write_certificate(path, Claim("x", 43, Ultimate().start(), b"\0"))
    result = inarow("ultimate", "check", path, code=1)
    assert "Not shown: " in result.out
    inarow("ultimate", "check", path, "--json", code=1)
    path.write_bytes(b"\x89U3T\r\n\x1a\n")
    inarow("ultimate", "check", path, code=4)
    inarow("ultimate", "check", tmp_path / "missing.u3t", code=3)


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
        result = inarow("ultimate", "prove", "--plies", "41", *extra, *LITTLE, code=130)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (result.out, result.err) == ("", "inarow: interrupted\n")
    assert not list(tmp_path.iterdir())
