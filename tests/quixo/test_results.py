"""The results of 5×5 that the package carries: they add up, and the official game's are the paper's."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib import import_module
from math import comb
from pathlib import Path
from typing import Any

import pytest
from golden import quixo_paper as golden
from golden.quixo_paper import LARGEST_CLASS_5X5, START, TABLE_2_5X5

import inarow
from inarow.errors import MissingTable
from inarow.quixo import paper
from inarow.quixo.openings import make_openings, shipped_openings
from inarow.quixo.prober import open_prober
from inarow.quixo.results import longest_win, results
from inarow.quixo.rules import DoubleLine, Position, Quixo
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


# --- The openings of 5×5 ---


def nodes(lines: list[dict[str, Any]], begin: Position) -> Iterator[tuple[Position, dict[str, Any]]]:
    for line in lines:
        yield begin, line
        yield from nodes(line["lines"], begin.play(line["move"]))


def test_the_shipped_tree_can_be_made_again() -> None:
    with open_prober(Quixo(5)) as prober:
        assert make_openings(prober) == shipped_openings(Quixo(5))


def test_lines_are_legal_and_different() -> None:
    found = list(nodes(shipped_openings(Quixo(5))["lines"], Quixo(5).start()))
    assert len(found) > 100
    for begin, line in found:
        assert str(begin.play(line["move"])) == line["position"]
        after = [
            begin.play(other["move"]).canonical().mover_word for before, other in found if before is begin
        ]
        assert len(set(after)) == len(after)
    names = [line["name"] for _, line in found if line["name"]]
    assert len(set(names)) == len(names) > 15
    assert names[0] == "Tower"


def test_other_boards_have_no_openings() -> None:
    with pytest.raises(MissingTable, match="no openings of Quixo 4×4"):
        shipped_openings(Quixo(4))


# --- The paper's numbers of states ---


@pytest.mark.parametrize(("mask", "pop", "rank"), golden.TABLE_1)
def test_order_of_table_1(mask: int, pop: int, rank: int) -> None:
    assert (mask.bit_count(), paper.order(mask)) == (pop, rank)
    assert paper.unorder(pop, rank) == mask


def test_index_of_figure_5() -> None:
    position = Quixo().from_word(golden.FIGURE_5_WORD)
    assert (position.counts, position.x, position.o) == ((8, 5), golden.FIGURE_5_S_X, golden.FIGURE_5_O)
    index = paper.order(golden.FIGURE_5_S_X) * comb(25 - 8, 5) + paper.order(golden.FIGURE_5_S_O)
    assert paper.index(position) == index
    assert paper.position(Quixo(), 8, 5, index) == position


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (2, 4)])
def test_indices_number_every_class(rows: int, columns: int) -> None:
    rules, boards = Quixo(rows, columns), set()
    for x, o in itertools.product(range(rules.cells + 1), repeat=2):
        if x + o > rules.cells:
            continue
        count = comb(rules.cells, x) * comb(rules.cells - x, o)
        for index in range(count):
            position = paper.position(rules, x, o, index)
            assert (position.counts, paper.index(position)) == ((x, o), index)
            boards.add(position.mover_word)
        with pytest.raises(ValueError, match=f"index {count}: there are {count:,} positions"):
            paper.position(rules, x, o, count)
    assert len(boards) == 3**rules.cells


def test_what_has_no_number_is_refused() -> None:
    for pop, rank in ((-1, 0), (0, 1), (1, -1)):
        with pytest.raises(ValueError, match="no mask has these"):
            paper.unorder(pop, rank)
    with pytest.raises(ValueError, match="there are 0 positions with 9 Xs and 8 Os"):
        paper.position(Quixo(4), 9, 8, 0)


def test_tables_add_up_to_all_boards() -> None:
    assert sum(golden.TABLE_2_5X5.values()) == 3**25
    assert sum(wins for _, wins, _ in golden.TABLE_3_4X4) == golden.TOTALS_4X4["win"]
    assert sum(losses for _, _, losses in golden.TABLE_3_4X4) == golden.TOTALS_4X4["loss"]
