"""Samples of tables: what is drawn, and what is concluded. What they find is in test_table.py."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from verify.quixo.small_tables import THREE, solved, write_table

from inarow import InarowError, Quixo, solve
from inarow.verify.quixo import sample as sampling
from inarow.verify.quixo.rules import Pair, Rules
from inarow.verify.quixo.sample import _draw, verify_sample


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
    drawn = _draw(total, count, seed, run)
    assert drawn.size == count
    assert drawn.min() >= 0
    assert drawn.max() < total
    assert (np.diff(drawn) >= 0).all()
    assert np.array_equal(drawn, _draw(total, count, seed, run))
    if total % run == 0:  # all runs have the same length; the last one drawn may be in two parts
        assert np.count_nonzero(np.diff(np.unique(drawn)) > 1) <= -(-count // run)


def test_every_entry_is_as_likely_as_any_other() -> None:
    drawn = np.bincount(np.concatenate([_draw(1000, 300, seed, 64) for seed in range(600)]), minlength=1000)
    assert abs(drawn - drawn.mean()).max() < 6 * drawn.mean() ** 0.5


def test_a_seed_draws_the_same_entries(tmp_path: Path) -> None:
    values = solved(THREE).values
    write_table(tmp_path, solved(THREE), np.where(values < 9, 65535, 0).astype(np.uint32), plies=False)
    found = [verify_sample(tmp_path, 5, seed) for seed in (1, 1, 2)]
    assert {report.verdict for report in found} == {"wrong"}
    assert str(found[0].counterexample) == str(found[1].counterexample) != str(found[2].counterexample)
    assert found[0].entries == found[1].entries


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    sample = partial(verify_sample, write_table(tmp_path, solved(Rules(2, 2, 2, "loses"))), seed=1)
    with pytest.raises(InarowError, match="threads must be 1 to 1,024, not 100,000"):
        sample(1, threads=100_000)
    with pytest.raises(InarowError, match="at most 10,000,000 can be drawn"):
        sample(99999999999)
    for count in (0, -5):
        with pytest.raises(ValueError, match="at least 1"):
            sample(count)
