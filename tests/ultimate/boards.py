"""How tests come by positions of Ultimate Tic-Tac-Toe, and read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from hypothesis import strategies as st

from inarow.ultimate.rules import Move, Position, Ultimate, Variant

WON = "74 44 48 88 80 00 02 22 28 83 36 66 63 31 13 35 54 41 10 01 16 60 04 40 06 62 24 42 20"
"""A game that X wins at ply 29."""


def rows(position: Position) -> tuple[str, ...]:
    """Nine rows of nine spots, as in the figures of the paper."""
    return tuple(
        "".join(
            position.mark(row // 3 * 3 + column // 3, row % 3 * 3 + column % 3) or "." for column in range(9)
        )
        for row in range(9)
    )


def played(variant: Variant, choices: Sequence[int]) -> Position:
    """The position after as many moves as there are numbers, each choosing among the legal ones."""
    position = Ultimate(variant).start()
    for choice in choices:
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(moves[choice % len(moves)])
    return position


def played_on(
    position: Position, x: Callable[[Position], Move], o: Callable[[Position], Move], plies: int = 81
) -> Position:
    """The position at a ply, or at the end of the game, when both sides choose moves in their ways."""
    while not position.is_over and position.ply < plies:
        position = position.play(x(position) if position.turn == "x" else o(position))
    return position


def any_move(random: Random) -> Callable[[Position], Move]:
    return lambda position: random.choice(position.legal_moves())


def positions(*variants: Variant) -> st.SearchStrategy[Position]:
    return st.builds(
        played,
        st.sampled_from(variants or ("open", "closed")),
        st.lists(st.integers(0, 80), max_size=81),
    )
