"""Whether the first player of Ultimate Tic-Tac-Toe can force a win by a ply.

The rules are the open ones: a field that is won can be played in until it is full. The search is of the full
width, in C++.

>>> from inarow.ultimate.rules import Ultimate
>>> position = Ultimate().parse("44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48")
>>> prove(position, plies=29).wins
False
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from inarow._native import ultimate_prover as _ultimate
from inarow.errors import InarowError
from inarow.ultimate.rules import Move, Position
from inarow.values import Mark

__all__ = ["DEFAULT_MEMORY", "Progress", "Proof", "prove"]

Progress: TypeAlias = Callable[[int, float], None]
"""Called now and then with the nodes so far and how full the table is, from 0 to 1; may raise to stop."""

DEFAULT_MEMORY = 4 << 30
_LEAST_MEMORY = 1 << 20
_PLIES = 81


@dataclass(frozen=True)
class Proof:
    """What a search came to.

    `first_moves` are those of the side to move that succeed: that win by the ply if it is X, that hold off X
    until after it if it is O. There are none where the game is over.
    """

    position: Position
    plies: int
    wins: bool
    first_moves: tuple[Move, ...]
    nodes: int
    seconds: float
    answers: bytes | None  # the policy of the side that succeeds, if asked for

    @property
    def side(self) -> Mark:
        """The side that succeeds."""
        return "x" if self.wins else "o"

    def to_json(self) -> dict[str, Any]:
        return {
            "plies": self.plies,
            "wins": self.wins,
            "first_moves": [str(move) for move in self.first_moves],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }


def prove(
    position: Position,
    plies: int,
    *,
    policy: bool = False,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> Proof:
    """Decide whether X can force a win by a ply, counted from the empty board.

    `memory` bounds the table, in bytes; what the policy needs comes on top.
    """
    if position.rules.variant != "open":
        raise InarowError("only the variant in which fields that are won stay open can be proven")
    if not 1 <= plies <= _PLIES:
        raise InarowError(f"{plies} plies: a game has 1 to {_PLIES}")
    if memory < _LEAST_MEMORY:
        raise InarowError(f"{memory} bytes of memory: at least {_LEAST_MEMORY} are needed")
    began = time.monotonic()
    prover = _ultimate.Prover(memory)
    numbers = position.move_numbers
    x_moves = position.turn == "x"
    first = tuple(
        move
        for move in position.legal_moves()
        if prover.wins([*numbers, move.number], plies, progress) == x_moves
    )
    won = position.winner == "x" and position.ply <= plies
    wins = won if position.is_over else bool(first) == x_moves
    answers = prover.policy(numbers, plies, wins, progress) if policy else None
    return Proof(position, plies, wins, first, prover.nodes, time.monotonic() - began, answers)
