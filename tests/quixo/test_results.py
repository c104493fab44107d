"""The results of 5×5 that the package carries: they add up, and the official game's are the paper's."""

from importlib import import_module
from math import comb
from pathlib import Path
from typing import Any

import pytest
from golden.quixo_paper import LARGEST_CLASS_5X5, START, TABLE_2_5X5

import inarow
from inarow.quixo.results import longest_win, results
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.search import search


def test_the_longest_win_is_a_game() -> None:
    game = longest_win()
    assert len(game) - 1 == results(Quixo(5)).statistics.by_plies[-1][0] == 169
    assert game[-1].winner == game[0].turn
    assert not any(position.is_over for position in game[:-1])
    # It begins past the book: only a search can tell more of it, at its end.
    assert (game[0].x | game[0].o).bit_count() == 12
    for left, position in enumerate(reversed(game[-8:])):
        found = search(position, 8)
        assert found is not None
        assert (found.plies, found.value == "win") == (left, position.turn == game[0].turn)


def test_the_official_game_is_the_papers() -> None:
    found = results(Quixo(5))
    assert found.statistics.states == TABLE_2_5X5
    assert found.start is not None
    assert (found.start.value, found.start.plies) == START[5]


@pytest.mark.parametrize("line", [3, 4, 5])
@pytest.mark.parametrize("double_line", ["loses", "wins"])
def test_every_class_is_whole(line: int, double_line: DoubleLine) -> None:
    statistics = results(Quixo(5, line=line, double_line=double_line)).statistics
    assert len(statistics.classes) == 351
    for c in statistics.classes:
        assert c.win + c.loss + c.draw == comb(25, c.x) * comb(25 - c.x, c.o)
    assert sum(statistics.states.values()) == 3**25


@pytest.mark.parametrize("line", [3, 4, 5])
def test_the_rules_for_a_double_line_agree_where_there_is_none(line: int) -> None:
    """Boards with lines of both marks are all that the rule changes at 0 plies."""
    loses, wins = (
        results(Quixo(5, line=line, double_line=rule)).statistics.by_plies[0] for rule in ("loses", "wins")
    )
    assert loses[1] + loses[2] == wins[1] + wins[2]
    assert (loses[1], loses[2]) == (wins[2], wins[1])


def test_other_boards_have_none() -> None:
    with pytest.raises(inarow.InarowError, match="inarow quixo solve --size 4"):
        results(Quixo(4))


def test_the_largest_class() -> None:
    [largest] = [c for c in results(Quixo(5)).statistics.classes if (c.x, c.o) == (8, 8)]
    assert largest.win + largest.loss + largest.draw == pytest.approx(LARGEST_CLASS_5X5, rel=0.02)


def test_the_program_that_reproduces_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a small board, with another solve in place of the results that are shipped."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "results")
    program: Any = import_module("reproduce_quixo_5x5")
    monkeypatch.setattr(program, "results", lambda rules: inarow.solve(Quixo(3)))
    monkeypatch.setattr(program, "SAMPLE", 500)
    program.check(Quixo(3), tmp_path / "same", "cpu")
    assert "win in 7, the same counts; 500 entries re-derived" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="other counts"):
        program.check(Quixo(3, double_line="wins"), tmp_path / "other", "cpu")
    start = Quixo(3).start()
    with inarow.open_table(tmp_path / "same") as table:
        game = (start, *(move.position for move in table.line(start)))
    monkeypatch.setattr(program, "longest_win", lambda: game)
    program.follow(tmp_path / "same", 7)
    with pytest.raises(SystemExit, match="takes 8 plies, not 7"):
        program.follow(tmp_path / "same", 8)
    monkeypatch.setattr(program, "longest_win", lambda: game[1:] + game[:1])
    with pytest.raises(SystemExit, match=r"does not take \d plies"):
        program.follow(tmp_path / "same", 7)
