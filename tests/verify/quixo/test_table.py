"""Whole tables: right ones pass, and what is wrong with others is found and located, on CPU and GPU."""

import re
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from verify.quixo.small_tables import (
    SMALL,
    THREE,
    TWO_BY_THREE,
    DeviceOnCpu,
    SmallTable,
    judged,
    solved,
    write_table,
)

from inarow import InarowError, MissingTable, Quixo, solve
from inarow._native import verify_quixo as native
from inarow.verify.quixo import gpu, table_files
from inarow.verify.quixo import sample as sampling
from inarow.verify.quixo import table as table_module
from inarow.verify.quixo.planes import Planes
from inarow.verify.quixo.report import TableReport
from inarow.verify.quixo.rules import Pair, Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import shipped_draws, verify_table

RULES = TWO_BY_THREE
TABLE = solved(RULES)  # with draws, and wins of pair {4, 2} that can be made circular

# --- Right tables ---


@pytest.mark.parametrize("plies", [True, False])
@pytest.mark.parametrize(
    "rules",
    [
        *SMALL,
        Rules(3, 4, 3, "loses"),
        Rules(5, 2, 4, "wins"),
        Rules(3, 3, 3, "draws", wrap=True),
        Rules(2, 4, 2, "draws", misere=True, diagonals=False),
    ],
    ids=str,
)
def test_tables_of_all_shapes_are_proven(rules: Rules, plies: bool, tmp_path: Path) -> None:
    write_table(tmp_path, solved(rules), plies=plies)
    calls: list[tuple[int, int]] = []
    report = verify_table(tmp_path, threads=2, progress=lambda *call: calls.append(call))
    assert (report.verdict, report.rules, report.positions) == ("proven", rules, 3**rules.cells)
    assert (report.has_plies, report.method) == (plies, "plies" if plies else "derivation")
    assert (report.is_complete, report.counterexample, report.problem) == (True, None, None)
    assert calls == sorted(calls)
    assert calls[-1] == (report.entries, report.entries) == (solved(rules).values.size,) * 2
    assert report.per_second > 0
    assert judged(tmp_path, derive=False).verdict == ("proven" if plies else "consistent")
    assert verify_sample(tmp_path, 200, seed=2).verdict == "consistent"


@pytest.mark.exhaustive
@pytest.mark.parametrize("plies", [True, False])
def test_the_largest_board(plies: bool, tmp_path: Path) -> None:
    table = SmallTable(Rules(2, 13, 12, "loses"), pairs=5)
    report = judged(write_table(tmp_path, table, plies=plies, pairs=5))
    assert (report.verdict, report.entries) == ("proven" if plies else "consistent", table.values.size)
    values = table.values.copy()
    values[-3] = native.DRAW if values[-3] != native.DRAW else 65535
    assert judged(write_table(tmp_path, table, values, plies=plies, pairs=5)).verdict == "wrong"


@pytest.mark.exhaustive
def test_a_table_of_the_largest_board(tmp_path: Path) -> None:
    try:
        solve(Quixo(2, 13, 3), tmp_path, stop_at=26, threads=1)
    except (InarowError, ValueError) as error:
        pytest.skip(f"the solver makes no table of 2×13: {error}")
    assert verify_table(tmp_path).verdict == "proven"


