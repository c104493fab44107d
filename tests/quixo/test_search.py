"""The search agrees with tables, as far as it goes."""

import random
from itertools import pairwise

import pytest

import inarow
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.quixo.search import Search, search
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.table import Table, open_table
from inarow.values import Outcome

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
    cells = table.rules.cells
    decided = 0
    for _ in range(400):
        marks = [chance.choice("xo.") for _ in range(cells)]
        x, o = (sum(1 << cell for cell, mark in enumerate(marks) if mark == who) for who in "xo")
        position = Position(table.rules, x, o)
        known, found = table.probe(position), search(position, PLIES)
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


def test_with_an_oracle_a_new_mark_is_forced_whatever_the_loser_replies() -> None:
    chance = random.Random(11)
    table = table_in_memory(Quixo(4))
    forced = 0
    words, values, _ = table.positions(7, 7)  # nearly full, so that most winning moves add no mark
    for word in chance.sample(words[values == 1].tolist(), 1000):
        position = table.rules.from_word(word)
        search = Search(table.rules, table.values)
        marks, left = sum(position.counts), []
        while not position.is_over and sum(position.counts) == marks:
            winning = [move.position for move in table.probe(position).moves if move.value == "win"]
            adding = [after for after in winning if after.is_over or sum(after.counts) > marks]
            if adding:
                position = adding[0]
                continue
            known = search.prove(position, Outcome("win", None), 20_000, 20)
            assert known is not None
            assert known.plies is not None
            left.append(known.plies)
            proven = [(search.proven(after), after) for after in winning]
            position = next(after for found, after in proven if found and (found.plies or 0) < left[-1])
            position = position.play(chance.choice(position.legal_moves()))
        assert all(earlier > later for earlier, later in pairwise(left))
        forced += len(left) > 0
    assert forced > 10


def test_a_proof_that_is_followed_does_not_rest_on_the_class_of_a_position() -> None:
    """All positions like this one are won; to know that for each of them does not win any."""
    position = Position.parse("o.x../...xx/ox.x./....o/xxox. x")
    assert Search(position.rules).prove(position, nodes=0) is not None
    search = Search(position.rules, by_class=False)
    assert search.prove(position, nodes=0) is None
    known = search.prove(position, Outcome("win", None), 20_000, 20)
    chance = random.Random(3)
    left = []
    while not position.is_over:
        assert known is not None
        assert known.plies is not None
        left.append(known.plies)
        after = [child for child, _ in position.successors()]
        proven = [
            (found.plies or 0, nth) for nth, child in enumerate(after) if (found := search.proven(child))
        ]
        position = after[min(proven)[1]]
        if not position.is_over:
            position = position.play(chance.choice(position.legal_moves()))
        known = search.proven(position)
    assert position.winner == "x"
    assert all(earlier > later for earlier, later in pairwise(left))


def test_a_search_with_an_oracle_ends_with_its_limits(table: Table) -> None:
    words = table.sample(20, seed=5, value="win").words.tolist()
    for position in map(table.rules.from_word, words):
        if position.is_over or table.probe(position).plies == 1:
            continue
        search = Search(table.rules, table.values)
        assert search.prove(position, Outcome("win", None), 0, 20) is None
        assert search.prove(position, Outcome("win", None), 20_000, 0) is None
