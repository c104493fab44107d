"""The search agrees with tables, as far as it goes."""

from __future__ import annotations

import random
from random import Random

import pytest
from quixo.boards import random_board

import inarow
from inarow.quixo.prober import open_prober
from inarow.quixo.rules import DoubleLine, Move, Position, Quixo
from inarow.quixo.search import search, search_all
from inarow.quixo.table.table import Table, open_table
from inarow.quixo.threats import Threat, threats_of
from inarow.values import opponent

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
    positions, decided = [random_board(table.rules, chance) for _ in range(400)], 0
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


# --- Threats, against the plain rules of the game ---


RULES = [Quixo(3), Quixo(4), Quixo(5), Quixo(3, 5), Quixo(4, line=3, double_line="wins"), Quixo(2, 4, line=2)]


def passed(position: Position) -> Position:
    """The same board with the other side to move."""
    return Position(position.rules, position.x, position.o, opponent(position.turn))


def completions(position: Position) -> dict[tuple[int, ...], tuple[Move, ...]]:
    """Lines that the side to move completes, by playing all moves."""
    found: dict[tuple[int, ...], tuple[Move, ...]] = {}
    for move in position.legal_moves():
        after = position.play(move)
        if after.winner == position.turn:
            mine = after.x if position.turn == "x" else after.o
            for line in position.rules.lines:
                if mine & line == line:
                    cells = tuple(cell for cell in range(position.rules.cells) if line >> cell & 1)
                    found[cells] = (*found.get(cells, ()), move)
    return found


def as_dict(threats: tuple[Threat, ...]) -> dict[tuple[int, ...], tuple[Move, ...]]:
    return {threat.line: threat.moves for threat in threats}


def random_positions(rules: Quixo, count: int, seed: int) -> list[Position]:
    random = Random(seed)
    found: list[Position] = []
    while len(found) < count:
        cells = random.sample(range(rules.cells), random.randint(0, rules.cells))
        x = sum(1 << cell for cell in cells[: len(cells) // 2])
        o = sum(1 << cell for cell in cells) & ~x
        found.append(Position(rules, x, o, random.choice("xo")))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_threats_are_those_of_the_rules(rules: Quixo) -> None:
    threatened = 0
    for position in random_positions(rules, 80, 1):
        threats = threats_of(position)
        if position.is_over:
            assert (threats.mover, threats.other, threats.blocks) == ((), (), None)
            continue
        assert as_dict(threats.mover) == completions(position)
        assert as_dict(threats.other) == completions(passed(position))
        if not threats.other:
            assert threats.blocks is None
            continue
        threatened += 1
        assert threats.blocks == tuple(
            move
            for move in position.legal_moves()
            if not (after := position.play(move)).is_over and not completions(after)
        )
    assert threatened > 0


def test_words() -> None:
    double = Position.parse("xxx./x.../x.o./.... o")
    threats = threats_of(double)
    assert threats.sentences()[0].startswith("X has a double threat: to complete ")
    assert threats.to_json()["o"] == []
    assert len(threats.to_json()["x"]) == len(threats.of_x) == 2
    assert threats_of(Quixo(4).start()).sentences() == []


def test_moves_to_the_same_position_up_to_symmetry_are_alike() -> None:
    with open_prober(Quixo(3)) as prober:
        for position in random_positions(Quixo(3), 20, 2):
            probe = prober.probe(position)
            canonical = [move.position.canonical().mover_word for move in probe.moves]
            alike = probe.alike
            assert len(set(alike)) == len(set(canonical))
            for first, one in zip(canonical, alike, strict=True):
                for second, other in zip(canonical, alike, strict=True):
                    assert (first == second) == (one == other)
            assert [move["alike"] for move in probe.to_json()["moves"]] == alike
            assert list(dict.fromkeys(alike)) == list(range(len(set(alike))))
        assert len(set(prober.probe(Quixo(3).start()).alike)) == 2
