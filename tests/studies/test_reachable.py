"""Reachable positions against the oracle, against the rules move by move, and against the core."""

from __future__ import annotations

from collections import Counter
from math import comb

import pytest
from common import positions
from documents import result
from golden.quixo_paper import REACHABLE_4X4
from oracle import quixo as oracle
from oracle.quixo_studies import each_game
from quixo.boards import previous
from reachable import KINDS, reachable
from shapes import games

from inarow.quixo.reachable import reachable_many
from inarow.quixo.rules import Position, Quixo, shapes

SLOW = pytest.mark.exhaustive
ORACLE = [rules for rules in games(9) if rules.cells in (4, 6, 8)]
TALL = [Quixo(*shape) for shape in shapes(12) if shape[0] > shape[1]]


@each_game(ORACLE[2], *ORACLE[:2], *ORACLE[3:], Quixo(3), Quixo(3, 2))
def test_as_many_as_the_oracle_finds(rules: Quixo) -> None:
    found = reachable(rules)
    expected = oracle.reachable(rules.rows, rules.columns, rules.line, rules.double_line)
    assert found["reachable"] == len(expected)
    assert {
        (its["x"], its["o"]): its["reachable"] for its in found["classes"] if its["reachable"]
    } == Counter((x.bit_count(), o.bit_count()) for x, o in expected)


@SLOW
@pytest.mark.parametrize("rules", [*games(16), *TALL], ids=lambda rules: rules.name)
def test_as_many_as_the_core_finds(rules: Quixo) -> None:
    for its in reachable(rules)["classes"]:
        parts = positions(rules, its["x"], its["o"])
        assert its["reachable"] == sum(
            int(images[reachable_many(rules, words)].sum()) for words, images in parts
        )
        assert sum(its[kind] for kind in ("reachable", *KINDS)) == size(rules, its)


def size(rules: Quixo, its: dict[str, int]) -> int:
    return comb(rules.cells, its["x"]) * comb(rules.cells - its["x"], its["o"])


@SLOW
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (4, 4), (3, 5), (5, 3)])
def test_examples_are_what_they_say(rows: int, columns: int) -> None:
    """Checked with plain Python: `previous` lists every way into a position."""
    found = reachable(Quixo(rows, columns))["unreachable"]
    assert not previous(Position.parse(found["no_predecessor"]["example"]))
    example = Position.parse(found["unreachable_predecessor"]["example"])
    assert previous(example)
    # Walk back: whatever the way, the empty board is not at its end.
    seen, stack = {example.mover_word}, [example]
    while stack:
        for before, _ in previous(stack.pop()):
            assert before.mover_word != 0
            if before.mover_word not in seen:
                seen.add(before.mover_word)
                stack.append(before)


@SLOW
def test_4x4_has_nine_more_than_the_paper_counts() -> None:
    """docs/results/quixo.md tells why the difference is not ours."""
    found = reachable(Quixo(4))
    assert found["reachable"] == REACHABLE_4X4 + 9 == 41_252_115
    assert found["unreachable"]["no_predecessor"]["states"] == 1_615_666
    assert found["unreachable"]["unreachable_predecessor"]["states"] == 178_940


def test_all_of_5x5_is_counted() -> None:
    for its in result("reachable")["classes"]:
        assert sum(its[kind] for kind in ("reachable", *KINDS)) == size(Quixo(5), its)


@SLOW
def test_few_marks_of_5x5() -> None:
    """What a GPU found with a program of its own."""
    found, of_5x5 = reachable(Quixo(5), 7), result("reachable")
    assert found["classes"] == [its for its in of_5x5["classes"] if its["x"] + its["o"] <= 7]
    examples = {kind: its["example"] for kind, its in of_5x5["unreachable"].items()}
    assert {kind: its["example"] for kind, its in found["unreachable"].items()} == examples
