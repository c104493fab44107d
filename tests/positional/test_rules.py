"""Positional games: lines, symmetries and play, against brute force and against themselves."""

import pickle
import random
from collections.abc import Callable
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.errors import NotationError
from inarow.positional.polyominoes import NAMES, Polyomino, orientations, placements, polyomino
from inarow.positional.rules import Game, Position
from inarow.symmetry import SymmetryKind, image

NAMED = [
    "qubic",
    "mnk:3x3x3",
    "mnk:4x4x3",
    "mnk:4x4x4",
    "mnk:5x3x3",
    "mnk:7x1x3",
    "polyomino:v-tromino:3",
    "polyomino:z-tetromino:3",
    "polyomino:x-pentomino:4",
    "polyomino:i-tetromino:4",
    "polyomino:snaky:7",
    "polyomino:.x/xx:4",
]
NOUGHTS = Game.named("mnk:3x3x3")


def mask_of(cells: list[int] | tuple[int, ...]) -> int:
    return sum(1 << cell for cell in cells)


# --- Lines ---


def test_qubic() -> None:
    game = Game.named("qubic")
    assert (game.cells, game.shape, game.maker_breaker, len(game.lines)) == (64, (4, 4, 4), False, 76)
    assert {line.bit_count() for line in game.lines} == {4}
    # Seven lines through each corner and each cell of the core, four through any other.
    through = [sum(line >> cell & 1 for line in game.lines) for cell in range(64)]
    assert sorted(through) == [4] * 48 + [7] * 16
    assert [through[cell] for cell in (0, 3, 12, 15, 48, 63, 21, 22, 42)] == [7] * 9
    for line in ([0, 1, 2, 3], [0, 16, 32, 48], [0, 21, 42, 63], [3, 6, 9, 12], [12, 25, 38, 51]):
        assert mask_of(line) in game.lines


@pytest.mark.parametrize(
    ("columns", "rows", "length"),
    [(3, 3, 3), (4, 4, 3), (4, 4, 4), (5, 3, 3), (3, 5, 4), (4, 3, 2), (6, 1, 4), (1, 5, 5), (5, 5, 4)],
)
def test_mnk_lines_against_brute_force(columns: int, rows: int, length: int) -> None:
    """The sets of cells that, in some order, go on by one and the same step to a neighbour."""
    straight = set()
    for chosen in combinations(range(columns * rows), length):
        places = [divmod(cell, columns) for cell in chosen]
        steps = {(r2 - r1, c2 - c1) for (r1, c1), (r2, c2) in pairwise(places)}
        if len(steps) == 1 and max(map(abs, *steps)) == 1:
            straight.add(mask_of(chosen))
    game = Game.named(f"mnk:{columns}x{rows}x{length}")
    assert game.lines == tuple(sorted(straight))
    assert (game.shape, game.maker_breaker) == ((1, rows, columns), False)


# --- Polyominoes ---


def free_polyominoes(size: int) -> set[Polyomino]:
    """One of each, grown cell by cell."""
    if size == 1:
        return {polyomino("x")}
    grown = set()
    for smaller in free_polyominoes(size - 1):
        for row, column in smaller:
            for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if cell not in smaller:
                    grown.add(orientations(smaller | {cell})[0])
    return grown


def test_counts_of_polyominoes() -> None:
    free = [free_polyominoes(size) for size in range(1, 7)]
    assert [len(shapes) for shapes in free] == [1, 1, 2, 5, 12, 35]
    assert [sum(len(orientations(shape)) for shape in shapes) for shapes in free] == [1, 2, 6, 19, 63, 216]
    for shape in set().union(*free):
        assert all(orientations(turned) == orientations(shape) for turned in orientations(shape))


