"""Compression against brute force on small dictionaries, and the proven optima of published ones."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import get_args

import pytest
from golden.dictionaries import SECOND_MOVES, THREE_OF_FOUR
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.compression import fewest_lines, least

from inarow.positional.dictionary.compress import Answers, Compression, Method, compress
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.verify.positional.dictionary import verify_dictionary

Numbers = tuple[int, int, int]
CELLS = 9
NONE = (tuple(range(CELLS)),)
TURN = tuple(3 * (cell % 3) + 2 - cell // 3 for cell in range(CELLS))
FLIP = tuple(3 * (cell // 3) + 2 - cell % 3 for cell in range(CELLS))
HALF_TURN = tuple(TURN[cell] for cell in TURN)
TURNS = (*NONE, TURN, HALF_TURN, tuple(TURN[cell] for cell in HALF_TURN))  # a quarter turn is not its inverse
SQUARE = (*TURNS, *(tuple(FLIP[cell] for cell in turn) for turn in TURNS))


@st.composite
def entries(draw: st.DrawFn, most: int = 12) -> list[Entry]:
    """Positions with few x's, so that many share a line."""
    found = []
    for _ in range(draw(st.integers(1, most))):
        marks = draw(st.sampled_from([0, 1, 2, 2, 2, 3]))
        # x's and answers from one end of the board
        x = sum(1 << cell for cell in range(CELLS - marks, CELLS))
        free = draw(st.permutations(range(CELLS - marks)))
        o = sum(1 << cell for cell in free[:marks])
        move = min(free[marks:]) if draw(st.booleans()) else free[-1]
        found.append(Entry(x, o, move))
    return found


groups = st.sampled_from([NONE, SQUARE, TURNS])
each_reading = pytest.mark.parametrize("answers", ["any", "each"])


def check(
    compression: Compression,
    given: Sequence[Entry],
    symmetries: Sequence[Sequence[int]],
    answers: Answers = "any",
) -> None:
    """The lines hold images of the entries given, and of each position, or of each answer to it, one."""
    pairs = {least(entry, symmetries) for entry in given}
    positions = Counter((x, o) for x, o, _ in pairs)
    written = [least(entry, symmetries) for line in compression.lines for entry in line.entries()]
    assert pairs.issuperset(written)
    assert sorted((x, o) for x, o, _ in written) == sorted(
        positions if answers == "any" else positions.elements()
    )
    assert answers == "any" or sorted(pairs) == sorted(written)
    assert compression.positions == len(written)
    assert compression.choices == (sum(count > 1 for count in positions.values()) if answers == "any" else 0)
    assert compression.lower_bound <= len(compression.lines)


def compressed(given: Sequence[Entry], symmetries: Sequence[Sequence[int]], answers: Answers) -> Compression:
    found = compress(given, symmetries, answers=answers)
    check(found, given, symmetries, answers)
    return found


@pytest.mark.parametrize("kind", ["geometric", "full"])
@pytest.mark.parametrize(
    "row",
    [  # text, entries; and for any answer and for each of them: positions, choices and lines
        # Two lines of fifteen positions become one of nine, "which are all that exist, up to rotation and
        # reflection": three o's of the first line are reflections of others, but then X's answer is not.
        (SECOND_MOVES, 15, (9, 3, 1), (12, 0, 1)),
        (THREE_OF_FOUR, 91, (58, 27, 9), (85, 0, 12)),
    ],
)
def test_the_dictionaries_of_the_blog(kind: SymmetryKind, row: tuple[str, int, Numbers, Numbers]) -> None:
    text, entries, *expected = row
    given, game = Dictionary.parse(text).entries(), Game.named("mnk:4x4x3")
    for answers, numbers in zip(get_args(Answers), expected, strict=True):
        found = compressed(given, game.symmetries(kind), answers)
        assert (found.positions, found.choices, len(found.lines), found.optimal) == (*numbers, True)
        report = verify_dictionary(game, Dictionary(16, found.lines), assisted=False)
        assert text == SECOND_MOVES or report.verdict == "proven"
    assert compress(given, game.symmetries("none")).positions == len(given) == entries


@pytest.mark.parametrize(
    ("text", "symmetries", "lines"),
    [
        ("Xx.oxo ...X.. o...xX Xxo.xo .o..xX", [range(6)], ["XxOOxo", "...X..", "OO..xX"]),
        # Lines lie as their first position does: these are a quarter turn of one another, but for the o.
        ("xo......X ..x...Xo.", SQUARE, ["xO...O..X"]),
        ("..x...Xo. xo......X", SQUARE, ["..x..OXO."]),
        # First moves stand alone, and an o does not join a position without any.
        ("X........ ....X.... ........X", NONE, ["X........", "....X....", "........X"]),
        ("X........ ....X.... ........X", SQUARE, ["X........", "....X...."]),
        ("x...X.... xo..X.... x..oX....", NONE, ["x...X....", "xO.OX...."]),
        # One answer in two orientations is no choice.
        ("oX..x.... o..Xx.... ..o.xX...", SQUARE, ["oX..x...."]),
    ],
)
def test_lines_come_and_lie_as_their_positions_do(
    text: str, symmetries: Sequence[Sequence[int]], lines: list[str]
) -> None:
    given = Dictionary.parse(text.replace(" ", "\n"), balanced=False).entries()
    found = compressed(given, symmetries, "each")
    assert [line.text(len(symmetries[0])) for line in found.lines] == lines


