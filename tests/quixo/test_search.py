"""The search agrees with tables, as far as it goes."""

import random

import pytest

import inarow
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.quixo.search import search, search_all
from inarow.quixo.table.table import Table, open_table

PLIES = 5


@pytest.fixture(
    scope="module",
    params=[
        Quixo(3),
        Quixo(3, double_line="wins"),
        Quixo(4),
        Quixo(4, line=3, double_line="wins"),
        Quixo(2, 6, 3),
        Quixo(4, 3),
        Quixo(3, 5, 4, "wins"),
    ],
    ids=lambda rules: rules.name,
)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("search") / "table"
    inarow.solve(request.param, folder)
    return open_table(folder)


def test_it_finds_what_the_table_says_and_nothing_else(table: Table) -> None:
    chance = random.Random(2)
    positions, decided = [], 0
    for _ in range(400):
        marks = [chance.choice("xo.") for _ in range(table.rules.cells)]
        x, o = (sum(1 << cell for cell, mark in enumerate(marks) if mark == who) for who in "xo")
        positions.append(Position(table.rules, x, o))
    for position, found in zip(positions, search_all(positions, PLIES), strict=True):
        known = table.probe(position)
        if known.plies is not None and known.plies <= PLIES:
            decided += 1
            assert found is not None
            assert (found.value, found.plies) == (known.value, known.plies), position
        else:
            assert found is None, position
    assert decided > 100


def test_depths_up_to_the_longest() -> None:
    """With as many plies as the whole game takes, the start is solved on 3×3."""
    found = search(Quixo(3).start(), 7)
    assert found is not None
    assert (found.value, found.plies) == ("win", 7)
    assert search(Quixo(3).start(), 6) is None


@pytest.mark.parametrize(("double_line", "value"), [("loses", "win"), ("wins", "loss")])
def test_lines_of_both(double_line: DoubleLine, value: str) -> None:
    """X's move leaves lines of both: by the official rule X has lost."""
    after = Position.parse(".../.oo/oxx x", double_line=double_line).play("a2a1")
    assert after.rules.has_line(after.x)
    assert after.rules.has_line(after.o)
    found = search(after, 0)
    assert found is not None
    assert (found.value, found.plies) == (value, 0)