def test_a_piece_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in large tables, whose planes are read in several runs."""
    write_table(tmp_path, solved(Rules(3, 4, 3, "loses")))
    monkeypatch.setattr(table_files, "_PIECES_AT_ONCE", 1)
    assert judged(tmp_path).verdict == "proven"


# --- Wrong entries, under right checksums and with right counts ---


def sample_of_all(path: Path, entries: int) -> TableReport:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "_draw", lambda total, *others: np.arange(total))
        return verify_sample(path, entries, seed=1)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_changed_entry_is_found(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """The fault shows at the entry itself, or at a position that has it as a child: nowhere else."""
    small = [THREE, TWO_BY_THREE, Rules(4, 2, 3, "wins"), Rules(2, 4, 2, "draws", misere=True, wrap=True)]
    table = solved(data.draw(st.sampled_from(small), label="rules"))
    plies = data.draw(st.booleans(), label="plies")
    values = table.values.copy()
    at = data.draw(st.integers(0, values.size - 1), label="at")
    right = int(values[at])
    near = st.sampled_from([right + 1, max(0, right - 1), right + 2]).filter(
        lambda value: value < 65536 and value != 32766
    )
    # A win above 32,766 has no entry: the CPU and the GPU then name different positions.
    other = [0, 3, 255, 256, 32765, native.DRAW, native.NOT_AN_ENTRY, 65535]
    values[at] = data.draw(near | st.sampled_from(other), label="value")
    path = write_table(tmp_path_factory.mktemp("changed"), table, values, plies=plies)
    report, sample = judged(path), sample_of_all(path, values.size)
    if not plies:
        without = judged(path, derive=False)
        assert (report.verdict, without.verdict) in (("wrong", "wrong"), ("proven", "consistent"))
    kinds = [
        (value > native.DRAW) + (value > native.NOT_AN_ENTRY) + 4 * (value < native.DRAW)
        for value in (right, int(values[at]))
    ]
    if kinds[0] == kinds[1] and (not plies or right > native.DRAW or right == values[at]):
        # Nothing was stored that is wrong, but for the counts of wins in the manifest.
        counted = right == values[at] or not plies
        assert (report.verdict, report.counterexample) == ("proven" if counted else "wrong", None)
        assert sample.verdict == "consistent"
        return
    found = report.counterexample
    assert (report.verdict, sample.verdict) == ("wrong", "wrong")
    assert found is not None
    assert str(found) in report.reason
    game = table.rules.game
    of_block = game.of_plane(found.a, found.b) // game.orbits(found.a).size
    wrong = table.begin[found.a, found.b, found.plane] + found.block * of_block + found.rank
    word = table.words[[wrong]]
    assert found.position == table.rules.position_text(int(word[0]))
    assert wrong == at or game.smallest(table.words[[at]]) in game.smallest(game.successors(word)[0])


@pytest.mark.parametrize("plies", [True, False])
@pytest.mark.parametrize(
    ("place", "entry", "words"),
    [
        ((9, 0, 0), 5, "xxx/xxx/xxx x: stored loss in 5, expected win in 0 (pair {9, 0}, plane 0, block 0"),
        ((9, 0, 1), 65534, "ooo/ooo/ooo x: stored win in 0, expected loss in 0 (pair {9, 0}, plane 1, block"),
        ((9, 0, 1), native.DRAW, "ooo/ooo/ooo x: stored draw, expected loss in 0 (pair {9, 0}, plane 1"),
        ((3, 3, 0), native.NOT_AN_ENTRY, "stored a code without a meaning, expected "),
        ((0, 0, 0), 3, ".../.../... x: stored loss in 3, expected win in 7 (pair {0, 0}, plane 0, block 0"),
        ((1, 0, 1), native.DRAW, "stored draw, expected loss in 6 (pair {1, 0}, plane 1, block 0, rank 0)"),
    ],
)
def test_a_counterexample_in_words(
    place: tuple[int, int, int], entry: int, words: str, plies: bool, tmp_path: Path
) -> None:
    """The first entry of a plane becomes something else."""
    table = solved(THREE)
    values = table.values.copy()
    values[table.begin[place]] = entry
    report = judged(write_table(tmp_path, table, values, plies=plies))
    assert (words if plies else re.sub(r" in \d", "", words)) in str(report.counterexample)
    assert report.positions < 3**9


def test_what_other_entries_or_rules_would_make(tmp_path: Path) -> None:
    values = TABLE.values.copy()
    values[np.flatnonzero(values == native.DRAW)[0]] = 65534
    no_reply = judged(write_table(tmp_path, TABLE, values)).counterexample
    assert "stored a win without a losing reply, expected draw" in str(no_reply)
    other_rules = judged(write_table(tmp_path, TABLE, rules=Rules(2, 3, 3, "wins"))).counterexample
    assert "stored win in 0, expected loss in 0" in str(other_rules)


@pytest.mark.parametrize("plies", [True, False])
@pytest.mark.parametrize("what", ["win", "loss", "draw", "by_plies", "x"])
def test_wrong_counts_in_the_manifest(what: str, plies: bool, tmp_path: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        counts = next(pair for pair in manifest["pairs"] if (pair["a"], pair["b"]) == (3, 1))["classes"][1]
        if what == "by_plies" and plies:
            counts[what][0][1] += 1
        else:
            counts[what if what != "by_plies" else "o"] += 1

    report = judged(write_table(tmp_path, solved(THREE), plies=plies, change=change))
    assert (report.verdict, report.counterexample, report.problem) == ("wrong", None, report.reason)
    assert report.reason.startswith("pair-03-01.values")


# --- Codes ---


def test_more_different_values_than_codes_of_one_byte(tmp_path: Path) -> None:
    """A made-up table: it is wrong, not refused, also where the manifest does not say how many there are."""
    table = solved(THREE)
    values = table.values.copy()
    where = table.pair(3, 3)
    values[where] = 300 + np.arange(where.stop - where.start)

    def hide(manifest: dict[str, Any]) -> None:
        for pair in manifest["pairs"]:
            pair["classes"][0]["by_plies"] = []

    found = judged(write_table(tmp_path / "said", table, values)).counterexample
    assert found is not None
    assert (found.a, found.b, found.block, found.rank, found.stored) == (3, 3, 0, 0, "loss in 300")
    assert judged(write_table(tmp_path / "hidden", table, values, change=hide)).verdict == "wrong"


@pytest.mark.parametrize("odd", [0, 1])
def test_codes_of_one_byte_and_two(odd: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A pair with wide codes needs those that wait made wide."""
    of_waiting = Planes.width_of

    def width_of(planes: Planes, pair: Pair) -> int:
        return max(of_waiting(planes, pair), 1 + (sum(pair) <= 6 and pair[1] % 2 == odd))

    monkeypatch.setattr(Planes, "width_of", width_of)
    report = judged(write_table(tmp_path, solved(THREE)))
    assert (report.verdict, report.positions) == ("proven", 3**9)