def test_names_of_polyominoes() -> None:
    sizes = {"monomino": 1, "domino": 2, "tromino": 3, "tetromino": 4, "pentomino": 5}
    systematic = {name: polyomino(name) for name in NAMES if name.split("-")[-1] in sizes}
    assert all(len(shape) == sizes[name.split("-")[-1]] for name, shape in systematic.items())
    named = [orientations(shape)[0] for shape in systematic.values()]
    assert sorted(named, key=sorted) == sorted(set().union(*map(free_polyominoes, range(1, 6))), key=sorted)
    assert polyomino("snaky") == {(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (1, 4)}
    for nickname, name in {"fatty": "o", "skinny": "i", "elly": "l", "tippy": "z", "knobby": "t"}.items():
        assert polyomino(nickname) == polyomino(f"{name}-tetromino")
    assert polyomino("EL") == polyomino("V-Tromino")


@pytest.mark.parametrize(("name", "side"), [("v-tromino", 3), ("tippy", 3), ("elly", 4), ("t-tetromino", 4)])
def test_placements_against_brute_force(name: str, side: int) -> None:
    """Every set of cells that hang together in the shape's way, tested one by one."""
    shape = polyomino(name)
    wanted = set(orientations(shape))
    found = set()
    for chosen in combinations(range(side * side), len(shape)):
        places = [divmod(cell, side) for cell in chosen]
        top, left = min(row for row, _ in places), min(column for _, column in places)
        if frozenset((row - top, column - left) for row, column in places) in wanted:
            found.add(mask_of(chosen))
    game = Game.named(f"polyomino:{name}:{side}")
    assert set(game.lines) == found
    assert len(placements(shape, side, side)) == len(found)
    assert game.maker_breaker


# --- Names ---


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "must be qubic, mnk:WxHxK or polyomino:NAME:SIDE"),
        ("quixo", "must be qubic"),
        ("mnk:3x3", "form mnk:WxHxK"),
        ("mnk:-3x3x3", "form mnk:WxHxK"),
        ("mnk:3x4x5", "in a row must be 2 to 4, not 5"),
        ("mnk:0x4x3", "0 cells"),
        ("mnk:12x11x5", "132 cells"),
        ("mnk:99999x1x5", "form mnk:WxHxK"),
        ("polyomino:snaky:", "form polyomino:NAME:SIDE"),
        ("polyomino:snaky:4", "does not fit on a board of side 4"),
        ("polyomino:snaky:12", "144 cells"),
        ("polyomino:snake:9", "nor one of the names monomino"),
        ("polyomino::9", "a row of 0 cells"),
    ],
)
def test_names_that_name_nothing(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Game.named(name)


@pytest.mark.parametrize(
    ("read", "text", "column", "reason"),
    [
        (polyomino, "xx/x", 4, "a row of 1 cells after one of 2"),
        (polyomino, "x//x", 2, "a row of 0 cells"),
        (polyomino, "../..", 0, "at least one cell"),
        (polyomino, "x./.x", 4, "touches no cell"),
        (polyomino, "xx.x", 3, "touches no cell"),
        (NOUGHTS.parse, "x.X......", 2, "'X' is not a cell"),
        (NOUGHTS.parse, "x.../....", 9, "8 cells; the board has 9"),
        (NOUGHTS.parse, "x../.../....", 11, "too long; the board has 9 cells"),
        (NOUGHTS.parse, "", 0, "0 cells"),
        (NOUGHTS.parse, "xx./.../...", 0, "2 Xs and 0 Os"),
        (NOUGHTS.parse, "xxxooo...", 0, "both have a line"),
        (NOUGHTS.start().play, "", 0, "a move is the number of a cell"),
        (NOUGHTS.start().play, " c3", 1, "a move is the number of a cell"),
        (NOUGHTS.start().play, "-1", 0, "a move is the number of a cell"),
        (NOUGHTS.start().play, "٣", 0, "a move is the number of a cell"),
        (NOUGHTS.start().play, " 9", 1, "cell 9: the board has cells 0 to 8"),
        (NOUGHTS.start().play, "9" * 5000, 0, "cell 999999999: the board has cells 0 to 8"),
    ],
    ids=range(17),
)
def test_texts_that_mean_nothing(read: Callable[[str], object], text: str, column: int, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as error:
        read(text)
    assert error.value.column == column


def test_names_are_read_kindly() -> None:
    assert Game.named(" QUBIC ") == Game.named("qubic")
    assert Game.named("mnk:04X4x3").name == "mnk:4x4x3"
    assert Game.named("polyomino:XX/.X:4").name == "polyomino:xx/.x:4"
    assert Game.named("polyomino:xx/.x:4").lines == Game.named("polyomino:v-tromino:4").lines
    assert Game.named("polyomino:.../.x./...:2").lines == (1, 2, 4, 8)
    assert Game.named("qubic", maker_breaker=True).maker_breaker
    assert not Game.named("polyomino:el:3", maker_breaker=False).maker_breaker


def test_games_of_ones_own() -> None:
    game = Game("mine", 6, [0b110000, 0b000111, 0b110000, 0b111100], shape=(1, 2, 3))
    assert game.lines == (0b000111, 0b110000), "a line that holds another is dropped"
    assert Game("mine", 6, [1]).shape == (1, 1, 6)
    assert repr(Game("mine", 6, [1], maker_breaker=True)) == "<Game mine: 6 cells, 1 line, maker-breaker>"
    for cells, lines, shape, reason in [
        (0, [1], None, "must be 1 to 128"),
        (129, [1], None, "must be 1 to 128"),
        (4, [], None, "at least one"),
        (4, [0], None, "line 0x0"),
        (4, [16], None, "line 0x10"),
        (4, [-1], None, "line -0x1"),
        (4, [1], (1, 2, 3), "make 4 cells"),
        (4, [1], (1, -2, -2), "make 4 cells"),
    ]:
        with pytest.raises(ValueError, match=reason):
            Game("mine", cells, lines, shape=shape)


def test_games_in_words() -> None:
    assert str(Game.named("polyomino:el:3")) == "polyomino:el:3, 9 cells, 16 lines, maker-breaker"
    assert str(Game("one", 1, [1])) == "one, 1 cell, 1 line, maker-maker"


# --- Symmetries ---


@pytest.mark.parametrize(
    ("name", "geometric", "full"),
    [
        ("qubic", 48, 192),
        ("mnk:3x3x3", 8, 8),
        ("mnk:4x4x3", 8, 8),
        ("mnk:4x4x4", 8, 32),
        ("mnk:5x4x3", 4, 4),
        ("mnk:7x1x3", 2, 2),
        ("mnk:4x3x4", 4, 24**3 * 6),
        ("polyomino:i-tetromino:4", 8, 24 * 24 * 2),
        ("polyomino:snaky:9", 8, 8),
        ("polyomino:snaky:11", 8, 8),
        ("polyomino:.x/xx:4", 8, 8),
        # One line of five cells, and four idle corners that the square's eight symmetries move.
        ("polyomino:x-pentomino:3", 8, 120 * 8),
    ],
)
def test_numbers_of_symmetries(name: str, geometric: int, full: int) -> None:
    game = Game.named(name)
    assert game.symmetries("none") == (tuple(range(game.cells)),)
    assert len(set(game.symmetries("geometric"))) == geometric
    group = game.symmetries("full")
    members = set(group)
    assert len(members) == full
    assert group is game.symmetries("full"), "found once"
    assert group[0] == tuple(range(game.cells))
    assert set(game.symmetries("geometric")) <= members
    chance = random.Random(1)
    for first, second in (chance.choices(group, k=2) for _ in range(100)):
        assert tuple(second[cell] for cell in first) in members
        assert {image(line, first) for line in game.lines} == set(game.lines)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_full_symmetries_against_all_permutations(data: st.DataObject) -> None:
    cells = data.draw(st.integers(1, 6))
    lines = data.draw(st.sets(st.integers(1, (1 << cells) - 1), min_size=1, max_size=6))
    shapes = [(1, 1, cells)] + [(1, 2, cells // 2), (cells // 2, 1, 2)] * (cells % 2 == 0)
    game = Game("any", cells, lines, shape=data.draw(st.sampled_from(shapes)))
    kept = set(game.lines)
    automorphisms = {to for to in permutations(range(cells)) if {image(line, to) for line in kept} == kept}
    idle = [cell for cell in range(cells) if not any(line >> cell & 1 for line in game.lines)]
    geometric = set(game.symmetries("geometric"))
    ways = {tuple(to[cell] for cell in idle) for to in geometric}
    assert geometric <= automorphisms
    # Idle cells go as in some geometric symmetry, the others as they like.
    full = sorted(to for to in automorphisms if tuple(to[cell] for cell in idle) in ways)
    assert list(game.symmetries("full")) == full


def test_the_fano_plane() -> None:
    """All points and all lines alike: nothing for colours to tell apart."""
    triples = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
    assert len(Game("fano", 7, map(mask_of, triples)).symmetries("full")) == 168


@pytest.mark.parametrize("name", ["mnk:128x1x128", "mnk:5x3x5", "polyomino:monomino:11"])
def test_too_many_symmetries(name: str) -> None:
    game = Game.named(name)
    with pytest.raises(ValueError, match="more than 100,000 symmetries; use the geometric"):
        game.symmetries("full")
    assert len(game.symmetries("geometric")) in (2, 4, 8)
    with pytest.raises(ValueError, match="must be 'none', 'geometric' or 'full'"):
        game.symmetries("all")  # type: ignore[arg-type]


# --- Positions ---


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any position that play can lead to, over or not."""
    position = Game.named(draw(st.sampled_from(NAMED)), draw(st.booleans())).start()
    order = draw(st.permutations(range(position.rules.cells)))
    for cell in order[: draw(st.integers(0, position.rules.cells))]:
        if position.is_over:
            break
        position = position.play(cell)
    return position


@given(positions(), st.data())
def test_text_and_play(position: Position, data: st.DataObject) -> None:
    assert pickle.loads(pickle.dumps(position)) == position
    columns = position.rules.shape[2]
    rows = [position.text[start : start + columns] for start in range(0, position.rules.cells, columns)]
    for text in (position.text, "/".join(rows)):
        assert position.rules.parse(text) == position
    moves = position.legal_moves()
    assert (not moves) == position.is_over
    assert all(position.text[cell] == "." for cell in moves)
    if not moves:
        return
    assert len(moves) == position.text.count(".")
    cell = data.draw(st.sampled_from(moves))
    after = position.play(cell)
    assert after.text == position.text[:cell] + position.turn + position.text[cell + 1 :]
    assert after.turn != position.turn
    if after.rules.maker_breaker and after.winner == "o":
        assert not after.rules.wins(after.x | after.empty)
    elif after.winner is not None:
        assert after.winner == position.turn
        mover = after.x if position.turn == "x" else after.o
        assert any(line >> cell & 1 and mover & line == line for line in after.rules.lines)


@settings(deadline=None)
@given(positions(), st.sampled_from(["none", "geometric", "full"]), st.randoms())
def test_canonical_is_the_same_for_all_images(
    position: Position, kind: SymmetryKind, chance: random.Random
) -> None:
    canonical = position.canonical(kind)
    images = position.symmetries(kind)
    assert images[0] == position
    assert (canonical.x, canonical.o) == min((other.x, other.o) for other in images)
    other = chance.choice(images)
    assert other.canonical(kind) == canonical
    assert (other.turn, other.winner, other.is_over) == (position.turn, position.winner, position.is_over)


@pytest.mark.parametrize(
    ("maker_breaker", "text", "end"),
    [
        (False, "xxxoo....", ("x", "x has won", "loss", (0, 1, 2))),
        (False, "ooox.x.x.", ("o", "o has won", "loss", (0, 1, 2))),
        (False, "xxx/xoo/xoo", ("x", "x has won", "loss", (0, 1, 2, 3, 6))),
        (False, "xoxxoooxx", (None, "drawn", "draw", ())),
        (False, "xoxxooox.", (None, "x to move", None, ())),  # no line can be made any more
        (True, "xxxooo...", ("x", "x has won", "win", (0, 1, 2))),  # a line of O's counts for nothing
        (True, "oooxx.x..", (None, "x to move", None, ())),
        (True, "xoxooxx.o", ("o", "o has won", "loss", ())),  # every line has an o
        (True, "xoxxoooxx", ("o", "o has won", "win", ())),  # a full board without a line
    ],
)
def test_the_end_of_a_game(maker_breaker: bool, text: str, end: tuple[Any, ...]) -> None:
    """The winner, the status, the result and the winning cells."""
    position = Game.named("mnk:3x3x3", maker_breaker).parse(text)
    assert (position.winner, position.status, position.result, position.winning_cells) == end
    assert position.is_over == (position.result is not None) == (position.legal_moves() == ())


def test_positions_and_moves_that_cannot_be() -> None:
    for x, o, reason in [
        (1, 1, "a cell has one mark"),
        (0, 1, "0 Xs and 1 Os"),
        (512, 0, "the board has 9 cells"),
        (0, -1, "the board has 9 cells"),
    ]:
        with pytest.raises(ValueError, match=reason):
            Position(NOUGHTS, x, o)
    for text, cell, reason in [
        ("....x....", 4, "cell 4: already has an x"),
        ("....x....", -1, "cell -1: the board has cells 0 to 8"),
        ("....x....", 9, "cell 9: the board has cells 0 to 8"),
        ("xxxoo....", 8, "cell 8: the game is over, x has won"),
    ]:
        with pytest.raises(ValueError, match=reason):
            NOUGHTS.parse(text).play(cell)


def test_plain_text() -> None:
    position = Game.named("qubic").start().play(0).play(21).play(63)
    assert position.ascii() == (
        "x . . .    . . . .    . . . .    . . . .\n"
        ". . . .    . o . .    . . . .    . . . .\n"
        ". . . .    . . . .    . . . .    . . . .\n"
        ". . . .    . . . .    . . . .    . . . x\n"
        "o to move"
    )
    assert position.ascii(move=63).splitlines()[3].endswith(". . . X")
    assert position.ascii(move=3).startswith("x . . O  ")
    with pytest.raises(ValueError, match="cell 64"):
        position.ascii(move=64)
    numbered = Game.named("mnk:4x3x2").start().ascii(numbers=True)
    assert numbered.endswith("x to move\n\n 0  1  2  3\n 4  5  6  7\n 8  9 10 11")
    assert NOUGHTS.start().play(" 8 ") == NOUGHTS.start().play(8)
    assert repr(Game.named("mnk:2x2x2").start()) == "<Position mnk:2x2x2: ...., x to move>"
