"""The checker's own rules on boards of all shapes."""

import math

import numpy as np
import pytest
from oracle import quixo as oracle
from verify.quixo.small_tables import SMALL, solved

from inarow._native import verify_quixo as native
from inarow.verify.quixo.rules import Rules, planes_of

SHAPES = [(r, c) for r in range(2, 13) for c in range(2, 13) if r * c <= 25]


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_moves_and_lines_of_a_shape(rows: int, columns: int) -> None:
    """Counted by formulas: a tile can go to the ends of its row and column, except where it is itself."""
    for line in range(2, max(rows, columns) + 1):
        game = native.Game(rows, columns, line, "loses")
        border = rows * columns - max(0, rows - 2) * max(0, columns - 2)
        assert len(game.moves) == len(set(game.moves)) == 4 * border - 2 * rows - 2 * columns <= 68
        across, up = max(0, columns - line + 1), max(0, rows - line + 1)
        assert len(game.lines) == len(set(game.lines)) == rows * across + columns * up + 2 * across * up <= 72
        assert all(mask.bit_count() == line for mask in game.lines)


@pytest.mark.parametrize(
    "rules", [(6, 5, 3), (3, 3, 4), (3, 3, 1), (1, 5, 5), (2, 13, 3), (13, 2, 3), (5, 6, 3), (-2, -2, 2)]
)
def test_rules_that_do_not_exist(rules: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"at (least|most)"):
        native.Game(*rules, "loses")
    with pytest.raises(ValueError, match="no such board"):
        Rules(*rules, "loses")


def test_a_move_pushes_its_row() -> None:
    """On 2×3, x takes an empty tile, or its own, and pushes it in at an end of the row or column."""
    rules = Rules(2, 3, 3, "loses")
    x, o = 0b100100, 0b010001
    words, ends = rules.game.successors(np.array([x << 32 | o], np.uint64))
    assert int(ends[-1]) == len(words)
    # After a move the other side is to move: swap the marks to read them as before.
    texts = [rules.position_text((int(word) & 0xFFFFFFFF) << 32 | int(word) >> 32) for word in words]
    assert rules.position_text(x << 32 | o) == "xo./x.o x"
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
    largest = 8 if rows == columns else 4
    for a in range(rules.cells + 1):
        orbits = rules.game.orbits(a)
        assert int(orbits.astype(int).sum()) == math.comb(rules.cells, a)
        assert all(largest % int(orbit) == 0 for orbit in np.unique(orbits))
    for a, b in list(rules.pairs())[:: 1 if rules.cells <= 8 else 5]:
        count = rules.game.of_plane(a, b)
        indices = np.arange(0, count, max(1, count // 500), dtype=np.uint64)
        for plane in planes_of((a, b)):
            planes, found = rules.game.places(rules.game.positions(a, b, bool(plane), indices))
            assert np.array_equal(found, indices)
            assert set(planes.tolist()) == {a << 6 | b << 1 | plane}


def test_a_board_and_its_transpose_have_the_same_values() -> None:
    one, other = solved(Rules(2, 4, 3, "wins")), solved(Rules(4, 2, 3, "wins"))
    turned = np.zeros_like(one.words)
    for row, column, half in np.ndindex(2, 4, 2):
        bit = one.words >> np.uint64(32 * half + row * 4 + column) & np.uint64(1)
        turned |= bit << np.uint64(32 * half + column * 2 + row)
    assert np.array_equal(other.values[other.indices(turned)], one.values)


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_values_are_those_of_the_oracle(rules: Rules) -> None:
    """By the checker's rules, as by those of the plain program."""
    table = solved(rules)
    expected = oracle.solve(rules.rows, rules.columns, rules.line, rules.double_line)
    found = table.values[table.indices(np.array([x << 32 | o for x, o in expected], np.uint64))]
    for entry, (value, plies) in zip(found.tolist(), expected.values(), strict=True):
        assert entry == (native.DRAW if plies is None else plies if value == "loss" else 65535 - plies)