def middle_pair(game: native.Game, a: int, stored: NDArray[Any], above: NDArray[Any], plies: bool) -> Any:
    """The pair {a, a}, given the entries of its plane 0 and of plane 1 of {a + 1, a}."""
    first = native.Plane(stored)
    planes = [first, native.Plane(np.zeros_like(stored), first)]
    return native.Pair(game, a, a, planes, [native.Plane(above), None], plies)


@pytest.mark.parametrize(
    ("child", "stored", "found"),
    [
        (126, 65535, None),  # a win in 127
        (32766, 65535, (native.NOT_AN_ENTRY, native.NO_VALUE)),
        (32769, 32767, (native.DRAW, native.NO_VALUE)),
        (32770, 32766, None),
    ],
)
def test_more_plies_than_an_entry_holds(child: int, stored: int, found: tuple[int, int] | None) -> None:
    """From the empty board every move leads to the next pair, so that pair alone says what is expected."""
    game = Rules(2, 2, 2, "loses").game
    children = np.full(game.of_plane(1, 0), child, np.uint16)
    pair = middle_pair(game, 0, np.array([stored], np.uint16), children, True)
    pair.fill_wins(0, 0, 1, 1)
    wrong = pair.check(0, 0, 1, 1)[1]
    assert (None if wrong is None else wrong[2:]) == found


