"""The survey of all moves, by the GPU's code, compared with the studies that take one question each."""

import json
from pathlib import Path
from typing import Any

import pytest
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import each_device

from inarow.quixo.prober import open_prober
from inarow.quixo.results import results
from inarow.quixo.rules import Quixo
from inarow.quixo.study.blanks import study_blanks
from inarow.quixo.study.draws import Draws, study_draws
from inarow.quixo.study.figures import study_figures
from inarow.quixo.study.passing import study_passing
from inarow.quixo.study.scope import Scope
from inarow.quixo.study.survey import Survey, surveyed_on

RESULTS = Path(__file__).parents[2] / "docs" / "results"

BOARDS = [Quixo(2), Quixo(2, 4), Quixo(3), Quixo(3, 3, 2), Quixo(3, double_line="wins"), Quixo(3, 4)]
LARGE = [Quixo(4), Quixo(4, double_line="wins"), Quixo(2, 6), Quixo(2, 7), Quixo(3, 5), Quixo(2, 8)]


@each_device
@pytest.mark.parametrize(
    "rules",
    [*BOARDS, *(pytest.param(rules, marks=pytest.mark.exhaustive) for rules in LARGE)],
    ids=lambda rules: rules.name,
)
def test_it_counts_what_the_studies_count(rules: Quixo, kind: Any) -> None:
    found = surveyed_on(kind(), rules)
    with open_prober(rules) as prober:
        scope = Scope(prober)
        passing, blanks = study_passing(scope), study_blanks(scope)
        draws, figures = study_draws(scope), study_figures(scope)
    for its, p, b, d in zip(found.classes, passing.classes, blanks.classes, draws.classes, strict=True):
        assert (its.x, its.o, its.states) == (p.x, p.o, p.states)
        assert (its.unfinished, its.loss_to_draw) == (p.unfinished, p.loss_to_draw)
        assert (its.loss_to_win, its.draw_to_win) == (p.loss_to_win, p.draw_to_win)
        assert (its.with_choice, its.only_blanks, its.only_own) == (b.positions, b.only_blanks, b.only_own)
        assert (its.blank_moves, its.blank_kept) == (b.blank_moves, b.blank_kept)
        assert (its.own_moves, its.own_kept) == (b.own_moves, b.own_kept)
        assert (its.drawn, its.moves, its.kept, its.single) == (d.drawn, d.moves, d.kept, d.single)
    returning = figures.returning
    assert found.returning_count == (returning.count if returning else 0)
    if returning and returning.count <= len(returning.positions):
        assert set(found.returning) <= set(returning.positions)
    marks = [its.position.mover_word.bit_count() for its in passing.examples]
    few = [its.position for its, count in zip(passing.examples, marks, strict=True) if count == min(marks)]
    assert set(found.better) == set(few)
    check_sequences(found, draws)


def check_sequences(found: Survey, draws: Draws) -> None:
    sequences, forced = found.sequences, draws.forced
    assert sequences is not None
    assert sum(sequences.by_plies) + sequences.endless == found.total("single")
    if forced is None:
        assert (sequences.by_plies, sequences.endless) == ((), 0)
        return
    assert len(sequences.by_plies) == forced.plies
    if len(forced.positions) < 24:
        assert set(sequences.longest) == set(forced.positions)
    assert (sequences.endless > 0) == (forced.repeating > 0)
    with open_prober(found.rules) as prober:
        for position in sequences.repeating[:3]:  # follow it, and come back to where one has been
            seen: set[int] = set()
            while (word := position.canonical().mover_word) not in seen:
                seen.add(word)
                [position] = [it for it, _ in position.successors() if prober.probe(it).value == "draw"]


@pytest.mark.exhaustive
def test_4x4() -> None:
    """The numbers of docs/results/quixo-questions.md."""
    device: Any = HostDevice()
    found = surveyed_on(device, Quixo(4))
    assert (found.total("better"), found.better_count) == (22, 5)
    assert (found.returning_count, found.total("single"), found.total("drawn")) == (2151, 674_624, 1_608_496)


def test_5x5() -> None:
    """What a survey of 5×5 found: the draws of all classes are those of the solution."""
    data = json.loads((RESULTS / "quixo-5x5-survey.json").read_text(encoding="utf-8"))
    solved = {(its.x, its.o): its for its in results(Quixo(5)).statistics.classes}
    classes = {(its["x"], its["o"]): its for its in data["classes"]}
    assert classes.keys() == solved.keys()
    for (x, o), its in classes.items():
        assert its["drawn"] == solved[x, o].draw
        assert its["states"] == solved[x, o].win + solved[x, o].draw + solved[x, o].loss
        assert its["draw_to_win"] == classes[o, x]["loss_to_draw"]  # the same boards, from the other side
    fields = ("loss_to_draw", "loss_to_win", "draw_to_win")
    assert data["better"] == sum(its[field] for its in data["classes"] for field in fields)
    single = sum(its["single"] for its in data["classes"])
    assert sum(data["sequences"]["by_plies"]) + data["sequences"]["endless"] == single


def test_few_marks_of_5x5_are_as_the_book_says() -> None:
    """The survey was run on a GPU; a study looks at the same positions in the book."""
    data = json.loads((RESULTS / "quixo-5x5-survey.json").read_text(encoding="utf-8"))
    classes = {(its["x"], its["o"]): its for its in data["classes"]}
    with open_prober(Quixo(5)) as prober:
        blanks = study_blanks(Scope(prober, most_marks=4))
    for b in blanks.classes:
        its = classes[b.x, b.o]
        assert (its["with_choice"], its["only_blanks"]) == (b.positions, b.only_blanks)
        assert (its["blank_moves"], its["blank_kept"]) == (b.blank_moves, b.blank_kept)
        assert (its["own_moves"], its["own_kept"]) == (b.own_moves, b.own_kept)
