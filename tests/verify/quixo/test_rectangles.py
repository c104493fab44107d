"""The checker's own rules on boards of all shapes, and tables of them in all forms."""

import math
import shutil
import tarfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from oracle import quixo as oracle
from verify.quixo.small_tables import Form, SmallTable, write_table

from inarow import DamagedFile, Quixo, solve
from inarow._native import verify_quixo as native
from inarow.quixo.table.convert import convert
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import verify_table

SHAPES = [(r, c) for r in range(2, 13) for c in range(2, 13) if r * c <= 25]
SMALL = [
    Rules(rows, columns, line, double_line)
    for rows, columns in SHAPES
    if rows * columns <= 9
    for line in range(2, max(rows, columns) + 1)
    for double_line in ("loses", "wins")
]
FORMS = {
    "plain": Form(),
    "compact": Form(compact=True),
    "outcomes": Form(compact=True, plies=False),
}


@cache
def solved(rules: Rules) -> SmallTable:
    return SmallTable(rules)


def cell(rules: Rules, row: int, column: int) -> int:
    """A bit by its row from the bottom and its column from the right."""
    return 1 << (row * rules.columns + column)


# --- Rules ---


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_moves_and_lines_of_a_shape(rows: int, columns: int) -> None:
    """Counted by formulas: a tile can go to the ends of its row and column, except where it is itself."""
    for line in range(2, max(rows, columns) + 1):
        game = native.Game(rows, columns, line, False)
        border = rows * columns - max(0, rows - 2) * max(0, columns - 2)
        assert game.move_count == 4 * border - 2 * rows - 2 * columns
        across, up = max(0, columns - line + 1), max(0, rows - line + 1)
        assert len(game.lines) == len(set(game.lines)) == rows * across + columns * up + 2 * across * up
        assert all(mask.bit_count() == line for mask in game.lines)


@pytest.mark.parametrize(
    ("rules", "moves", "lines"),
    [
        (Rules(2, 12, 12, "loses"), 68, 2),
        (Rules(5, 5, 2, "loses"), 44, 72),
        (Rules(12, 2, 2, "loses"), 68, 56),
    ],
)
def test_the_largest_numbers(rules: Rules, moves: int, lines: int) -> None:
    assert (rules.game.move_count, len(rules.game.lines)) == (moves, lines)


def test_a_move_pushes_its_row() -> None:
    """On 2×3, x takes an empty tile, or its own, and pushes it in at an end of the row or column."""
    rules = Rules(2, 3, 3, "loses")
    x = cell(rules, 1, 2) | cell(rules, 0, 2)  # the left column
    o = cell(rules, 1, 1) | cell(rules, 0, 0)
    words, ends = rules.game.successors(np.array([x << 32 | o], np.uint64))
    assert int(ends[-1]) == len(words)
    # After a move the other side is to move: swap the marks to read them as before.
    texts = [rules.position_text(int(word) & 0xFFFFFFFF, int(word) >> 32) for word in words]
    assert rules.position_text(x, o) == "xo./x.o x"
    assert sorted(texts) == sorted(
        [
            "o.x/x.o x",  # the upper left tile to the right end
            "xo./x.o x",  # and down: the column is x twice, so nothing changes
            "xxo/x.o x",  # the upper right tile to the left end
            "xoo/x.x x",  # and down
            "xo./.ox x",  # the lower left tile to the right end
            "xo./x.o x",  # and up
            "xo./xxo x",  # the middle of the lower row to the left end
            "xo./xox x",  # to the right end
            "xx./xoo x",  # and up
        ]
    )