@pytest.mark.parametrize("faults", [[7], [20_000, 9_001, 9_000], [21_000, 17_000, 13_000, 21_999]])
def test_the_first_fault_is_reported_whatever_the_threads(faults: list[int]) -> None:
    """Three marks make no line of four, so all draws are right; and a win as a child changes nothing then."""
    game = Rules(4, 4, 4, "loses").game
    stored, larger = (np.ones(game.of_plane(a, 3), np.uint8) for a in (3, 4))
    stored[faults] = 2
    pair = middle_pair(game, 3, stored, larger, False)
    blocks = game.orbits(3).size
    pair.mirror(0, blocks, 2)
    for threads, first in product((1, 2, 5), {0, min(faults) // 286}):
        checked, found = pair.check(0, first, blocks, threads)
        assert (checked, found[:2]) == (min(faults) + 1 - first * 286, (0, min(faults)))
    assert pair.check(0, 0, min(faults) // 286, 2)[1] is None


@pytest.mark.parametrize(
    ("a", "b", "sizes", "above", "where"),
    [
        (9, 1, (1, 1), (None, None), (0, 0, 1, 1)),
        (9, 0, (2, 1), (None, None), (0, 0, 1, 1)),
        (9, 0, (1, 1), (None, None), (0, 0, 2, 1)),
        (9, 0, (1, 1), (None, None), (0, 1, 0, 1)),
        (9, 0, (1, 1), (None, None), (0, 0, 1, 0)),
        (9, 0, (1, 1), (None, None), (2, 0, 1, 1)),
        (9, 0, (1, 1), (1, None), (0, 0, 1, 1)),
        (9, 0, (1, None), (None, None), (0, 0, 1, 1)),
        (9, 0, (None, 1), (None, None), (0, 0, 1, 1)),
        (0, 0, (1, 1), (None, None), (0, 0, 1, 1)),
        (0, 0, (1, 1), (5, None), (0, 0, 1, 1)),
    ],
)
def test_arguments_are_checked(a: int, b: int, sizes: Any, above: Any, where: tuple[int, ...]) -> None:
    def plane(size: int | None) -> Any:
        return None if size is None else native.Plane(np.zeros(size, np.uint8))

    with pytest.raises((ValueError, IndexError), match=r"\w"):
        native.Pair(THREE.game, a, b, [*map(plane, sizes)], [*map(plane, above)], True).check(*where)


# --- Samples: what is drawn, and what is concluded ---


@pytest.mark.parametrize("outcomes_only", [False, True])
def test_samples_of_right_tables_pass(
    outcomes_only: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draws and many pieces are only found on 4×4. Pairs are met as often as their sizes say."""
    solve(Quixo(4), tmp_path, outcomes_only=outcomes_only)
    report = verify_sample(tmp_path, 600, seed=3)
    assert report.verdict == "consistent"
    assert "a sample: 600 entries out of 5,604,135, drawn with seed 3" in report.reason
    assert (report.entries, report.method) == (600, None)
    met: dict[Pair, int] = {}

    def note(table: object, pair: Pair, indices: NDArray[np.int64], threads: int) -> tuple[int, None]:
        met[pair] = met.get(pair, 0) + len(indices)
        return len(indices), None

    monkeypatch.setattr(sampling, "_check_entries", note)
    monkeypatch.setattr(sampling, "_RUN", 1)
    verify_sample(tmp_path, 20_000, seed=5)
    assert sum(met.values()) == 20_000
    for pair, count in met.items():
        expected = 20_000 * Rules(4, 4, 4, "loses").entry_count(pair) / 5604135
        assert abs(count - expected) < 6 * (expected + 1) ** 0.5


@given(
    total=st.integers(1, 3000),
    count=st.integers(1, 2000),
    seed=st.integers(0, 99),
    run=st.sampled_from([1, 7, 256]),
)
def test_a_sample_is_drawn_in_runs(total: int, count: int, seed: int, run: int) -> None:
    drawn = sampling._draw(total, count, seed, run)
    assert drawn.size == count
    assert drawn.min() >= 0
    assert drawn.max() < total
    assert (np.diff(drawn) >= 0).all()
    assert np.array_equal(drawn, sampling._draw(total, count, seed, run))
    if total % run == 0:  # all runs have the same length; the last one drawn may be in two parts
        assert np.count_nonzero(np.diff(np.unique(drawn)) > 1) <= -(-count // run)


def test_every_entry_is_as_likely_as_any_other() -> None:
    drawn = np.bincount(
        np.concatenate([sampling._draw(1000, 300, seed, 64) for seed in range(600)]), minlength=1000
    )
    assert abs(drawn - drawn.mean()).max() < 6 * drawn.mean() ** 0.5


def test_a_seed_draws_the_same_entries(tmp_path: Path) -> None:
    values = solved(THREE).values
    write_table(tmp_path, solved(THREE), np.where(values < 9, 65535, 0).astype(np.uint32), plies=False)
    found = [verify_sample(tmp_path, 5, seed) for seed in (1, 1, 2)]
    assert {report.verdict for report in found} == {"wrong"}
    assert str(found[0].counterexample) == str(found[1].counterexample) != str(found[2].counterexample)
    assert found[0].entries == found[1].entries


@pytest.fixture
def outcomes(tmp_path: Path) -> Path:
    return write_table(tmp_path / "outcomes", TABLE, plies=False)


@pytest.fixture
def circular(tmp_path: Path) -> Path:
    """Every entry follows from its children, and the counts are those of the entries."""
    return write_table(tmp_path / "circular", TABLE, TABLE.circular(4, 2), plies=False)


# --- Verdicts without plies: what is proven, what is only consistent, and what is wrong ---


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


# --- Limits ---


def test_what_makes_no_sense_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(tmp_path, solved(Rules(2, 2, 2, "loses")))
    for match, options in {
        "the device is 'cpu' or 'cuda', not 'tpu'": {"device": "tpu"},
        "threads must be 1 to 1,024, not 100,000": {"threads": 100_000},
        "on a CPU only": {"device": "cuda", "derive": True},
    }.items():
        with pytest.raises(InarowError, match=match):
            verify_table(tmp_path, **options)  # type: ignore[arg-type]
    with pytest.raises(InarowError, match="threads must be 1 to 1,024, not 100,000"):
        verify_sample(tmp_path, 1, seed=1, threads=100_000)
    with pytest.raises(InarowError, match="at most 10,000,000 can be drawn"):
        verify_sample(tmp_path, 99999999999, seed=1)
    for count in (0, -5):
        with pytest.raises(ValueError, match="at least 1"):
            verify_sample(tmp_path, count, seed=1)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(InarowError, match="needs CuPy"):
        verify_table(tmp_path, device="cuda")
    monkeypatch.setattr(gpu, "CudaDevice", DeviceOnCpu)
    monkeypatch.setattr(DeviceOnCpu, "free_bytes", 10)
    with pytest.raises(InarowError, match=r"takes 0\.0 GB of GPU memory"):
        verify_table(tmp_path, device="cuda")


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    for plies in (True, False):
        write_table(tmp_path, solved(Rules(3, 4, 3, "loses")), plies=plies)
        with pytest.raises(InarowError, match=r"up to 2\d\d\.\d MB of memory; --memory allows 100\.0 MB"):
            verify_table(tmp_path, memory=100_000_000)
        assert verify_table(tmp_path, memory=300_000_000, threads=2).verdict == "proven"
