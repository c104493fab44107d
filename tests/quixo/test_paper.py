"""The paper's numbers of states: Table 1, equation 1 and Figure 5."""

import itertools
from math import comb

import pytest
from golden import quixo_paper as golden

from inarow.quixo import paper
from inarow.quixo.rules import Quixo


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
