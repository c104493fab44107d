"""Compression against brute force on small dictionaries, and the proven optima of published ones."""

import signal
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from types import FrameType

import pytest
from golden.dictionaries import UNBALANCED
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.positional.dictionary.compress import Compression, Method, compress
from inarow.positional.dictionary.text import Dictionary, Entry, Line
from inarow.positional.rules import Game, SymmetryKind, cells_of

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


def least(entry: Entry, symmetries: Sequence[Sequence[int]]) -> Entry:
    x, o = list(cells_of(entry.x)), list(cells_of(entry.o))
    return Entry(
        *min((sum(1 << to[c] for c in x), sum(1 << to[c] for c in o), to[entry.move]) for to in symmetries)
    )


def expanded(lines: Sequence[Line], symmetries: Sequence[Sequence[int]]) -> list[Entry]:
    return sorted(least(entry, symmetries) for line in lines for entry in line.entries())


def check(compression: Compression, given: Sequence[Entry], symmetries: Sequence[Sequence[int]]) -> None:
    """The lines hold the positions given, each of them once, and the numbers agree."""
    wanted = sorted({least(entry, symmetries) for entry in given})
    assert expanded(compression.lines, symmetries) == wanted
    assert compression.positions == len(wanted)
    assert compression.lower_bound <= len(compression.lines)


def fewest(given: Sequence[Entry], symmetries: Sequence[Sequence[int]]) -> int:
    """By trying: every line that could be, then every choice of one, two, three of them."""
    wanted = {least(entry, symmetries) for entry in given}
    lines: set[frozenset[Entry]] = set()
    for entry in wanted:
        lines.add(frozenset([entry]))
        for cell in cells_of(entry.o):
            rest = entry.o & ~(1 << cell)
            free = (c for c in range(CELLS) if c != entry.move and not (entry.x | rest) >> c & 1)
            line = (least(Entry(entry.x, rest | 1 << c, entry.move), symmetries) for c in free)
            lines.add(frozenset(line) & wanted)
    for count in range(1, len(wanted) + 1):
        if any(len(frozenset().union(*some)) == len(wanted) for some in combinations(lines, count)):
            return count
    return 0


def test_the_example_of_the_blog() -> None:
    dictionary = Dictionary.parse(UNBALANCED, balanced=False)
    compression = compress(dictionary.entries(), [range(6)])
    assert (len(compression.lines), compression.lower_bound, compression.optimal) == (3, 3, True)
    assert compression.positions == 6
    assert expanded(compression.lines, [range(6)]) == sorted(dictionary.entries())


def test_lines_come_as_their_positions_do() -> None:
    dictionary = Dictionary.parse("Xx.oxo\n...X..\no...xX\nXxo.xo\n.o..xX\n")
    assert [line.text(6) for line in compress(dictionary.entries(), [range(6)]).lines] == [
        "XxOOxo",
        "...X..",
        "OO..xX",
    ]


def test_lines_lie_as_their_positions_do() -> None:
    # The second is a quarter turn of "x....o..X".
    given = Dictionary.parse("xo......X\n..x...Xo.\n").entries()
    assert [line.text(CELLS) for line in compress(given, SQUARE).lines] == ["xO...O..X"]
    assert [line.text(CELLS) for line in compress(given[::-1], SQUARE).lines] == ["..x..OXO."]


def test_first_moves_stand_alone() -> None:
    both = [Entry(0, 0, 0), Entry(0, 0, 4), Entry(0, 0, 8)]
    assert compress(both, NONE).lines == tuple(Line(0, 0, 0, entry.move) for entry in both)
    assert [line.text(CELLS) for line in compress(both, SQUARE).lines] == ["X........", "....X...."]


def test_an_o_does_not_join_a_position_without_any() -> None:
    uneven = [Entry(1, 0, 4), Entry(1, 2, 4), Entry(1, 8, 4)]
    assert [line.text(CELLS) for line in compress(uneven, NONE).lines] == ["x...X....", "xO.OX...."]


def test_a_position_answered_in_two_ways_keeps_both() -> None:
    both = [Entry(1, 2, 4), Entry(1, 2, 5)]
    check(compress(both, SQUARE), both, SQUARE)
    assert compress(both, SQUARE).positions == 2


