"""Reachable positions as the GPU finds them, compared with the walk over canonical positions on the CPU."""

from typing import Any

import pytest
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import each_device

from inarow.quixo.reachable import reachable
from inarow.quixo.rules import Quixo, shapes
from inarow.quixo.solver.engines.gpu_reach import reachable_on
from inarow.quixo.study.shapes import games

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
