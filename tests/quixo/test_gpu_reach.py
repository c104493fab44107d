"""Reachable positions as the GPU finds them, compared with the walk over canonical positions on the CPU."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import each_device

from inarow._native.quixo import Board
from inarow.quixo.arrays import class_size
from inarow.quixo.reachable import reachable
from inarow.quixo.rules import Quixo, shapes
from inarow.quixo.solver.engines.gpu_reach import reachable_on
from inarow.quixo.study.shapes import games

RESULTS = Path(__file__).parents[2] / "docs" / "results"

SMALL = [rules for rules in games(12) if rules.double_line == "loses" and rules.line > 2]
LARGE = [rules for rules in games(16) if rules not in SMALL]


@each_device
@pytest.mark.parametrize(
    "rules",
    [*SMALL, *(pytest.param(rules, marks=pytest.mark.exhaustive) for rules in LARGE)],
    ids=lambda rules: rules.name,
)
def test_both_programs_reach_the_same(rules: Quixo, kind: Any) -> None:
    """All counts of all classes, and the examples."""
    assert reachable_on(kind(), rules) == reachable(rules)


@each_device
@pytest.mark.parametrize("shape", [shape for shape in shapes(12) if shape[0] > shape[1]], ids=str)
def test_boards_that_are_higher_than_wide(shape: tuple[int, int], kind: Any) -> None:
    assert reachable_on(kind(), Quixo(*shape)) == reachable(Quixo(*shape))


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    reachable_on(HostDevice(), Quixo(3), lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_5x5() -> None:
    """What a GPU found: all positions are counted, and a game reaches the first ones."""
    data = json.loads((RESULTS / "quixo-5x5-reachable.json").read_text(encoding="utf-8"))
    kinds = ("reachable", "no_predecessor", "unreachable_predecessor")
    for its in data["classes"]:
        assert sum(its[kind] for kind in kinds) == class_size(Quixo(5), its["x"], its["o"])
    few = {(its["x"], its["o"]): its["reachable"] for its in data["classes"] if its["x"] + its["o"] <= 4}
    reached = {Quixo(5).start().mover_word}
    here = reached
    while here:
        board = Board(Quixo(5).native)
        words, _ = board.successors(np.array(sorted(here), np.uint64))
        here = {word for word in np.unique(words).tolist() if word.bit_count() <= 4} - reached
        reached |= here
    assert Counter(((word >> 32).bit_count(), (word & 0xFFFFFFFF).bit_count()) for word in reached) == {
        key: count for key, count in few.items() if count
    }
