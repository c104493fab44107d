"""Games on boards of all shapes: what ships is what solving gives, and what a plain solver gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from oracle import quixo as plain

from inarow.errors import DamagedFile
from inarow.quixo.results import results
from inarow.quixo.rules import Quixo, shapes
from inarow.quixo.study.shapes import (
    ShapeResult,
    games,
    kept_shapes,
    read_shapes,
    study_shape,
    write_shapes,
)

KEPT = {result.rules: result for result in kept_shapes()}


def test_every_game_is_there_once() -> None:
    every = list(games())
    assert len(every) == len(set(every))
    assert {(its.rows, its.columns) for its in every} == {(r, c) for r, c in shapes() if r <= c}
    assert set(KEPT) <= set(every)
    assert set(games(16)) <= set(KEPT)


def test_counts_are_of_all_positions() -> None:
    for result in KEPT.values():
        assert result.win + result.draw + result.loss == 3**result.rules.cells
        assert result.start.value == "draw" or result.start.plies is not None
        assert (result.reachable is None) == (result.rules.cells > 16)
        if result.rules.cells <= 16:
            assert result.proven


@pytest.mark.parametrize("rules", list(games(8)), ids=lambda rules: rules.name)
def test_a_plain_solver_agrees(rules: Quixo) -> None:
    args = rules.rows, rules.columns, rules.line, rules.double_line
    values = plain.solve(*args)
    plies: dict[str, list[int]] = {"win": [], "draw": [], "loss": []}
    for value, took in values.values():
        plies[value].append(took or 0)
    expected = {
        **rules.to_json(),
        "value": values[0, 0][0],
        "plies": values[0, 0][1],
        **{value: len(those) for value, those in plies.items()},
        "longest_win": max(plies["win"]),
        "longest_loss": max(plies["loss"]),
        "reachable": len(plain.reachable(*args)),
        "proven": True,
        "sampled": 0,
    }
    assert KEPT[rules].to_json() == expected
    assert replace(study_shape(rules), proven=True) == KEPT[rules]


def test_results_of_5x5_are_those_of_the_whole_tables() -> None:
    for line in (3, 4, 5):
        for double_line in ("loses", "wins"):
            rules = Quixo(5, 5, line, double_line)
            proven = KEPT[rules].proven
            assert replace(ShapeResult.of(results(rules), None), proven=proven) == KEPT[rules]


def test_results_are_read_again(tmp_path: Path) -> None:
    some = list(KEPT.values())[:5]
    write_shapes(tmp_path / "some.json", some)
    assert list(read_shapes(tmp_path / "some.json")) == some


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no results"),
        ("{", "no results"),
        ('{"rows": 2}', "no 'games'"),
        ('{"games": [{}]}', "no 'value'"),
    ],
)
def test_other_files_are_recognised(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(DamagedFile, match=message):
        read_shapes(tmp_path / "other.json")
