"""Datasets: their rows are those of the table, in both forms of files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.errors import InarowError
from inarow.quixo.export import export
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.table import Table

RULES = Quixo(2, 4)  # has wins, losses and draws
VALUES = {1: "win", 0: "draw", -1: "loss"}
FORMS = ["parquet", "npz"]


@pytest.fixture(scope="module")
def table() -> Table:
    return table_in_memory(RULES)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of a file, those of moves as a list for each position, and its description."""
    if path.suffix == ".npz":
        with np.load(path) as data:
            columns = {name: data[name] for name in data.files}
        about = json.loads(str(columns.pop("about")))
        if "move_ends" in columns:
            cuts = columns.pop("move_ends")[:-1]
            for name in ("moves", "move_values", "move_plies"):
                columns[name] = [part.tolist() for part in np.split(columns[name], cuts)]
        return columns, about
    parquet = pytest.importorskip("pyarrow.parquet")
    found = parquet.read_table(path)
    about = json.loads(found.schema.metadata[b"inarow"])
    return {name: found[name].to_pylist() for name in found.column_names}, about


@pytest.mark.parametrize("form", FORMS)
def test_all_positions_with_their_moves(table: Table, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"all.{form}"
    if form == "parquet":
        pytest.importorskip("pyarrow")
    reports: list[tuple[int, int]] = []
    assert export(table, path, moves=True, progress=lambda *done: reports.append(done)) == 3**8
    assert reports[-1] == (3**8, 3**8)
    columns, about = read(path)
    assert (about["rows"], about["columns"], about["sample"]) == (2, 4, None)
    moves = [RULES.parse_move(text) for text in about["moves"]]
    assert tuple(moves) == RULES.moves
    assert len(set(map(int, columns["word"]))) == 3**8
    for row in range(0, 3**8, 97):
        position = RULES.from_word(int(columns["word"][row]))
        probe = table.probe(position)
        signs = {"x": 1, "o": -1, None: 0}
        assert list(columns["tiles"][row]) == [signs[position.mark_at(cell)] for cell in range(7, -1, -1)]
        assert (VALUES[int(columns["value"][row])], int(columns["plies"][row])) == (
            probe.value,
            -1 if probe.plies is None else probe.plies,
        )
        found = {
            (moves[move], VALUES[value], None if plies < 0 else plies)
            for move, value, plies in zip(
                *(columns[name][row] for name in ("moves", "move_values", "move_plies")), strict=True
            )
        }
        assert found == {(move.move, move.value, move.plies) for move in probe.moves}


@pytest.mark.parametrize("form", FORMS)
def test_samples(table: Table, tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    paths = [tmp_path / f"{name}.{form}" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        assert export(table, path, sample=200, seed=seed, value="draw", reachable=True) == 200
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes() != paths[2].read_bytes()
    columns, about = read(paths[0])
    expected = table.sample(200, 1, value="draw", reachable=True)
    assert list(map(int, columns["word"])) == expected.words.tolist()
    assert (about["sample"], about["seed"], about["value"], about["reachable"]) == (200, 1, "draw", True)
    assert set(columns) == {"word", "tiles", "value", "plies"}


def test_nothing_is_left_of_an_interrupted_export(table: Table, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"before")

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(table, tmp_path / "a.npz", progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    assert (tmp_path / "a.npz").read_bytes() == b"before"


def test_without_pyarrow(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InarowError, match=r"pip install 'inarow\[parquet\]'"):
        export(table, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_other_names(table: Table, tmp_path: Path) -> None:
    with pytest.raises(InarowError, match=r"must end in \.parquet or \.npz"):
        export(table, tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError):
        export(table, tmp_path / "nowhere" / "a.npz")