def test_nothing_to_compress() -> None:
    assert (compress([], NONE).lines, compress([], NONE).optimal) == ((), True)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Entry(1, 1, 2), "taken twice"),
        (Entry(1, 2, 1), "taken twice"),
        (Entry(1, 2, 9), "not on a board of 9"),
        (Entry(1, 512, 3), "not on a board of 9"),
    ],
)
def test_what_is_no_position_is_refused(entry: Entry, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        compress([entry], NONE)


def test_boards_of_128_cells() -> None:
    many = [Entry(1 << 127, 1 << cell, 126) for cell in range(100)]
    flip = tuple(range(127, -1, -1))
    (line,) = compress(many, [range(128), flip]).lines
    assert (line.x, line.options, line.move) == (1 << 127, (1 << 100) - 1, 126)


@given(given=entries(), symmetries=groups)
@settings(deadline=None)
def test_as_few_as_trying_finds(given: list[Entry], symmetries: Sequence[Sequence[int]]) -> None:
    compression = compress(given, symmetries)
    check(compression, given, symmetries)
    assert compression.optimal
    assert len(compression.lines) == fewest(given, symmetries)


@given(given=entries(most=200), symmetries=groups)
@settings(deadline=None, max_examples=40)
def test_greedy_is_no_better_than_optimal(given: list[Entry], symmetries: Sequence[Sequence[int]]) -> None:
    optimal, greedy = compress(given, symmetries), compress(given, symmetries, "greedy")
    check(optimal, given, symmetries)
    check(greedy, given, symmetries)
    assert optimal.optimal
    assert greedy.lower_bound <= optimal.lower_bound <= len(optimal.lines) <= len(greedy.lines)


@given(given=entries(most=200))
@settings(deadline=None, max_examples=20)
def test_without_time_there_is_still_a_cover(given: list[Entry]) -> None:
    hasty, optimal = compress(given, NONE, time_limit=0), compress(given, NONE)
    check(hasty, given, NONE)
    assert hasty.lower_bound <= len(optimal.lines) <= len(hasty.lines)


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


def test_the_time_limit_holds() -> None:
    compression = compress(subsets(13, 4), [range(18)], time_limit=0.5)
    assert compression.seconds < 5
    assert 0 < compression.lower_bound < len(compression.lines)


def test_an_interrupt_stops_the_solver() -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            compress(subsets(13, 4), [range(18)], time_limit=60)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 20


def test_progress_ends_at_the_end() -> None:
    given = [Entry(1 << 8, 1 << cell, 0) for cell in range(1, 8)]
    steps: list[tuple[int, int]] = []
    compress(given, NONE, progress=lambda done, of: steps.append((done, of)))
    assert steps == sorted(steps)
    assert steps[-1] == (7, 7)


@pytest.mark.parametrize(
    ("kind", "method", "lines", "bound"),
    [
        ("none", "greedy", 943, 896),
        ("none", "optimal", 936, 936),
        ("geometric", "optimal", 766, 766),
        ("full", "optimal", 662, 662),
    ],
)
def test_patashniks_dictionary(
    outside_data: Callable[[str], Path], kind: SymmetryKind, method: Method, lines: int, bound: int
) -> None:
    given = Dictionary.read(outside_data("patashnik-qubic.txt")).entries()
    symmetries = Game.named("qubic").symmetries(kind)
    compression = compress(given, symmetries, method)
    assert (len(compression.lines), compression.lower_bound) == (lines, bound)
    assert compression.positions == 2929
    check(compression, given, symmetries)


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


def test_alternatives_are_a_choice() -> None:
    """With another answer to one of them, two positions share a line; each is written once."""
    entries = [
        Entry(0b100, 0b001, 4),
        Entry(0b100, 0b010, 5),
        Entry(0b100, 0b010, 4),
        Entry(0, 0, 1),
        Entry(0, 0, 2),
    ]
    found = compress(entries, NONE, alternatives=True)
    first, second = (line.text(CELLS) for line in found.lines)
    assert first == "OOx.X...."
    assert second in (".X.......", "..X......")
    assert (found.positions, found.optimal) == (3, True)
    assert len(compress(entries, NONE).lines) == 4


@settings(deadline=None, max_examples=30)
@given(entries(), groups)
def test_alternatives_give_every_position_one_of_its_answers(
    given: list[Entry], symmetries: Sequence[Sequence[int]]
) -> None:
    found = compress(given, symmetries, alternatives=True)
    wanted = {least(entry, symmetries) for entry in given}
    written = expanded(found.lines, symmetries)
    assert wanted.issuperset(written)

    def bare(entry: Entry) -> tuple[int, int]:
        """The position alone, up to symmetry."""
        x, o = list(cells_of(entry.x)), list(cells_of(entry.o))
        return min((sum(1 << to[c] for c in x), sum(1 << to[c] for c in o)) for to in symmetries)

    assert sorted(map(bare, written)) == sorted({bare(entry) for entry in wanted})
    assert found.lower_bound <= len(found.lines) <= len(compress(given, symmetries).lines)