@pytest.mark.parametrize(("rows", "columns"), [shape for shape in SHAPES if math.prod(shape) <= 12])
def test_every_position_has_a_place(rows: int, columns: int) -> None:
    """Places and positions are inverse to each other, and orbits add up to all masks."""
    rules = Rules(rows, columns, 2, "loses")
    game = rules.game
    largest = 8 if rows == columns else 4
    for a in range(rules.cells + 1):
        orbits = game.orbits(a)
        assert int(orbits.astype(int).sum()) == math.comb(rules.cells, a)
        assert all(largest % int(orbit) == 0 for orbit in np.unique(orbits))
    for a, b in list(rules.pairs())[:: 1 if rules.cells <= 8 else 5]:
        planes = 1 if a == b else 2
        count = game.entry_count(a, b) // planes
        indices = np.arange(0, count, max(1, count // 500), dtype=np.uint64)
        for plane in range(planes):
            words = game.positions(a, b, bool(plane), indices)
            places, found = game.places(words)
            assert np.array_equal(found, indices)
            assert set(places.tolist()) == {a << 6 | b << 1 | plane}


def test_a_board_and_its_transpose_have_the_same_values() -> None:
    one, other = solved(Rules(2, 4, 3, "wins")), solved(Rules(4, 2, 3, "wins"))
    turned = np.zeros_like(one.words)
    for row in range(2):
        for column in range(4):
            for half in (0, 32):
                bit = one.words >> np.uint64(half + row * 4 + column) & np.uint64(1)
                turned |= bit << np.uint64(half + column * 2 + row)
    assert np.array_equal(other.values[other.indices(turned)], one.values)


@pytest.mark.parametrize("rules", [rules for rules in SMALL if rules.cells <= 8], ids=str)
def test_values_are_those_of_the_oracle(rules: Rules) -> None:
    """By the checker's rules, as by those of the plain program."""
    table = solved(rules)
    expected = oracle.solve(rules.rows, rules.columns, rules.line, rules.double_line)
    found = table.values[table.indices(np.array([x << 32 | o for x, o in expected], np.uint64))]
    for entry, (value, plies) in zip(found.tolist(), expected.values(), strict=True):
        assert entry == (native.DRAW if plies is None else plies if value == "loss" else 65535 - plies)


# --- Tables ---


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_tables_of_all_shapes_are_proven(rules: Rules, tmp_path: Path) -> None:
    table = solved(rules)
    for name, form in FORMS.items():
        folder = write_table(tmp_path / name, rules, table, table.values, form)
        report = verify_table(folder, threads=1)
        assert (report.verdict, report.rules, report.positions) == ("proven", rules, 3**rules.cells)
        assert report.method == ("derivation" if name == "outcomes" else "plies")
        assert verify_sample(folder, 200, seed=2).verdict == "consistent"


@pytest.mark.parametrize("name", FORMS)
def test_a_changed_entry_is_found(name: str, tmp_path: Path) -> None:
    """Every other entry of 2×3 by itself, under right checksums and with right counts."""
    rules = Rules(2, 3, 3, "loses")
    table = solved(rules)
    for index in range(0, table.values.size, 2):
        values = table.values.copy()
        others = {0, 2, native.DRAW, 65535, 65534} - {int(values[index])}
        if name == "outcomes":
            others = {other for other in others if (other < native.DRAW) != (values[index] < native.DRAW)}
        values[index] = sorted(others)[index % len(others)]
        # In the compact form only losses have plies.
        if name == "compact" and min(values[index], table.values[index]) > native.DRAW:
            continue
        folder = write_table(tmp_path / str(index), rules, table, values, FORMS[name])
        assert verify_table(folder, threads=1).verdict == "wrong"


TRIED = [
    *(rules for rules in SMALL if rules.cells < 9),
    Rules(3, 3, 2, "wins"),
    Rules(2, 5, 4, "loses"),
    Rules(5, 2, 3, "wins"),
    Rules(2, 6, 4, "wins"),
    Rules(3, 4, 4, "loses"),
    Rules(4, 3, 3, "wins"),
]


@pytest.mark.parametrize("rules", TRIED, ids=str)
def test_tables_of_the_solver_are_proven(rules: Rules, tmp_path: Path) -> None:
    """In both forms, with and without plies, by both engines of the CPU, and as far as one is solved."""
    game = Quixo.from_json(rules.to_json())
    solve(game, tmp_path / "plain", threads=1)
    convert(tmp_path / "plain", tmp_path / "compact")
    solve(game, tmp_path / "outcomes", outcomes_only=True, threads=1)
    for name in FORMS:
        report = verify_table(tmp_path / name, threads=1)
        assert (report.verdict, report.rules, report.positions) == ("proven", rules, 3**rules.cells)
        assert report.method == ("derivation" if name == "outcomes" else "plies")
    solve(game, tmp_path / "part", stop_at=3, threads=1)
    report = verify_table(tmp_path / "part", threads=1)
    assert (report.verdict, report.is_complete) == ("proven", False)


@pytest.mark.parametrize("form", ["plain", "compact", "outcomes"])
def test_tables_that_version_0_1_made(form: str, tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).parents[2] / "quixo" / "data" / "tables-0.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    report = verify_table(tmp_path / form, threads=1)
    assert (report.verdict, report.rules) == ("proven", Rules(3, 3, 3, "loses"))
    # Their records have another version, and are not read.
    shutil.copy(tmp_path / form / "manifest.json", tmp_path / form / "verified.json")
    assert verify_table(tmp_path / form, threads=1, resume=True).remembered == 0


def test_a_square_table_of_version_0_1(tmp_path: Path) -> None:
    """It has a size in the manifest and no columns in its headers."""
    rules = Rules(3, 3, 3, "loses")
    table = solved(rules)
    for name, form in (("plain", Form(old=True)), ("compact", Form(compact=True, old=True))):
        report = verify_table(write_table(tmp_path / name, rules, table, table.values, form), threads=1)
        assert (report.verdict, report.rules) == ("proven", rules)


@pytest.mark.parametrize("compact", [False, True])
def test_a_rectangle_needs_its_columns(tmp_path: Path, compact: bool) -> None:
    rules = Rules(2, 3, 3, "loses")
    table = solved(rules)
    turned = Form(compact=compact, change=lambda manifest: manifest["rules"].update(rows=3, columns=2))
    with pytest.raises(DamagedFile, match="rows in the header is 2, expected 3"):
        verify_table(write_table(tmp_path / "turned", rules, table, table.values, turned))
    folder = write_table(tmp_path / "square", rules, table, table.values, Form(compact=compact))
    for file in folder.glob("pair-*"):
        content = bytearray(file.read_bytes())
        content[17] = 0  # as many as rows
        file.write_bytes(content)
    with pytest.raises(DamagedFile, match="columns in the header is 2, expected 3"):
        verify_table(folder)
