"""Tables of outcomes have the plies of nearly full boards, and whoever reads such a table knows them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from quixo.forms import Forms, change_outcomes, contents

import inarow
from inarow.errors import DamagedFile, WrongTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME
from inarow.quixo.table.copy import copy_table
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.location import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import pairs_of

RULES = Quixo(3)


@pytest.fixture
def whole(three: Forms) -> Path:
    return three.folder / "compact"


@pytest.fixture
def outcomes(three: Forms) -> Path:
    return three.folder / "outcomes"


def some_positions() -> list[Position]:
    choose = random.Random(7)
    texts = ["".join(choose.choices("xo.", k=9)) for _ in range(300)]
    return [RULES.parse(f"{text[:3]}/{text[3:6]}/{text[6:]}_x") for text in texts]


def test_their_plies_are_known(whole: Path, outcomes: Path) -> None:
    with inarow.open_table(whole) as known, inarow.open_table(outcomes) as table:
        for position in some_positions():
            expected, found = known.probe(position), table.probe(position)
            assert found.value == expected.value
            if sum(position.counts) >= nearly_full_marks(RULES):
                assert found == expected
        positions = some_positions()
        for outcome, exact in zip(table.outcomes(positions), known.outcomes(positions), strict=True):
            assert outcome is not None
            assert exact is not None
            assert outcome.plies in (None, exact.plies)


def test_nothing_is_kept_for_boards_that_are_not_nearly_full(outcomes: Path, tmp_path: Path) -> None:
    assert not (outcomes / NEARLY_FULL / SCRATCH_NAME).exists()
    inarow.solve(RULES, tmp_path, outcomes_only=True, stop_at=8)
    assert (tmp_path / NEARLY_FULL / SCRATCH_NAME).exists()  # for those with 7 and 6 marks


def test_tables_with_and_without_plies_are_told_apart(outcomes: Path) -> None:
    with pytest.raises(WrongTable, match=r"a table without plies .* table with plies of"):
        TableFolder(outcomes, RULES)


def test_a_run_that_stopped_early_completes_them(outcomes: Path, tmp_path: Path) -> None:
    inarow.solve(RULES, tmp_path, outcomes_only=True, stop_at=8)
    pairs = [record.pair for record in Manifest.load(tmp_path / NEARLY_FULL).pairs]
    assert pairs == list(pairs_of(RULES, 8))
    inarow.solve(RULES, tmp_path, outcomes_only=True)
    assert contents(tmp_path / NEARLY_FULL) == contents(outcomes / NEARLY_FULL)


def test_progress_ends_with_all_entries(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    inarow.solve(RULES, tmp_path, outcomes_only=True, progress=lambda *at: seen.append(at))
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1]


def test_they_are_copied(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "copy")
    assert contents(tmp_path / "copy" / NEARLY_FULL) == contents(outcomes / NEARLY_FULL)
    (tmp_path / "without").mkdir()
    for name in contents(outcomes):
        (tmp_path / "without" / name).write_bytes((outcomes / name).read_bytes())
    copy_table(tmp_path / "without", tmp_path / "copy without")
    assert not (tmp_path / "copy without" / NEARLY_FULL).exists()
    with inarow.open_table(tmp_path / "copy without") as table:  # as older releases wrote them
        assert table.nearly_full is None


def test_those_of_another_game_are_refused(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "table")
    other = Quixo(3, double_line="wins")
    for path in (tmp_path / "table" / NEARLY_FULL).iterdir():
        path.unlink()
    inarow.solve(other, tmp_path / "table" / NEARLY_FULL)
    with pytest.raises(WrongTable, match="belongs to a table of"):
        inarow.open_table(tmp_path / "table")


def test_a_contradiction_is_refused(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "table")
    change_outcomes(tmp_path / "table", 4, 3, lambda plane, codes: 2 - codes)
    with (
        inarow.open_table(tmp_path / "table") as table,
        pytest.raises(DamagedFile, match=f"{NEARLY_FULL} contradict each other"),
    ):
        table.probe(RULES.parse("xxo/oox/x.._x"))
