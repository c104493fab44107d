"""The checker's own rules on boards of all shapes, and where positions are stored."""

import math
import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracle import quixo as oracle
from verify.quixo.small_tables import SMALL, THREE, solved

from inarow._native import verify_quixo as native
from inarow.verify.quixo.rules import Rules, planes_of
from inarow.verify.quixo.sample import derived

SHAPES = [(r, c) for r, c in product(range(2, 14), repeat=2) if r * c <= 26]
VARIANTS: list[Any] = [
    {"double_line": "wins"},
    {"double_line": "draws", "wrap": True},
    {"double_line": "loses", "misere": True, "diagonals": False},
]


def words_of(boards: list[str]) -> Any:
    return np.array([x << 32 | o for x, o in map(oracle.masks, boards)], np.uint64)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_lines_moves_and_ends_are_those_of_the_oracle(rows: int, columns: int) -> None:
    chance = random.Random(f"{rows} {columns}")
    for line, variant in product(range(2, max(rows, columns) + 1), VARIANTS):
        rules = Rules(rows, columns, line, **variant)
        runs = oracle.runs(rows, columns, line, rules.wrap, rules.diagonals)
        assert rules.game.lines == sorted(
            {sum(1 << rules.cells - 1 - place for place in run) for run in runs}
        )
        board = "".join(chance.choices("XO.", k=rules.cells))
        expected = oracle.terminal(board, rows, columns, line, **variant)
        (end,) = rules.game.ends(words_of([board])).tolist()
        values = {"win": native.WON, "loss": native.LOST, "draw": native.DRAW, None: native.NO_VALUE}
        assert end == values[expected]
    boards = ["".join(chance.choices("XO.", k=rules.cells)) for _ in range(10)]
    children, ends = rules.game.successors(words_of(boards))
    border = rows * columns - max(0, rows - 2) * max(0, columns - 2)
    assert len(set(rules.game.moves)) == len(rules.game.moves) == 4 * border - 2 * rows - 2 * columns
    for board, after in zip(boards, np.split(children, ends), strict=False):
        assert set(after.tolist()) == set(words_of(sorted(oracle.children(board, rows, columns))).tolist())


