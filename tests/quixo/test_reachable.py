"""Reachable positions against the oracle, and against the rules move by move."""

import pytest
from golden.quixo_paper import REACHABLE_4X4
from oracle import quixo as oracle

import inarow
from inarow.quixo.reachable import KINDS, reachable
from inarow.quixo.rules import DoubleLine, Quixo


@pytest.mark.parametrize(
    ("rows", "columns", "line"), [(2, 2, 2), (3, 3, 3), (2, 3, 3), (3, 2, 2), (2, 4, 4), (4, 2, 3)]
)
@pytest.mark.parametrize("double_line", ["loses", "wins"])
def test_as_many_as_the_oracle_finds(rows: int, columns: int, line: int, double_line: DoubleLine) -> None:
    found = reachable(Quixo(rows, columns, line, double_line))
    expected = oracle.reachable(rows, columns, line, double_line)
    assert found.reachable == len(expected)
    assert found.states == 3 ** (rows * columns)
    for counts in found.classes:
        of_class = [1 for x, o in expected if (x.bit_count(), o.bit_count()) == (counts.x, counts.o)]
        assert counts.reachable == len(of_class)


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (4, 4), (3, 5), (5, 3)])
def test_examples_are_what_they_say(rows: int, columns: int) -> None:
    """Checked with the rules in Python: `previous` lists every way into a position."""
    found = reachable(Quixo(rows, columns))
    assert set(found.examples) == set(KINDS)
    assert not found.examples["no_predecessor"].previous()
    example = found.examples["unreachable_predecessor"]
    assert example.previous()
    # Walk back: whatever the way, the empty board is not at its end.
    seen, stack = {example.mover_word}, [example]
    while stack:
        for before, _ in stack.pop().previous():
            assert before.mover_word != 0
            if before.mover_word not in seen:
                seen.add(before.mover_word)
                stack.append(before)


def test_4x4_has_nine_more_than_the_paper_counts() -> None:
    """docs/results/quixo.md tells why the difference is not ours."""
    found = reachable(Quixo(4))
    assert found.reachable == REACHABLE_4X4 + 9 == 41_252_115
    unreachable = found.to_json()["unreachable"]
    assert unreachable["no_predecessor"]["states"] == 1_615_666
    assert unreachable["unreachable_predecessor"]["states"] == 178_940


def test_5x5_is_refused() -> None:
    with pytest.raises(inarow.InarowError, match="up to 16 cells"):
        reachable(Quixo(5))
