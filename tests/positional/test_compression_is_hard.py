"""The reductions of docs/results/compression.md: the fewest lines are a minimum vertex cover."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.verify.positional.dictionary import verify_dictionary

Edge = tuple[int, int]

TRIANGLE = ((0, 1), (1, 2), (0, 2))
PENTAGON = ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))


def least_cover(vertices: int, edges: Iterable[Edge]) -> int:
    """The fewest vertices of which each edge has one, by trying all sets."""
    return next(
        size
        for size in range(vertices + 1)
        for chosen in combinations(range(vertices), size)
        if all(set(edge) & set(chosen) for edge in edges)
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, tuple[Edge, ...]]:
    vertices = draw(st.integers(2, 6))
    every = list(combinations(range(vertices), 2))
    return vertices, tuple(draw(st.lists(st.sampled_from(every), min_size=1, unique=True)))


# --- Any dictionary ---


def edges_as_positions(vertices: int, edges: Iterable[Edge]) -> list[Entry]:
    """After the vertices come two cells of X and that of the answer; O has the ends of an edge."""
    x = 0b11 << vertices
    return [Entry(x, 1 << first | 1 << second, vertices + 2) for first, second in edges]


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_lines_are_a_vertex_cover(graph: tuple[int, tuple[Edge, ...]]) -> None:
    vertices, edges = graph
    found = compress(edges_as_positions(vertices, edges), [range(vertices + 3)])
    assert (found.optimal, len(found.lines)) == (True, least_cover(vertices, edges))


# --- Exhaustive dictionaries ---


def exhaustive(vertices: int, edges: Iterable[Edge]) -> tuple[Game, list[Entry], int]:
    """A game, a dictionary that wins it, and the number of lines that it takes beside the vertex cover.

    Cells: the vertices; a, where X begins; b and its substitute, where it goes on; and cells any of which
    completes a line with both. X chooses the last one by O's two marks: `cover` if they are an edge, a cell
    of its own if they are two vertices but no edge, and `rest` otherwise.
    """
    edges = set(edges)
    others = [pair for pair in combinations(range(vertices), 2) if pair not in edges]
    a, b, substitute, cover, rest, second, third = range(vertices, vertices + 7)
    own = {pair: vertices + 7 + number for number, pair in enumerate(others)}
    last = [cover, rest, second, third, *own.values()]
    cells = vertices + 7 + len(own)
    lines = [1 << a | 1 << middle | 1 << cell for middle in (b, substitute) for cell in last]

    def answer(pair: Edge) -> int:
        if pair in edges:
            return cover
        if pair in own:
            return own[pair]
        return rest if rest not in pair else second if second not in pair else third

    entries = [Entry(0, 0, a)]
    entries += [Entry(1 << a, 1 << o, substitute if o == b else b) for o in range(cells) if o != a]
    entries += [
        Entry(1 << a | 1 << substitute, 1 << b | 1 << o, second if o == cover else cover)
        for o in range(cells)
        if o not in (a, b, substitute)
    ]
    free = [cell for cell in range(cells) if cell not in (a, b)]
    entries += [Entry(1 << a | 1 << b, 1 << p | 1 << q, answer((p, q))) for p, q in combinations(free, 2)]
    # The empty board; O's first mark, at b or not; then O at b, with `cover` or without; one for each pair of
    # vertices that is no edge; one for each cell that is no vertex, but a, b and `rest`; two with `rest`.
    return Game("vertex cover", cells, lines), entries, 1 + 2 + 2 + len(own) + (cells - vertices - 3) + 2


@pytest.mark.parametrize(
    ("vertices", "edges"), [(2, ((0, 1),)), (3, TRIANGLE), (4, ((0, 1), (2, 3))), (5, PENTAGON)]
)
def test_dictionaries_that_win_are_as_hard(vertices: int, edges: tuple[Edge, ...]) -> None:
    game, entries, beside = exhaustive(vertices, edges)
    found = compress(entries, game.symmetries("none"))
    text = Dictionary(game.cells, found.lines).text()
    assert verify_dictionary(game, text, symmetry="none", assisted=False).verdict == "proven"
    assert (found.optimal, len(found.lines)) == (True, beside + least_cover(vertices, edges))
