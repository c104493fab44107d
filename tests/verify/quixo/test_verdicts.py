"""What is proven, what is only consistent, and what is wrong; each with its reason."""

from pathlib import Path

import pytest
from verify.quixo.small_tables import TWO_BY_THREE as RULES
from verify.quixo.small_tables import judged, solved, write_table

from inarow import MissingTable
from inarow._native import verify_quixo as native
from inarow.verify.quixo import table as table_module
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import shipped_draws, verify_table

TABLE = solved(RULES)  # with draws, and wins of pair {4, 2} that can be made circular


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    return write_table(tmp_path / "outcomes", TABLE, plies=False)


@pytest.fixture
def circular(tmp_path: Path) -> Path:
    """Every entry follows from its children, and the counts are those of the entries."""
    return write_table(tmp_path / "circular", TABLE, TABLE.circular(4, 2), plies=False)


# --- Without plies ---


def test_wins_are_derived(outcomes: Path, circular: Path) -> None:
    report = judged(outcomes)
    assert (report.verdict, report.method) == ("proven", "derivation")
    assert "every win and loss was derived from the end of the game" in report.reason
    found = report.to_json()
    assert {key: found[key] for key in ("rows", "columns", "line", "double_line")} == RULES.to_json()
    assert (found["verdict"], found["method"], found["counterexample"]) == ("proven", "derivation", None)
    report = judged(circular)
    assert (report.verdict, report.problem) == ("wrong", None)
    assert report.reason.startswith("a win follows only from itself, in a circle: ")
    wrong = report.to_json()["counterexample"]
    assert (wrong["stored"], wrong["expected"]) == ("win", "draw")


@pytest.mark.parametrize(
    "rules", [RULES, Rules(2, 4, 4, "wins"), Rules(2, 5, 3, "wins"), Rules(4, 2, 4, "loses")], ids=str
)
def test_circles_are_found(rules: Rules, tmp_path: Path) -> None:
    table = solved(rules)
    found = 0
    for a, b in rules.pairs():
        values = table.circular(a, b) if a > b else None
        if values is None:
            continue
        found += 1
        folder = write_table(tmp_path / f"{a}-{b}", table, values, plies=False)
        assert verify_table(folder, derive=False).verdict == "consistent"
        wrong = verify_table(folder).counterexample
        assert wrong is not None
        assert (wrong.a, wrong.b, wrong.expected) == (a, b, "draw")
        # The same false wins, given any plies, do not follow from their children.
        assert verify_table(write_table(folder, table, values)).counterexample is not None
    assert found


def test_what_is_not_derived_is_not_proven(outcomes: Path, circular: Path) -> None:
    for folder in (outcomes, circular):
        report = judged(folder, derive=False)
        assert (report.verdict, report.method, report.counterexample) == ("consistent", None, None)
        assert "could follow from each other in a circle" in report.reason
        assert "no draw counts for these rules are shipped" in report.reason


def test_draws_are_compared_with_shipped_counts(
    outcomes: Path, circular: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = {}
    for a, b in RULES.pairs():
        orbits = RULES.game.orbits(a).astype(int)
        planes = TABLE.values[TABLE.pair(a, b)].reshape(1 if a == b else 2, orbits.size, -1)
        for plane, (x, o) in zip(planes, ((a, b), (b, a)), strict=False):
            draws[x, o] = int(((plane == native.DRAW).sum(axis=1) * orbits).sum())
    monkeypatch.setattr(table_module, "shipped_draws", lambda rules: draws)
    report = judged(outcomes, derive=False)
    assert (report.verdict, report.method) == ("proven", "draw counts")
    assert "as many draws as in the results shipped with inarow" in report.reason
    report = judged(circular, derive=False)
    assert (report.verdict, report.counterexample) == ("wrong", None)
    assert report.problem == report.reason
    assert "pair-04-02.values, class of " in report.reason
    assert f" {draws[4, 2]} in the results shipped with inarow" in report.reason


def test_large_boards_are_not_derived_unless_asked(outcomes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "DERIVED_CELLS", 5)
    assert verify_table(outcomes).method is None
    assert verify_table(outcomes, derive=True).method == "derivation"


def test_shipped_counts() -> None:
    for line in (3, 4, 5):
        for double_line in ("loses", "wins"):
            draws = shipped_draws(Rules(5, 5, line, double_line))
            assert draws.keys() == {(x, o) for x in range(26) for o in range(26 - x)}
            assert draws[25, 0] == 0
    assert shipped_draws(RULES) == shipped_draws(Rules(5, 5, 5, "loses", misere=True)) == {}


# --- Tables that are not complete ---


@pytest.mark.parametrize("plies", [True, False])
def test_what_is_present_is_proven(plies: bool, tmp_path: Path) -> None:
    folder = write_table(tmp_path, TABLE, plies=plies, pairs=7)
    report = judged(folder)
    assert (report.verdict, report.is_complete) == ("proven", False)
    present = "the table is not complete, but every entry of the 7 of 16 pairs that are present"
    assert report.reason.startswith(present)
    assert report.entries == sum(RULES.entry_count(pair) for pair in list(RULES.pairs())[:7])
    report = verify_sample(folder, 50, seed=1)
    assert (report.verdict, report.is_complete, report.entries) == ("consistent", False, 50)


def test_all_pairs_of_a_table_that_says_it_is_not_complete(tmp_path: Path) -> None:
    report = verify_table(write_table(tmp_path, TABLE, change=lambda m: m.update(complete=False)))
    assert (report.verdict, report.is_complete) == ("proven", True)


def test_nothing_to_check(tmp_path: Path) -> None:
    folder = write_table(tmp_path, TABLE, pairs=0)
    for check in (verify_table, lambda path: verify_sample(path, 5, 1)):
        with pytest.raises(MissingTable, match="has no entries yet"):
            check(folder)
