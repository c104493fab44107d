"""What is proven, what is only consistent, and what is wrong; each with its reason."""

from pathlib import Path

import numpy as np
import pytest
from verify.quixo.small_tables import SmallTable, solved, write_table

from inarow import MissingTable
from inarow._native import verify_quixo as native
from inarow.verify.quixo import table as table_module
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import shipped_draws, verify_table

RULES = Rules(2, 3, 3, "loses")  # with draws, and wins of pair {4, 2} that can be made circular


@pytest.fixture
def table() -> SmallTable:
    return solved(RULES)


@pytest.fixture
def outcomes(table: SmallTable, tmp_path: Path) -> Path:
    return write_table(tmp_path / "outcomes", table, plies=False)


@pytest.fixture
def circular(table: SmallTable, tmp_path: Path) -> Path:
    """Every entry follows from its children, and the counts are those of the entries."""
    values = table.circular(4, 2)
    assert values is not None
    assert not np.array_equal(values, table.values)
    return write_table(tmp_path / "circular", table, values, plies=False)


def draws_of(table: SmallTable) -> dict[tuple[int, int], int]:
    draws = {}
    for a, b in RULES.pairs():
        orbits = RULES.game.orbits(a).astype(int)
        planes = table.values[table.pair(a, b)].reshape(1 if a == b else 2, orbits.size, -1)
        for plane, (x, o) in zip(planes, ((a, b), (b, a)), strict=False):
            draws[x, o] = int(((plane == native.DRAW).sum(axis=1) * orbits).sum())
    return draws


# --- Without plies ---


@pytest.mark.parametrize("threads", [1, 3])
def test_wins_are_derived(outcomes: Path, threads: int) -> None:
    report = verify_table(outcomes, threads=threads)
    assert (report.verdict, report.method) == ("proven", "derivation")
    assert "every win and loss was derived from the end of the game" in report.reason


@pytest.mark.parametrize("threads", [1, 3])
def test_wins_in_a_circle_are_wrong(circular: Path, threads: int) -> None:
    report = verify_table(circular, threads=threads)
    assert report.verdict == "wrong"
    found = report.counterexample
    assert found is not None
    assert (found.a, found.b, found.stored, found.expected) == (4, 2, "win", "draw")
    assert report.reason.startswith("a win follows only from itself, in a circle: ")
    assert report.problem is None


@pytest.mark.parametrize(
    "rules", [Rules(2, 4, 4, "wins"), Rules(2, 5, 3, "wins"), Rules(4, 2, 4, "loses")], ids=str
)
def test_circles_of_other_boards(rules: Rules, tmp_path: Path) -> None:
    table = solved(rules)
    found = 0
    for a, b in rules.pairs():
        values = table.circular(a, b) if a > b else None
        if values is None:
            continue
        found += 1
        folder = write_table(tmp_path / f"{a}-{b}", table, values, plies=False)
        assert verify_table(folder, derive=False).verdict == "consistent"
        counterexample = verify_table(folder).counterexample
        assert counterexample is not None
        assert (counterexample.a, counterexample.b, counterexample.expected) == (a, b, "draw")
    assert found


def test_what_is_not_derived_is_not_proven(outcomes: Path, circular: Path) -> None:
    for folder in (outcomes, circular):
        report = verify_table(folder, derive=False)
        assert (report.verdict, report.method, report.counterexample) == ("consistent", None, None)
        assert "could follow from each other in a circle" in report.reason
        assert "no draw counts for these rules are shipped" in report.reason


def test_draws_are_compared_with_shipped_counts(
    outcomes: Path, circular: Path, table: SmallTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = draws_of(table)
    monkeypatch.setattr(table_module, "shipped_draws", lambda rules: draws if rules == RULES else None)
    report = verify_table(outcomes, derive=False)
    assert (report.verdict, report.method) == ("proven", "draw counts")
    assert "as many draws as in the results shipped with inarow" in report.reason
    report = verify_table(circular, derive=False)
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
            assert draws is not None
            assert draws.keys() == {(x, o) for x in range(26) for o in range(26 - x)}
            assert draws[25, 0] == 0
    assert shipped_draws(RULES) is None


# --- With plies ---


def test_plies_cannot_be_circular(table: SmallTable, tmp_path: Path) -> None:
    """The same false wins, given any plies, do not follow from their children."""
    values = table.circular(4, 2)
    assert values is not None
    assert verify_table(write_table(tmp_path, table, values)).counterexample is not None


# --- Tables that are not complete ---


@pytest.mark.parametrize("plies", [True, False])
def test_what_is_present_is_proven(plies: bool, table: SmallTable, tmp_path: Path) -> None:
    folder = write_table(tmp_path, table, plies=plies, pairs=7)
    report = verify_table(folder)
    assert (report.verdict, report.is_complete) == ("proven", False)
    assert report.reason.startswith(
        "the table is not complete, but every entry of the 7 of 16 pairs that are present"
    )
    assert report.entries == sum(RULES.entry_count(pair) for pair in list(RULES.pairs())[:7])
    report = verify_sample(folder, 50, seed=1)
    assert (report.verdict, report.is_complete, report.entries) == ("consistent", False, 50)


def test_all_pairs_of_a_table_that_says_it_is_not_complete(table: SmallTable, tmp_path: Path) -> None:
    report = verify_table(write_table(tmp_path, table, change=lambda m: m.update(complete=False)))
    assert (report.verdict, report.is_complete) == ("proven", True)


def test_a_report_as_json(outcomes: Path, circular: Path) -> None:
    found = verify_table(outcomes).to_json()
    assert {key: found[key] for key in ("rows", "columns", "line", "double_line")} == RULES.to_json()
    assert (found["verdict"], found["method"], found["counterexample"]) == ("proven", "derivation", None)
    wrong = verify_table(circular).to_json()["counterexample"]
    assert (wrong["stored"], wrong["expected"]) == ("win", "draw")


def test_nothing_to_check(table: SmallTable, tmp_path: Path) -> None:
    folder = write_table(tmp_path, table, pairs=0)
    for check in (verify_table, lambda path: verify_sample(path, 5, 1)):
        with pytest.raises(MissingTable, match="has no entries yet"):
            check(folder)
