"""Positions by the thousand: classes, samples, moves, canonical images, texts, and worker processes."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import quixo as oracle
from quixo.boards import words_of
from quixo.entries import as_numbers
from quixo.forms import Forms

import inarow
from inarow.errors import InarowError, MissingTable, NotationError
from inarow.quixo.arrays import Positions
from inarow.quixo.export import export
from inarow.quixo.reachable import reachable_many
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.table import Table

RULES = Quixo(3)
STATES = oracle.solve(3, 3, 3, "loses")
EXPECTED = dict(zip([x << 32 | o for x, o in STATES], as_numbers(STATES), strict=True))
VALUES = {"win": 1, "draw": 0, "loss": -1}


def expected(words: NDArray[np.uint64]) -> list[tuple[int, int]]:
    return [EXPECTED[word] for word in words.tolist()]


@pytest.fixture(scope="session")
def table(three: Forms) -> Table:
    return three.compact


# --- Positions of a class ---


def test_classes_have_all_positions_in_the_order_of_their_numbers(table: Table) -> None:
    seen: list[int] = []
    for x in range(RULES.cells + 1):
        for o in range(RULES.cells + 1 - x):
            words, values, plies = table.positions(x, o)
            assert [words.dtype.str, values.dtype.str, plies.dtype.str] == ["<u8", "|i1", "<i4"]
            assert list(zip(values.tolist(), plies.tolist(), strict=True)) == expected(words)
            assert words.tolist() == words_of(RULES, x, o)
            counts = table.statistics[x, o]
            assert [int((values == value).sum()) for value in (1, -1, 0)] == [
                counts.win,
                counts.loss,
                counts.draw,
            ]
            seen += words.tolist()
    assert len(set(seen)) == len(seen) == len(EXPECTED)


def test_a_class_in_parts(table: Table) -> None:
    whole = table.positions(3, 2)
    parts = [table.positions(3, 2, first, 7) for first in range(0, 1260, 7)]
    joined = Positions.joined(parts)
    assert np.array_equal(whole.words, joined.words)
    assert np.array_equal(whole.values, joined.values)
    assert np.array_equal(whole.plies, joined.plies)
    assert table.positions(3, 2, first=1260).words.size == 0


@pytest.mark.parametrize("wrong", [(-1, 0), (5, 5), (3, 2, -1), (3, 2, 1261), (3, 2, 0, 1261), (3, 2, 5, -1)])
def test_no_such_positions(table: Table, wrong: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"class of \d|first|class of -1"):
        table.positions(*wrong)


def test_a_class_that_is_too_large_for_memory(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.quixo.table.table._MOST", 1000)
    with pytest.raises(
        ValueError, match="1,260 positions: take at most 1,000 at a time, with first and count"
    ):
        table.positions(3, 2)
    assert table.positions(3, 2, count=1000).words.size == 1000


def test_a_class_that_is_not_there(tmp_path: Path) -> None:
    inarow.solve(RULES, tmp_path / "t", stop_at=7)
    with inarow.open_table(tmp_path / "t") as part:
        assert part.positions(4, 3).words.size == 1260
        with pytest.raises(MissingTable):
            part.positions(3, 3)
        assert set(map(int.bit_count, part.sample(500, 1).words.tolist())) == {7, 8, 9}


# --- Samples ---


def test_samples_are_right_and_the_same_for_a_seed(table: Table) -> None:
    found = table.sample(1000, seed=7)
    assert list(zip(found.values.tolist(), found.plies.tolist(), strict=True)) == expected(found.words)
    fewer, other = table.sample(10, seed=7), table.sample(10, seed=8)
    assert np.array_equal(fewer.words, found.words[:10])
    assert not np.array_equal(other.words, fewer.words)
    assert table.sample(0).words.size == 0
    # The same on every machine and in every version.
    assert table.sample(4, seed=2**64 - 1).words.tolist() == GOLDEN


GOLDEN = [8589935096, 352187318312, 382252089602, 214748365261]


@pytest.mark.parametrize("such", ["any", "reachable", "win", "loss", "draw", "reachable loss"])
def test_samples_are_uniform(such: str) -> None:
    """Each of the positions asked for comes about as often, and no other does."""
    rules = Quixo(2, 3)
    table = table_in_memory(rules)
    value = such.removeprefix("reachable").strip() or None
    every = np.concatenate([table.positions(x, o).words for x in range(7) for o in range(7 - x)])
    allowed = np.ones(every.size, bool)
    if "reachable" in such:
        allowed &= reachable_many(rules, every)
    if value not in (None, "any"):
        allowed &= table.probe_many(every)[0] == VALUES[value]
    draws = 400 * int(allowed.sum())
    found = table.sample(
        draws,
        seed=3,
        reachable="reachable" in such,
        value=None if value == "any" else value,  # type: ignore[arg-type]
    )
    words, counts = np.unique(found.words, return_counts=True)
    assert set(words.tolist()) == set(every[allowed].tolist())
    # Of a few hundred counts around 400 none is off by six standard deviations.
    assert 400 - 6 * 20 < counts.min() <= counts.max() < 400 + 6 * 20


def test_rare_positions() -> None:
    table = table_in_memory(Quixo(3, 4, 3))  # 124 draws among 531,441 positions
    found = table.sample(2000, seed=1, value="draw")
    assert found.words.size == 2000
    assert not found.values.any()
    assert len(set(found.words.tolist())) == 124
    with pytest.raises(ValueError, match="no such position"):
        table_in_memory(RULES).sample(1, value="draw")


def test_what_cannot_be_sampled(table: Table) -> None:
    for n, seed, value in ((-1, 0, None), (1, -1, None), (1, 1 << 64, None), (1, 0, "best")):
        with pytest.raises(ValueError, match="must"):
            table.sample(n, seed, value=value)  # type: ignore[arg-type]
    with pytest.raises(InarowError, match="16 cells"):
        reachable_many(Quixo(5), [0])


@pytest.mark.parametrize("rules", [Quixo(3), Quixo(2, 4, 3)], ids=lambda rules: rules.name)
def test_reachable_positions_are_those_of_the_oracle(rules: Quixo) -> None:
    every = np.concatenate([found.words for found in table_in_memory(rules).all_positions()])
    reached = every[reachable_many(rules, every)].tolist()
    expected = oracle.reachable(rules.rows, rules.columns, rules.line, rules.double_line)
    assert set(reached) == {x << 32 | o for x, o in expected}


# --- Moves, images and texts ---

boards = st.sampled_from([Quixo(3), Quixo(2, 4), Quixo(4, 4, 3, "wins"), Quixo(3, 5), Quixo(5), Quixo(12, 2)])


@st.composite
def positions(draw: st.DrawFn) -> tuple[Quixo, list[int]]:
    rules = draw(boards)
    tiles = st.lists(st.sampled_from("xo."), min_size=rules.cells, max_size=rules.cells)
    words = []
    for cells in draw(st.lists(tiles, max_size=5)):
        x, o = (sum(1 << cell for cell, tile in enumerate(cells) if tile == mark) for mark in "xo")
        words.append(x << 32 | o)
    return rules, words


@given(positions())
def test_moves_and_images_are_those_of_each_position(given: tuple[Quixo, list[int]]) -> None:
    rules, words = given
    found = inarow.moves_many(rules, words)
    assert (found.offsets[0], found.offsets[-1]) == (0, found.moves.size) == (0, found.words.size)
    for nth, word in enumerate(words):
        position = rules.from_word(word)
        its = slice(*found.offsets[nth : nth + 2].tolist())
        assert [rules.moves[number] for number in found.moves[its]] == list(position.legal_moves())
        after = [position.play(move).mover_word for move in position.legal_moves()]
        assert found.words[its].tolist() == after
    canonical = [rules.from_word(word).canonical().mover_word for word in words]
    assert inarow.canonical_many(rules, words).tolist() == canonical
    signs = {"x": 1, "o": -1, ".": 0}
    texts = (rules.from_word(word).text for word in words)
    tiles = [[signs[tile] for tile in text[:-2].replace("/", "")] for text in texts]
    assert inarow.tiles_many(rules, words).tolist() == tiles


@given(positions())
def test_texts_are_those_of_each_position(given: tuple[Quixo, list[int]]) -> None:
    rules, words = given
    as_x = [rules.from_word(word) for word in words]
    both = [*as_x, *(position.swap() for position in as_x)]
    assert inarow.parse_many(rules, [position.text for position in both]).tolist() == words * 2
    assert inarow.parse_many(rules, (position.url_text.upper() for position in both)).tolist() == words * 2


def test_arrays_keep_their_shape() -> None:
    words = np.arange(6, dtype=np.uint64).reshape(2, 3)
    assert inarow.canonical_many(RULES, words).shape == (2, 3)
    assert reachable_many(RULES, words).shape == (2, 3)
    assert inarow.moves_many(RULES, []).offsets.tolist() == [0]
    assert inarow.parse_many(RULES, np.array(["x../.../... o"])).tolist() == [1 << 8]


@pytest.mark.parametrize("text", ["", "x", "x../... x", ".../.../.é. x", ".../.../... x\n", "\ud800"])
def test_texts_that_are_wrong(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        inarow.parse_many(RULES, [".../.../... x", text])
    assert caught.value.text == text
    assert caught.value.__notes__ == ["That was text 1, counted from 0."]


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match="text 0 is no text: 5"):
        inarow.parse_many(RULES, [5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not a single one"):
        inarow.parse_many(RULES, ".../.../... x")


@pytest.mark.parametrize("word", [1 << 9, 1 << 41, 1 << 32 | 1])
def test_words_that_are_no_positions(word: int) -> None:
    for function in (inarow.moves_many, inarow.canonical_many, reachable_many):
        with pytest.raises(ValueError, match=f"word 1 .0x{word:016x}. is not a position"):
            function(RULES, [0, word])
        with pytest.raises(TypeError, match="64 bits"):
            function(RULES, [0.5])


# --- Statistics ---


def test_statistics_of_a_class(table: Table) -> None:
    counts = table.statistics[1, 2]
    assert (counts.x, counts.o, counts.win + counts.loss + counts.draw) == (1, 2, 252)
    assert repr(counts) == "<ClassCounts x=1 o=2: 92 wins, 160 losses, 0 draws, up to 8 plies>"
    assert len(repr(table.statistics)) < 100
    with pytest.raises(KeyError):
        table.statistics[5, 5]
    assert repr(counts.without_plies()) == "<ClassCounts x=1 o=2: 92 wins, 160 losses, 0 draws>"


# --- Other processes ---


@pytest.mark.parametrize("form", ["folder", "memory"])
def test_tables_can_be_sent(three: Forms, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(three.folder / "compact", tmp_path / "copy")
    monkeypatch.chdir(tmp_path)
    with table_in_memory(RULES) if form == "memory" else inarow.open_table(Path("copy")) as table:
        found = table.sample(100, 1)
        monkeypatch.chdir("/")
        with pickle.loads(pickle.dumps(table)) as again:
            assert again.rules == RULES
            assert np.array_equal(again.sample(100, 1).plies, found.plies)
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(table)


# --- Datasets ---


WIDE = Quixo(2, 4)  # has wins, losses and draws
NAMES = {1: "win", 0: "draw", -1: "loss"}
FORMS = ["parquet", "npz"]


@pytest.fixture(scope="module")
def wide() -> Table:
    return table_in_memory(WIDE)


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
def test_all_positions_with_their_moves(wide: Table, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"all.{form}"
    if form == "parquet":
        pytest.importorskip("pyarrow")
    reports: list[tuple[int, int]] = []
    assert export(wide, path, moves=True, progress=lambda *done: reports.append(done)) == 3**8
    assert reports[-1] == (3**8, 3**8)
    columns, about = read(path)
    assert (about["rows"], about["columns"], about["sample"]) == (2, 4, None)
    moves = [WIDE.parse_move(text) for text in about["moves"]]
    assert tuple(moves) == WIDE.moves
    assert len(set(map(int, columns["word"]))) == 3**8
    for row in range(0, 3**8, 97):
        position = WIDE.from_word(int(columns["word"][row]))
        probe = wide.probe(position)
        signs = {"x": 1, "o": -1, None: 0}
        assert list(columns["tiles"][row]) == [signs[position.mark_at(cell)] for cell in range(7, -1, -1)]
        assert (NAMES[int(columns["value"][row])], int(columns["plies"][row])) == (
            probe.value,
            -1 if probe.plies is None else probe.plies,
        )
        found = {
            (moves[move], NAMES[value], None if plies < 0 else plies)
            for move, value, plies in zip(
                *(columns[name][row] for name in ("moves", "move_values", "move_plies")), strict=True
            )
        }
        assert found == {(move.move, move.value, move.plies) for move in probe.moves}


@pytest.mark.parametrize("form", FORMS)
def test_samples(wide: Table, tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    paths = [tmp_path / f"{name}.{form}" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        assert export(wide, path, sample=200, seed=seed, value="draw", reachable=True) == 200
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes() != paths[2].read_bytes()
    columns, about = read(paths[0])
    expected = wide.sample(200, 1, value="draw", reachable=True)
    assert list(map(int, columns["word"])) == expected.words.tolist()
    assert (about["sample"], about["seed"], about["value"], about["reachable"]) == (200, 1, "draw", True)
    assert set(columns) == {"word", "tiles", "value", "plies"}


def test_nothing_is_left_of_an_interrupted_export(wide: Table, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"before")

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(wide, tmp_path / "a.npz", progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    assert (tmp_path / "a.npz").read_bytes() == b"before"


def test_without_pyarrow(wide: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InarowError, match=r"pip install 'inarow\[parquet\]'"):
        export(wide, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_other_names(wide: Table, tmp_path: Path) -> None:
    with pytest.raises(InarowError, match=r"must end in \.parquet or \.npz"):
        export(wide, tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError):
        export(wide, tmp_path / "nowhere" / "a.npz")
