"""Positions at the edge of the book, and what must hold of answers about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.table.book import Book, shipped_book
from inarow.values import Value

# The book knows a win, and no move that wins.
A_WIN_AMONG_UNKNOWN_MOVES = "xx.../o..../o..../....o/oxoxx o"


@cache
def book() -> Book:
    found = shipped_book(Quixo(5))
    assert found is not None
    return found


def random_position(rules: Quixo, random: Random, marks: int, of_x: int | None = None) -> Position:
    """With an equal chance for each number of x's, unless it is given."""
    cells = random.sample(range(rules.cells), marks)
    of_x = random.randint(0, marks) if of_x is None else of_x
    x, split = (sum(1 << cell for cell in part) for part in (cells, cells[:of_x]))
    return Position(rules, split, x & ~split, random.choice("xo"))  # type: ignore[arg-type]


def edge_positions(count: int) -> Iterator[tuple[Position, Value]]:
    """Random positions with the most marks of the book: as many won, drawn and lost ones."""
    random, left = Random(10), dict.fromkeys(("win", "draw", "loss"), count // 3 + 1)
    while count:
        position = random_position(Quixo(5), random, book().outcome_marks)
        known = book().get(position.mover_word)
        assert known is not None
        if not position.is_over and left[known.value]:
            left[known.value] -= 1
            count -= 1
            yield position, known.value


def assert_ranked(value: Value, moves: Sequence[Value | None]) -> None:
    """Moves that keep the value first, then those that may, and none that must is left open."""
    orders: dict[Value, list[Value | None]]
    orders = {"win": ["win", None, "draw", "loss"], "draw": ["draw", None, "loss"], "loss": ["loss"]}
    places = [orders[value].index(move) for move in moves]
    assert places == sorted(places)
    assert moves[0] in (value, None)
    assert value in moves or moves.count(None) > 1


def play_out(
    rules: Quixo, side: str, random: Random, choose: Callable[[Position], tuple[Move, str | None]], most: int
) -> Position:
    """A game of `side`, which chooses, against random moves."""
    position = rules.start()
    for _ in range(most):
        if position.is_over:
            break
        if position.turn == side:
            known = book().get(position.mover_word)
            move, value = choose(position)
            assert known is None or value in (known.value, None), position
            position = position.play(move)
        else:
            position = position.play(random.choice(position.legal_moves()))
    return position
