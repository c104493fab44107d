"""A new mark is forced, whatever the loser replies, and the win is never given away."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from inarow.quixo.new_marks import NewMarks
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.table import Table

RULES = Quixo(4)
CHOOSE = random.Random(11)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with table_in_memory(RULES) as table:
        yield table


def won_positions(table: Table, count: int) -> Iterator[Position]:
    """In which no winning move adds a mark."""
    while count:
        tiles = "".join(CHOOSE.choices("xo.", [3, 3, 1], k=16))
        position = RULES.parse("/".join(tiles[nth : nth + 4] for nth in range(0, 16, 4)) + "_x")
        if position.is_over or table.probe(position).value != "win":
            continue
        marks = sum(position.counts)
        winning = [move.position for move in table.probe(position).moves if move.value == "win"]
        if not any(after.is_over or sum(after.counts) > marks for after in winning):
            count -= 1
            yield position


def test_a_new_mark_is_forced(table: Table) -> None:
    found = 0
    for position in won_positions(table, 60):
        search = NewMarks(RULES, table.values)
        if search.after_best(position.mover_word, 20_000, 20) is None:
            continue
        found += 1
        marks, left = sum(position.counts), []
        while not position.is_over and sum(position.counts) == marks:
            after = search.after_best(position.mover_word, 0, 0)  # without a new search
            left.append(search._best[position.mover_word][0])
            position = next(
                child for child in map(position.play, position.legal_moves()) if child.mover_word == after
            )
            assert table.probe(position).value == "loss"
            if not position.is_over and sum(position.counts) == marks:
                position = position.play(CHOOSE.choice(position.legal_moves()))
        assert all(earlier > later for earlier, later in pairwise(left))
    assert found > 40


def test_a_search_ends_with_its_limits(table: Table) -> None:
    for position in won_positions(table, 20):
        search = NewMarks(RULES, table.values)
        assert search.after_best(position.mover_word, 1, 20) is None
        assert search.after_best(position.mover_word, 20_000, 0) is None