@pytest.mark.parametrize(
    "rules", [(6, 5, 3), (3, 3, 4), (3, 3, 1), (1, 5, 5), (2, 14, 3), (3, 9, 3), (-2, -2, 2)]
)
def test_rules_that_do_not_exist(rules: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no such board"):
        Rules(*rules, "loses")
    sides = rules[:2] if rules[0] != 3 else (2, 14)
    with pytest.raises(ValueError, match="at least 2 rows"):
        native.Game(*sides, [3], native.WON, native.LOST, native.WON)
    with pytest.raises(ValueError, match="not on the board"):
        native.Game(2, 2, [1 << 4], native.WON, native.LOST, native.WON)


@pytest.mark.parametrize(("rows", "columns"), [shape for shape in SHAPES if math.prod(shape) <= 12])
def test_every_position_has_a_place(rows: int, columns: int) -> None:
    """Places and positions are inverse to each other, in order, and orbits add up to all masks."""
    rules = Rules(rows, columns, 2, "loses")
    for a in range(rules.cells + 1):
        orbits = rules.game.orbits(a)
        assert int(orbits.astype(int).sum()) == math.comb(rules.cells, a)
        assert set((8 if rows == columns else 4) % np.unique(orbits)) == {0}
    for a, b in list(rules.pairs())[:: 1 if rules.cells <= 8 else 5]:
        count = rules.game.of_plane(a, b)
        indices = np.arange(0, count, max(1, count // 500), dtype=np.uint64)
        for plane in planes_of((a, b)):
            words = rules.game.positions(a, b, bool(plane), indices)
            larger_first = words << np.uint64(32) | words >> np.uint64(32) if plane else words
            assert np.all(np.diff(larger_first.astype(np.int64)) > 0)
            planes, found = rules.game.places(words)
            assert np.array_equal(found, indices)
            assert set(planes.tolist()) == {a << 6 | b << 1 | plane}


@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (3, 3)])
def test_images_are_stored_together(rows: int, columns: int) -> None:
    """Images, worked out by NumPy, have the same smallest one and are in the same block of a plane."""
    rules = Rules(rows, columns, 3, "loses")
    words = solved(rules).words
    planes, indices = rules.game.places(words)
    x, o = (
        words[:, None] >> (half + np.arange(rules.cells)).astype(np.uint64) & np.uint64(1) for half in (32, 0)
    )
    cells = np.arange(rules.cells).reshape(rows, columns)
    symmetries = [cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    for to in symmetries + [turned.T for turned in symmetries if rows == columns]:
        bits = np.uint64(1) << to.reshape(-1).astype(np.uint64)
        images = (x * bits).sum(axis=1) << np.uint64(32) | (o * bits).sum(axis=1)
        assert np.array_equal(rules.game.smallest(images), rules.game.smallest(words))
        planes_of_images, indices_of_images = rules.game.places(images)
        assert np.array_equal(planes_of_images, planes)
        ranks = np.array(
            [math.comb(rules.cells - (plane >> 6), plane >> 1 & 31) for plane in planes.tolist()]
        )
        assert np.array_equal(
            indices_of_images // ranks.astype(np.uint64), indices // ranks.astype(np.uint64)
        )


@pytest.mark.parametrize(
    ("rules", "a", "b"),
    [
        (Rules(3, 4, 3, "wins"), 4, 2),
        (Rules(4, 3, 3, "draws", misere=True), 6, 5),
        (Rules(5, 2, 2, "loses", wrap=True), 9, 1),
        pytest.param(Rules(2, 13, 2, "wins"), 2, 1, marks=pytest.mark.exhaustive),
        pytest.param(Rules(2, 13, 3, "draws", wrap=True), 13, 12, marks=pytest.mark.exhaustive),
    ],
    ids=str,
)
def test_children_are_those_of_the_rules(rules: Rules, a: int, b: int) -> None:
    """With random outcomes all around: what follows is what `successors` and `places` make of them."""
    game, chance = rules.game, np.random.default_rng(1)
    above = [(a + 1, b, 1), (a, b + 1, 0)] if a + b < rules.cells else []
    codes: dict[int, Any] = {
        x << 6 | y << 1 | plane: chance.integers(3, size=game.of_plane(x, y), dtype=np.uint8)
        for x, y, plane in [(a, b, 0), (a, b, 1), *above]
    }

    def values(words: Any) -> Any:
        planes, places = game.places(words)
        found = [codes[plane][place] for plane, place in zip(planes.tolist(), places, strict=True)]
        return np.array([native.LOST, native.DRAW, native.WON], np.uint32)[found]

    found = [native.Plane(entries) for entries in codes.values()]
    pair = native.Pair(game, a, b, found[:2], [*found[2:], None, None][:2], False)
    blocks = game.orbits(a).size
    some = min(blocks, -(-100 // (game.of_plane(a, b) // blocks)))  # blocks
    for plane in (0, 1):
        entries = codes[a << 6 | b << 1 | plane]
        count = some * (entries.size // blocks)
        words = game.positions(a, b, bool(plane), np.arange(count, dtype=np.uint64))
        expected = derived(game, words, values, has_plies=False)
        entries[:count] = np.searchsorted([native.DRAW, native.WON], expected, side="right")
        assert pair.check(plane, 0, some, 2) == (count, None)


@pytest.mark.parametrize("rules", [rules for rules in SMALL if rules.cells < 9 or rules == THREE], ids=str)
def test_values_are_those_of_the_oracle(rules: Rules) -> None:
    """By the checker's rules, as by those of the plain program; also by trying moves for a few plies."""
    table = solved(rules)
    expected = oracle.solve(rules.rows, rules.columns, rules.line, rules.double_line)
    words = np.array([x << 32 | o for x, o in expected], np.uint64)
    found = table.values[table.indices(words)]
    for entry, (value, plies) in zip(found.tolist(), expected.values(), strict=True):
        assert entry == (native.DRAW if plies is None else plies if value == "loss" else 65535 - plies)
    late = np.minimum(found, 65535 - found) <= 3
    assert np.array_equal(rules.game.forced(words, 3), np.where(late, found, native.NO_VALUE))


@pytest.mark.parametrize(("a", "b"), [(2, 3), (5, 5), (3, -1), (10, 0)])
def test_pairs_that_do_not_exist(a: int, b: int) -> None:
    with pytest.raises(ValueError, match="a pair has"):
        THREE.game.of_plane(a, b)
