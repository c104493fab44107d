"""Whether the first player of Ultimate Tic-Tac-Toe can force a win by a ply.

The rules are the open ones: a field that is won can be played in until it is full. The search, in C++, tries
every move.

>>> from inarow.ultimate.rules import Ultimate
>>> position = Ultimate().parse("44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48")
>>> prove(position, plies=29).wins
False
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from inarow._native import ultimate as native
from inarow.errors import InarowError
from inarow.files import require_writable
from inarow.ultimate.certificate import Claim, write_certificate
from inarow.ultimate.rules import Move, Position
from inarow.values import Mark

Progress: TypeAlias = Callable[[int, float], None]
"""Called now and then with the nodes so far and how full the table is, from 0 to 1; may raise to stop."""

DEFAULT_MEMORY = 4 << 30
_LEAST_MEMORY = 1 << 20
_PLIES = 81


@dataclass(frozen=True)
class Proof:
    """The result of a search.

    `first_moves` are those of the side to move that succeed: X's that win by the ply, or O's after which X
    does not. There are none where the game is over.
    """

    position: Position
    plies: int
    wins: bool
    first_moves: tuple[Move, ...]
    nodes: int
    seconds: float
    claim: Claim | None  # with the policy of the side that succeeds, if asked for

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
    certificate: Path | str | None = None,
    policy: bool = False,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> Proof:
    """Decide whether X can force a win by a ply, counted from the empty board.

    The search takes positions with the same 64-bit hash for the same; a certificate does not rely on that.

    :param certificate: where to write the certificate; if that is impossible, it raises the `OSError` before
        the search.
    :param policy: work out the policy of a certificate, the proof's `claim`, without writing it.
    :param memory: the most bytes that the table may take; the policy needs memory of its own.

    >>> from inarow.ultimate.rules import Ultimate
    >>> prove(Ultimate().start(), 17, memory=1 << 24).wins
    False
    """
    if position.rules.variant != "open":
        raise InarowError("only the open variant, where a field that is won stays playable, can be proven")
    if not 1 <= plies <= _PLIES:
        raise InarowError(f"{plies} plies: a game has 1 to {_PLIES}")
    if memory < _LEAST_MEMORY:
        raise InarowError(f"{memory} bytes of memory: at least {_LEAST_MEMORY} are needed")
    if certificate is not None:
        require_writable(Path(certificate))
    began = time.monotonic()
    prover = native.Prover(memory)
    numbers = position.move_numbers
    x_moves = position.turn == "x"
    first = tuple(
        move
        for move in position.legal_moves()
        if prover.wins([*numbers, move.number], plies, progress) == x_moves
    )
    won = position.winner == "x" and position.ply <= plies
    wins = won if position.is_over else bool(first) == x_moves
    claim = None
    if policy or certificate is not None:
        answers = prover.policy(numbers, plies, wins, progress)
        claim = Claim("x" if wins else "o", plies, position, answers)
        if certificate is not None:
            write_certificate(certificate, claim)
    return Proof(position, plies, wins, first, prover.nodes, time.monotonic() - began, claim)
