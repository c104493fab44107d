"""A small number of what `python tests/damage.py` does: flipped bits, and runs that are killed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from damage import Target, flips, kills, runs, targets

COUNT = 8  # flips of each kind


@pytest.fixture(scope="module")
def all_targets(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return list(targets(tmp_path_factory.mktemp("damage")))


def test_a_flip_is_recognised_or_harmless(all_targets: list[Target]) -> None:
    assert len(all_targets) == 7
    for target in all_targets:
        assert target.judge() == "harmless" or target.name == "book"
        found = flips(target, COUNT, random.Random(target.name))
        assert found["slipped through"] == 0, target.name
        if "table" in target.name and "manifest" not in target.name:
            assert found["recognised"] == COUNT  # all bytes of these files matter


def test_what_was_killed_is_completed(tmp_path: Path) -> None:
    for number, run in enumerate(runs(tmp_path)):
        if run.name in ("solve 4x4", "copy 4x4"):
            (tmp_path / str(number)).mkdir()
            found = kills(run, tmp_path / str(number), 2, random.Random(1))
            assert found["killed"] + found["too late"] == 2
            assert not found["unsound"] + found["different"], run.name
