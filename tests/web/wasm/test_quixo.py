"""Quixo in the pages, as the core answers in WebAssembly: the same as the library."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import pytest
from quixo.edges import A_WIN_AMONG_UNKNOWN_MOVES, assert_ranked, edge_positions, play_out

from inarow.quixo.openings import shipped_openings
from inarow.quixo.player import LEVELS, Kind, Player
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.results import longest_win
from inarow.quixo.rules import DoubleLine, Move, Position, Quixo, shapes
from inarow.quixo.search import search
from inarow.quixo.solver.plan import QUICK_CELLS
from inarow.web.quixo import Quixos, record

from .conftest import Ask

SMALL = [
    Quixo(2),
    Quixo(3),
    Quixo(3, double_line="wins"),
    Quixo(3, line=2),
    Quixo(2, 5),
    Quixo(5, 3, line=3),
    Quixo(3, 4, line=4, double_line="wins"),
    Quixo(2, 7, line=3),
    Quixo(4),
    Quixo(3, misere=True),
    Quixo(3, 4, line=4, wrap=True),
    Quixo(3, double_line="draws", diagonals=False),
]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home folder of its own, for the tables of small boards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def random_position(rules: Quixo, random: Random, most_marks: int | None = None) -> Position:
    marks = random.randint(0, rules.cells if most_marks is None else most_marks)
    cells = random.sample(range(rules.cells), marks)
    x = sum(1 << cell for cell in cells[: random.randint(0, marks)])
    return Position(rules, x, sum(1 << cell for cell in cells) & ~x, "o" if random.random() < 0.5 else "x")


def fields(position: Position) -> dict[str, Any]:
    rules = position.rules.to_json()
    return {
        "position": position.url_text,
        **{key: rules[key] for key in rules if key not in ("rows", "columns")},
    }


def assert_same(ask: Ask, prober: Prober, positions: list[Position]) -> None:
    answers = ask("quixo", [("probe", fields(position)) for position in positions])
    for position, answer in zip(positions, answers, strict=True):
        assert answer["record"] == record(prober, position)


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
def test_small_boards_are_solved_to_the_same_answers(ask: Ask, rules: Quixo) -> None:
    random = Random(rules.name)
    with open_prober(rules) as prober:
        assert_same(ask, prober, [random_position(rules, random) for _ in range(400)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", shapes(QUICK_CELLS), ids=str)
def test_every_rule_of_every_small_board(ask: Ask, shape: tuple[int, int]) -> None:
    for line in range(2, max(shape) + 1):
        for double_line in get_args(DoubleLine):
            rules = Quixo(*shape, line, double_line)
            random = Random(rules.name)
            with open_prober(rules) as prober:
                assert_same(ask, prober, [random_position(rules, random) for _ in range(30)])


def test_the_book_has_the_same_answers(ask: Ask) -> None:
    """With so few marks that the book knows all moves with their plies."""
    random = Random(5)
    rules = Quixo(5)
    with open_prober(rules) as prober:
        positions = [random_position(rules, random, most_marks=7) for _ in range(60)]
        for position in positions:
            here = prober.probe(position)
            there = ask("quixo", [("probe", fields(position))])[0]["record"]
            counted = record(prober, position) if sum(position.counts) <= 4 else here.to_json()
            assert {key: there[key] for key in counted} == counted


def test_longest_win_and_starts_from_results(ask: Ask) -> None:
    game = longest_win()
    answers = ask("quixo", [("probe", fields(position)) for position in (game[0], game[-1])])
    assert answers[0]["record"]["plies"] == len(game) - 1
    assert answers[1]["record"]["plies"] == 0
    start = Quixo(5, line=4).start()
    assert ask("quixo", [("probe", fields(start))])[0]["record"]["plies"] == 17


def test_short_wins_are_found_by_a_search(ask: Ask) -> None:
    """On boards without a table, and with more marks than the book has."""
    random = Random(3)
    for rules in (Quixo(5), Quixo(4, 5), Quixo(5, line=3)):
        found = 0
        while found < 8:
            position = random_position(rules, random)
            here = search(position, 3)
            if sum(position.counts) < 11 or position.is_over or here is None or here.plies is None:
                continue
            found += 1
            there = ask("quixo", [("probe", fields(position))])[0]["record"]
            assert (there["value"], there["plies"]) == (here.value, here.plies)


@pytest.mark.parametrize("rules", [Quixo(3), Quixo(3, 5, line=4), Quixo(5), Quixo(5, line=4)], ids=str)
def test_counts(ask: Ask, rules: Quixo) -> None:
    quixos = Quixos()
    expected = quixos.stats(rules)
    quixos.close()
    [answer] = ask("quixo", [("stats", rules.to_json())])
    assert answer["record"] == expected


def test_puzzles(ask: Ask) -> None:
    [found] = ask("quixo", [("puzzles", Quixo(4).to_json())])
    assert found["record"] == shipped_puzzles(Quixo(4)).to_json()


def test_a_level_searches_where_nothing_is_solved(ask: Ask) -> None:
    position = Position.parse("xxxx./oo.../o..../o..../..... x")
    [answer] = ask("quixo", [("move", {**fields(position), "player": "level", "level": 1, "seed": 1})])
    assert (answer["record"]["value"], answer["record"]["plies"]) == ("win", 1)


def test_openings(ask: Ask) -> None:
    [found] = ask("quixo", [("openings", Quixo(5).to_json())])
    assert found["record"] == shipped_openings(Quixo(5))


@pytest.mark.parametrize("rules", [Quixo(3), Quixo(4), Quixo(3, 4, line=4, misere=True)], ids=str)
def test_players_choose_as_those_of_the_library(ask: Ask, rules: Quixo) -> None:
    random = Random(1)
    kinds: list[tuple[Kind, int, int]] = [
        ("best", 6, 0),
        ("trap", 6, 0),
        ("weaker", 6, 0),
        ("weaker", 6, 100),
    ]
    kinds += [("level", level, 0) for level in range(1, len(LEVELS) + 1)]
    with open_prober(rules) as prober:
        for kind, level, mistakes in kinds:
            for seed in range(4):
                position = random_position(rules, random, rules.cells - 4)
                if position.is_over:
                    continue
                player = Player(prober, kind, seed, level=level, mistakes=mistakes / 100)
                asked = {"player": kind, "level": level, "mistakes": mistakes, "seed": seed}
                [answer] = ask("quixo", [("move", {**fields(position), **asked})])
                assert answer["record"]["move"] == player.choose(position).text
                assert answer["record"]["player"] == player.describe()


# --- At the edge of the book ---


def test_the_best_player_has_a_move_where_no_winning_one_is_known(ask: Ask) -> None:
    asked = {**fields(Position.parse(A_WIN_AMONG_UNKNOWN_MOVES)), "milliseconds": 20}
    probe, move = ask("quixo", [("probe", asked), ("move", {**asked, "player": "best"})])
    assert probe["record"]["value"] == "win"
    assert {each["value"] for each in probe["record"]["moves"]} == {None, "draw", "loss"}
    assert move["record"]["value"] is None


@pytest.mark.parametrize("count", [30, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_ten_marks_rank_first_what_may_keep_the_value(ask: Ask, count: int) -> None:
    for position, value in edge_positions(count):
        [answer] = ask("quixo", [("probe", {**fields(position), "milliseconds": 10})])
        assert answer["record"]["value"] == value
        assert_ranked(value, [move["value"] for move in answer["record"]["moves"]])


@pytest.mark.parametrize(("games", "most"), [(2, 20), pytest.param(200, 400, marks=pytest.mark.exhaustive)])
def test_games_give_nothing_away_that_is_known(ask: Ask, games: int, most: int) -> None:
    def choose(position: Position) -> tuple[Move, str | None]:
        asked = {**fields(position), "player": "best", "milliseconds": 10}
        [answer] = ask("quixo", [("move", asked)])
        return position.rules.parse_move(answer["record"]["move"]), answer["record"]["value"]

    for seed in range(games):
        play_out(Quixo(5), "xo"[seed % 2], Random(seed), choose, most)
