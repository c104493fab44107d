"""Puzzles: how they are made, graded, kept, and proven by the checker."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from quixo.forms import Forms

from inarow.errors import DamagedFile, MissingTable
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.puzzles import (
    daily_number,
    make_puzzles,
    read_puzzles,
    result_line,
    shipped_puzzles,
    write_puzzles,
)
from inarow.quixo.rules import Quixo
from inarow.verify.quixo.puzzles import verify_puzzles
from inarow.verify.quixo.table import verify_table

SHIPPED = Path(str(files("inarow") / "data" / "quixo" / "puzzles"))
FOUR, FIVE = SHIPPED / "4x4-line4-loses.json", SHIPPED / "5x5-line5-loses.json"


@pytest.fixture(scope="module")
def table(four: Forms) -> Path:
    return four.folder / "compact"


@pytest.fixture(scope="module")
def prober(table: Path) -> Iterator[Prober]:
    with open_prober(Quixo(4), [table]) as prober:
        yield prober


def test_those_of_4x4_are_proven(table: Path) -> None:
    assert verify_table(table).verdict == "proven"
    report = verify_puzzles(FOUR, table)
    assert (report.verdict, report.puzzles, report.by_table) == ("proven", 200, 200), report.wrong


@pytest.mark.exhaustive
def test_those_of_5x5_are_proven_as_far_as_moves_can_be_tried() -> None:
    report = verify_puzzles(FIVE)
    assert (report.verdict, report.puzzles) == ("consistent", 100), report.wrong
    searched = {puzzle.number for puzzle in shipped_puzzles(Quixo(5)) if puzzle.source == "search"}
    assert not searched & set(report.unproven)
    assert report.by_moves == 100 - len(report.unproven) == 39


@pytest.mark.skipif("INAROW_TABLE_5X5" not in os.environ, reason="INAROW_TABLE_5X5 names no table of 5×5")
def test_those_of_5x5_are_proven_by_a_table() -> None:
    assert verify_puzzles(FIVE, os.environ["INAROW_TABLE_5X5"]).verdict == "proven"


@pytest.mark.parametrize("size", [4, 5])
def test_there_are_some_of_every_kind_and_grade(size: int) -> None:
    puzzles = shipped_puzzles(Quixo(size))
    counts = Counter((puzzle.kind, puzzle.grade) for puzzle in puzzles)
    assert len(counts) == 15
    assert min(counts.values()) >= len(puzzles) // 20
    assert len({puzzle.position.canonical().mover_word for puzzle in puzzles}) == len(puzzles)


def test_the_shipped_ones_can_be_made_again(prober: Prober, tmp_path: Path) -> None:
    assert make_puzzles(prober, 5, 7).puzzles != make_puzzles(prober, 5, 8).puzzles
    write_puzzles(tmp_path / "again.json", make_puzzles(prober, 200, 1))
    assert (tmp_path / "again.json").read_bytes() == FOUR.read_bytes()


def test_outcomes_are_those_of_a_probe(prober: Prober) -> None:
    for puzzle in list(shipped_puzzles(Quixo(4)))[::20]:
        probe = prober.probe(puzzle.position)
        assert probe.outcome == puzzle.outcome
        assert {move.move: (move.value, move.plies) for move in probe.moves} == {
            move: (outcome.value, outcome.plies) for move, outcome in puzzle.outcomes.items()
        }
        assert probe.moves[0].move == puzzle.move


def test_a_table_is_needed() -> None:
    with open_prober(Quixo(5)) as prober, pytest.raises(MissingTable, match="with plies"):
        make_puzzles(prober, 1, 1)
    with pytest.raises(MissingTable, match="inarow quixo puzzles"):
        shipped_puzzles(Quixo(3))


def test_every_puzzle_has_its_day() -> None:
    days = [date(2026, 11, 16) + timedelta(days=day) for day in range(200)]
    assert sorted(daily_number(day, 200) for day in days) == list(range(1, 201))
    puzzles = shipped_puzzles(Quixo(4))
    assert puzzles.daily(date(2026, 11, 16)).number == 174
    with pytest.raises(ValueError, match="1 to 200"):
        puzzles.numbered(201)


def test_the_result_gives_nothing_away() -> None:
    puzzle = shipped_puzzles(Quixo(4)).numbered(174)
    stars = "★" * puzzle.grade + "☆" * (5 - puzzle.grade)
    assert result_line(puzzle, 2, date(2026, 11, 16)) == f"inarow 4×4 #174 2026-11-16 {stars} ✗✗✓"


def _changed(number: int = 0, **changes: Any) -> bytes:
    data = json.loads(FOUR.read_bytes())
    data["puzzles"][number] |= changes
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": "inarow-quixo-puzzles", "version": 2}',
        _changed(id=2),
        _changed(grade=6),
        _changed(kind="chess"),
        _changed(move="a1a1"),
        _changed(outcomes={}),
        _changed(position="...."),
    ],
)
def test_damaged_files(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "puzzles.json").write_bytes(content)
    with pytest.raises(DamagedFile):
        read_puzzles(tmp_path / "puzzles.json")


PUZZLES: list[dict[str, Any]] = json.loads(FOUR.read_bytes())["puzzles"]
WON = next(nth for nth, puzzle in enumerate(PUZZLES) if puzzle["kind"] == "win")
WORST = min(PUZZLES[WON]["outcomes"], key=PUZZLES[WON]["outcomes"].__getitem__)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (_changed(WON, outcomes=PUZZLES[WON]["outcomes"] | {WORST: -100}), rf"{WORST} is -\d+, not -100"),
        (_changed(WON, outcomes=PUZZLES[WON]["outcomes"] | {WORST: 1}), "is not the only answer"),
        (_changed(WON, outcomes={}), "not the legal ones"),
        (_changed(WON, kind="draw"), "kind 'draw'"),
        (_changed(1, id=1), "puzzle 1: it is number 2"),
        (_changed(1, position=PUZZLES[0]["position"]), "turned or mirrored"),
    ],
)
def test_the_checker_finds_what_is_wrong(content: bytes, why: str, table: Path, tmp_path: Path) -> None:
    (tmp_path / "puzzles.json").write_bytes(content)
    report = verify_puzzles(tmp_path / "puzzles.json", table)
    assert report.verdict == "wrong"
    assert re.search(why, report.wrong or ""), report.wrong
