"""How tests come by positions of Ultimate Tic-Tac-Toe, and read them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from inarow.ultimate.rules import Position, Ultimate, Variant


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


def positions(*variants: Variant) -> st.SearchStrategy[Position]:
    return st.builds(
        played,
        st.sampled_from(variants or ("open", "closed")),
        st.lists(st.integers(0, 80), max_size=81),
    )
