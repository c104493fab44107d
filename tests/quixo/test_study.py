"""Studies of all positions, compared with an oracle that knows no symmetry and numbers boards in base 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from oracle.quixo_studies import Solved

from inarow.errors import MissingTable
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.study.blanks import study_blanks
from inarow.quixo.study.draws import study_draws
from inarow.quixo.study.figures import Figure, study_figures
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


@pytest.mark.parametrize("rules", [Quixo(2, 4), Quixo(3), Quixo(2, 5)], ids=lambda rules: rules.name)
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


def test_the_book_answers_questions_about_few_marks() -> None:
    with open_prober(Quixo(5)) as book:
        found = study_figures(Scope(book, most_marks=6, sample=50))
        assert found.decided is not None
        assert (found.decided.value, found.decided.marks, found.decided.count) == ("win", 6, 424)
        assert found.balanced_loss is None
