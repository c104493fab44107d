"""Studies of all positions, compared with an oracle that knows no symmetry and numbers boards in base 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracle import quixo, quixo_arrays
from oracle.quixo_studies import Solved

from inarow.errors import MissingTable
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.study.blanks import study_blanks
from inarow.quixo.study.draws import study_draws
from inarow.quixo.study.figures import Figure, study_figures
from inarow.quixo.study.luck import DEFENCES, Defence, play_with_luck, study_luck
from inarow.quixo.study.passing import study_passing
from inarow.quixo.study.scope import Scope

RULES = [Quixo(2, 4), Quixo(3), Quixo(3, 4)]


@lru_cache(maxsize=8)
def oracle(rules: Quixo) -> Solved:
    return Solved.of(rules.rows, rules.columns, rules.line)


@lru_cache(maxsize=8)
def prober(rules: Quixo) -> Prober:
    return open_prober(rules, [table_in_memory(rules)])


@pytest.fixture(params=RULES, ids=lambda rules: rules.name)
def rules(request: Any) -> Any:
    return request.param


def number(position: Position) -> int:
    """In base 3, as the oracle numbers boards."""
    tiles = position.text.split()[0].replace("/", "")
    return sum(".xo".index(tile) * 3**place for place, tile in enumerate(tiles))


def same(classes: Iterable[Any], expected: dict[str, Counter[tuple[int, int]]]) -> None:
    classes = list(classes)
    for name, counts in expected.items():
        assert {(its.x, its.o): getattr(its, name) for its in classes if getattr(its, name)} == dict(
            counts
        ), name


def test_passing(rules: Quixo) -> None:
    found = study_passing(Scope(prober(rules)))
    same(found.classes, oracle(rules).passing())
    assert sum(its.looked_at for its in found.classes) == 3**rules.cells
    assert found.total("unfinished") == np.count_nonzero(~oracle(rules).over)


def test_passing_is_better_in_two_positions_of_3x4() -> None:
    found = study_passing(Scope(prober(Quixo(3, 4))))
    assert [(str(its.position), its.value, its.passing) for its in found.examples] == [
        ("xoox/o..o/xoox x", "loss", "draw"),
        ("oxxo/x..x/oxxo x", "draw", "win"),
    ]


def test_blanks(rules: Quixo) -> None:
    same(study_blanks(Scope(prober(rules))).classes, oracle(rules).blanks())


def test_draws(rules: Quixo) -> None:
    found = study_draws(Scope(prober(rules)))
    same(found.classes, oracle(rules).draws())
    plies, on_loops = oracle(rules).forced()
    assert (found.forced.plies if found.forced else 0) == plies
    assert (found.forced.repeating if found.forced else 0) <= on_loops


def test_loops_of_only_moves() -> None:
    """On 4×4 both sides can be forced to repeat themselves for ever."""
    rules = Quixo(4)
    for plies, text in ((2, ".ooo/...x/oxxo/xoxx x"), (4, ".oo./ooox/x.xo/xoxx x")):
        first = position = rules.parse(text)
        for _ in range(plies):
            probe = prober(rules).probe(position)
            drawing = [move for move in probe.moves if move.value == "draw"]
            assert probe.value == "draw"
            assert len(drawing) == 1
            position = drawing[0].position
        assert position.canonical().mover_word == first.canonical().mover_word


@pytest.mark.parametrize(
    "rules", [Quixo(2), Quixo(2, 4), Quixo(3), Quixo(2, 5)], ids=lambda rules: rules.name
)
def test_figures(rules: Quixo) -> None:
    solved, found = oracle(rules), study_figures(Scope(prober(rules)))
    value, over = solved.value, solved.over
    layers = [{board for board in layer if not over[board]} for layer in solved.from_blanks()]

    def images(boards: Iterable[int]) -> set[int]:
        return {int(solved.smallest_image[board]) for board in boards}

    def agrees(figure: Figure | None, marks: int | None, boards: set[int]) -> None:
        if figure is None:
            assert not boards
            return
        assert (figure.marks, figure.count) == (marks, len(images(boards)))
        assert images(map(number, figure.positions)) <= images(boards)

    def first(layers: list[set[int]]) -> tuple[int | None, set[int]]:
        return next(((marks, boards) for marks, boards in enumerate(layers) if boards), (None, set()))

    agrees(found.decided, *first([{board for board in layer if value[board]} for layer in layers]))
    lost = [{board for board in layer if value[board] < 0} for layer in layers]
    lost[1::2] = [set()] * len(lost[1::2])
    agrees(found.balanced_loss_from_blanks, *first(lost))
    balanced: list[set[int]] = [set() for _ in range(rules.cells + 1)]
    for here, classes in solved.boards(value < 0):
        for board, (x, o) in zip(here.tolist(), classes, strict=True):
            if x == o:
                balanced[x + o].add(board)
    agrees(found.balanced_loss, *first(balanced))
    agrees(found.returning, None, solved.returning())


def test_a_sample_looks_at_so_many_of_each_class() -> None:
    every, some = (study_blanks(Scope(prober(Quixo(3)), sample=size)) for size in (None, 200))
    for all_of_it, its in zip(every.classes, some.classes, strict=True):
        assert its.looked_at == min(its.states, 200)
        if its.states <= 200:
            assert its == all_of_it
    again = study_blanks(Scope(prober(Quixo(3)), sample=200))
    assert again == some
    assert study_blanks(Scope(prober(Quixo(3)), sample=200, seed=1)) != some


def test_what_is_not_known_is_named() -> None:
    with open_prober(Quixo(5)) as book, pytest.raises(MissingTable, match="with 11 marks, is not known"):
        study_passing(Scope(book, sample=1))


def test_what_is_not_known_is_named_before_the_work() -> None:
    with open_prober(Quixo(5)) as book:
        with pytest.raises(MissingTable, match="with 11 marks, is not known"):
            Scope(book).require_values()
        Scope(book, most_marks=10).require_values()


def test_progress_reaches_the_end() -> None:
    told: list[tuple[int, int]] = []
    study_passing(Scope(prober(Quixo(3)), progress=lambda done, total: told.append((done, total))))
    assert told == sorted(told)
    assert told[-1][0] <= told[-1][1] == 3**9
    assert told[-1][0] > 3**9 // 2  # full boards that are over are not looked at


def test_the_book_answers_questions_about_few_marks() -> None:
    with open_prober(Quixo(5)) as book:
        found = study_figures(Scope(book, most_marks=6, sample=50))
        assert found.decided is not None
        assert (found.decided.value, found.decided.marks, found.decided.count) == ("win", 6, 424)
        assert found.balanced_loss is None


# --- Luck ---


def expectations(rules: Quixo, defence: Defence) -> dict[str, float]:
    """Expected plies from all won boards that are not over, by plain value iteration over strings."""
    shape = rules.rows, rules.columns
    solved = quixo.solve(*shape, rules.line, rules.double_line)
    boards = ["".join(tiles) for tiles in product(".XO", repeat=rules.cells)]
    value = {board: solved[quixo.masks(board)] for board in boards}
    choices: dict[str, list[str]] = {}
    for board, (outcome, plies) in value.items():
        if plies and outcome != "draw":
            after = every_child(board, rules)
            if outcome == "win":
                after = [child for child in after if value[child][0] == "loss"]
            elif defence == "longest":
                after = [child for child in after if value[child][1] == plies - 1]
            choices[board] = after
    expected = dict.fromkeys(boards, 0.0)
    for _ in range(400):
        for board, after in choices.items():
            there = [expected[child] for child in after]
            worst = defence == "worst" and value[board][0] == "loss"
            expected[board] = 1 + (max(there) if worst else sum(there) / len(there))
    return {board: plies for board, plies in expected.items() if value[board][0] == "win" and value[board][1]}


def every_child(board: str, rules: Quixo) -> list[str]:
    """The boards after each move, as often as there are moves to them."""
    x, o = quixo.masks(board)
    position = Position(rules, x, o)
    words = [position.play(move).mover_word for move in position.legal_moves()]
    texts = [rules.from_word(word).text.split()[0].replace("/", "").upper() for word in words]
    assert set(texts) == quixo.children(board, rules.rows, rules.columns)
    return texts


@pytest.mark.parametrize("defence", DEFENCES)
@pytest.mark.parametrize("rules", [Quixo(2, 3), pytest.param(Quixo(3), marks=pytest.mark.exhaustive)])
def test_luck(rules: Quixo, defence: Defence) -> None:
    found = study_luck(table_in_memory(rules), defence)
    expected = expectations(rules, defence)
    assert found.won == len(expected)
    assert found.mean == pytest.approx(sum(expected.values()) / len(expected), rel=1e-9)
    assert found.longest == pytest.approx(max(expected.values()), rel=1e-9)
    assert found.start == (pytest.approx(expected["." * rules.cells]) if found.start is not None else None)
    assert found.residual < 1e-8
    for its in found.classes:
        marks = Counter({"X": its.x, "O": its.o, ".": rules.cells - its.x - its.o})
        those = [plies for board, plies in expected.items() if Counter(board) == marks]
        assert its.won == len(those)
        assert its.longest == pytest.approx(max(those))


@pytest.mark.parametrize("defence", ["random", "longest"])
def test_games_are_as_long_as_expected(defence: Defence) -> None:
    table = table_in_memory(Quixo(3))
    found, games = study_luck(table, defence), play_with_luck(table, 20_000, defence, seed=1)
    assert games.unfinished == 0
    assert abs(games.mean - found.mean) < 5 * games.error
    assert games == play_with_luck(table, 20_000, defence, seed=1)


def test_luck_needs_a_defence_that_there_is() -> None:
    table = table_in_memory(Quixo(2))
    with pytest.raises(ValueError, match="must be one of"):
        study_luck(table, "hopeless")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not in games"):
        play_with_luck(table, 5, "worst")


@pytest.mark.exhaustive
def test_4x4() -> None:
    """Passing, and draws, on all 3¹⁶ boards; the values are from a table, the rest is the oracle's."""
    rules = Quixo(4)
    value, over = np.zeros(3**16, np.int8), np.zeros(3**16, bool)
    for first in range(0, 3**16, 1 << 20):
        numbers = np.arange(first, min(first + (1 << 20), 3**16))
        tiles = quixo_arrays.tiles(4, 4, numbers)
        one, two = (
            sum((tile == mark) << (15 - place) for place, tile in enumerate(tiles)) for mark in (1, 2)
        )
        words = np.asarray(one, np.uint64) << np.uint64(32) | np.asarray(two, np.uint64)
        value[numbers], plies = prober(rules).tables[0].probe_many(words)
        over[numbers] = plies == 0
    solved, scope = Solved(4, 4, value, over), Scope(prober(rules))
    same(study_passing(scope).classes, solved.passing())
    draws = study_draws(scope)
    same(draws.classes, solved.draws())
    assert draws.forced is not None
    assert draws.forced.plies == solved.forced()[0] == 8