def test_what_is_no_position_is_refused() -> None:
    for entry, reason in [
        (Entry(1, 1, 2), "taken twice"),
        (Entry(1, 2, 1), "taken twice"),
        (Entry(1, 2, 9), "not on a board of 9"),
        (Entry(1, 512, 3), "not on a board of 9"),
    ]:
        with pytest.raises(ValueError, match=reason):
            compress([entry], NONE)
    assert (compress([], NONE).lines, compress([], NONE).optimal) == ((), True)


def test_boards_of_128_cells() -> None:
    many = [Entry(1 << 127, 1 << cell, 126) for cell in range(100)]
    flip = tuple(range(127, -1, -1))
    (line,) = compress(many, [range(128), flip]).lines
    assert (line.x, line.options, line.move) == (1 << 127, (1 << 100) - 1, 126)


@each_reading
@given(given=entries(), symmetries=groups)
@settings(deadline=None)
def test_as_few_as_trying_finds(
    answers: Answers, given: list[Entry], symmetries: Sequence[Sequence[int]]
) -> None:
    compression = compressed(given, symmetries, answers)
    assert compression.optimal
    assert len(compression.lines) == fewest_lines(given, symmetries, answers)


@each_reading
@given(given=entries(most=200), symmetries=groups)
@settings(deadline=None, max_examples=40)
def test_greedy_is_no_better_than_optimal(
    answers: Answers, given: list[Entry], symmetries: Sequence[Sequence[int]]
) -> None:
    optimal = compressed(given, symmetries, answers)
    greedy = compress(given, symmetries, "greedy", answers=answers)
    hasty = compress(given, symmetries, time_limit=0, answers=answers)
    assert optimal.optimal
    for other in (greedy, hasty):
        check(other, given, symmetries, answers)
        assert other.lower_bound <= len(optimal.lines) <= len(other.lines)


def subsets(cells: int, size: int) -> list[Entry]:
    """Every way to put so many o's on so many cells, with the same x's and the same answer."""
    x = sum(1 << cell for cell in range(cells, cells + size))
    return [Entry(x, sum(1 << c for c in o), cells + size) for o in combinations(range(cells), size)]


@pytest.mark.parametrize("cells", range(3, 10))
def test_triples_and_mantels_theorem(cells: int) -> None:
    # The pairs of fixed o's that are not among the lines form a graph without triangles, which has at most
    # cells²/4 edges.
    compression = compress(subsets(cells, 3), [range(cells + 4)])
    assert compression.optimal
    assert len(compression.lines) == comb(cells, 2) - cells**2 // 4


def test_the_time_limit_holds_and_an_interrupt_stops_the_solver(
    interrupt_after: Callable[[float], None],
) -> None:
    compression = compress(subsets(13, 4), [range(18)], time_limit=0.5)
    assert compression.seconds < 5
    assert 0 < compression.lower_bound < len(compression.lines)
    start = time.monotonic()
    interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        compress(subsets(13, 4), [range(18)], time_limit=60)
    assert time.monotonic() - start < 20


def test_progress_ends_at_the_end() -> None:
    given = [Entry(1 << 8, 1 << cell, 0) for cell in range(1, 8)]
    steps: list[tuple[int, int]] = []
    compress(given, NONE, progress=lambda done, of: steps.append((done, of)))
    assert steps == sorted(steps)
    assert steps[-1] == (7, 7)


@pytest.mark.parametrize(
    "row",
    [
        ("none", "greedy", 943, 896),
        ("none", "optimal", 936, 936),
        ("geometric", "optimal", 766, 766),
        ("full", "optimal", 662, 662),
    ],
)
@each_reading
def test_patashniks_dictionary(
    outside_data: Callable[[str], Path], row: tuple[SymmetryKind, Method, int, int], answers: Answers
) -> None:
    """No two of its positions are equal up to symmetry, so that there is nothing to choose."""
    kind, method, *expected = row
    given = Dictionary.read(outside_data("patashnik-qubic.txt")).entries()
    symmetries = Game.named("qubic").symmetries(kind)
    compression = compress(given, symmetries, method, answers=answers)
    assert [len(compression.lines), compression.lower_bound] == expected
    assert (compression.positions, compression.choices) == (2929, 0)
    check(compression, given, symmetries, answers)


@pytest.mark.parametrize(
    ("name", "side", "lines", "none", "geometric"),
    [
        ("harary-v-tromino-b3-m3.txt", 3, 5, 5, 5),
        ("harary-i-tromino-b4-m3.txt", 4, 9, 9, 9),
        ("harary-l-tetromino-b4-m4.txt", 4, 67, 67, 59),
        ("harary-z-tetromino-b3-m5.txt", 3, 18, 18, 18),
        ("harary-t-tetromino-b5-m4.txt", 5, 140, 140, 122),
    ],
)
def test_dictionaries_for_animals(
    outside_data: Callable[[str], Path], name: str, side: int, lines: int, none: int, geometric: int
) -> None:
    dictionary = Dictionary.read(outside_data(name), cells=side * side)
    assert len(dictionary.lines) == lines
    game = Game.named(f"mnk:{side}x{side}x3")
    optima: dict[SymmetryKind, int] = {"none": none, "geometric": geometric}
    for kind, fewest in optima.items():
        compression = compress(dictionary.entries(), game.symmetries(kind))
        check(compression, dictionary.entries(), game.symmetries(kind))
        assert (len(compression.lines), compression.optimal) == (fewest, True)
