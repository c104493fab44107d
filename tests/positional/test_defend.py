"""Defences of the second player: against brute force, and the boards that the results name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import text
from hypothesis import given, settings
from oracle.positional import wins_within
from positional.test_small_boards import tiny_games

from inarow.errors import InarowError
from inarow.positional.dictionary.defend import find_defence
from inarow.positional.rules import Game
from inarow.verify.positional.defence import read_defence


@settings(max_examples=400, deadline=None)
@given(tiny_games())
def test_there_is_a_defence_where_brute_force_finds_no_win(game: Game) -> None:
    """What is found is verified before it is returned."""
    assert find_defence(game).defends is not wins_within(game, 0, 0, game.cells)


@pytest.mark.parametrize(
    ("name", "maker_breaker", "lines"),
    [
        ("mnk:4x4x4", True, 0),  # by the weight of the lines
        ("mnk:20x4x5", True, None),  # more than 64 cells
        ("mnk:5x5x4", False, None),
        ("mnk:6x6x5", True, None),
        ("mnk:7x7x5", True, 14_679),
        ("polyomino:snaky:7", True, None),
        ("polyomino:i-tetromino:6", False, 14_136),
        pytest.param("polyomino:l-pentomino:6", False, 23_770, marks=pytest.mark.exhaustive),
        pytest.param("polyomino:snaky:8", True, 11_375, marks=pytest.mark.exhaustive),
    ],
)
def test_boards_that_x_does_not_win(name: str, maker_breaker: bool, lines: int | None) -> None:
    found = find_defence(Game.named(name, maker_breaker))
    assert found.report is not None
    assert found.report.verdict == "proven"
    assert lines is None or len(found.lines) == lines


def test_the_table_of_results() -> None:
    """What docs/results/strategies.md says of K in a row, on boards of up to 30 cells."""
    entries = 0
    for row in re.findall(r"^\| \d×\d \|.*\|$", text("docs/results/strategies.md"), re.MULTILINE):
        size, *values = (value.strip() for value in row.strip("|").split("|"))
        columns, rows = map(int, size.split("×"))
        for number, value in enumerate(values if columns * rows <= 30 else ()):
            if value and (columns, rows, number) != (7, 4, 3):  # which takes 5 seconds
                game = Game.named(f"mnk:{columns}x{rows}x{3 + number // 2}", number % 2 == 0)
                assert find_defence(game).defends is value.startswith("–"), (game, value)
                entries += 1
    assert entries > 40


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    game = Game.named("mnk:5x4x4", maker_breaker=True)
    found = find_defence(game, out=tmp_path / "defence.txt")
    assert (tmp_path / "defence.txt").read_text() == found.text()
    read = [(*line, set(pairs)) for *line, pairs in read_defence(found.text(), game.cells).values()]
    assert read == [(*line, set(pairs)) for *line, pairs in found.lines]


def test_what_cannot_be(tmp_path: Path) -> None:
    for name, maker_breaker in [("mnk:3x3x3", True), ("mnk:4x3x3", False), ("polyomino:tippy:3", True)]:
        found = find_defence(Game.named(name, maker_breaker))
        assert (found.defends, found.lines, found.report) == (False, (), None), "X wins"
    with pytest.raises(InarowError, match="needs more than"):
        find_defence(Game.named("mnk:5x5x4"), memory=1 << 16)
    with pytest.raises(OSError, match="o such"):
        find_defence(Game.named("mnk:3x3x3"), out=tmp_path / "no" / "defence.txt")
