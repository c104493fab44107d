"""Players of Ultimate Tic-Tac-Toe that search, for both variants.

>>> from inarow.ultimate.rules import Ultimate
>>> position = Ultimate("closed").parse("44 40 04 41 14 42")
>>> thought = Mcts(playouts=2000, seed=1).think(position)
>>> thought.playouts, thought.best.move.field
(2000, 2)
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from inarow._native import ultimate_players as _ultimate_play
from inarow.ultimate.rules import Move, Position

__all__ = ["AlphaBeta", "Candidate", "Mcts", "Thought"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move and what the search thinks of it, for the side to move."""

    move: Move
    visits: int
    value: float  # 1 is a win, 0.5 a draw, 0 a loss
    proven: bool  # that it wins (value 1), or loses (value 0)


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search came to."""

    candidates: tuple[Candidate, ...]  # every move, best first
    playouts: int

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True, slots=True)
class Mcts:
    """Monte-Carlo tree search: thinks for `seconds`, or as many `playouts` if given.

    With a number of playouts and a seed it always plays the same.
    """

    seconds: float = 1.0
    playouts: int | None = None
    seed: int | None = None
    memory_limit: int = 1 << 28  # bytes for the tree; when it is full, its leaves are still played out

    def __post_init__(self) -> None:
        if self.playouts is None and not self.seconds > 0:
            raise ValueError(f"seconds {self.seconds}: must be more than 0")
        if self.playouts is not None and not 0 < self.playouts < 1 << 63:
            raise ValueError(f"playouts {self.playouts}: must be more than 0")
        if self.seed is not None and not 0 <= self.seed < 1 << 64:
            raise ValueError(f"seed {self.seed}: must be a number of at most 64 bits")

    def __call__(self, position: Position) -> Move:
        return self.think(position).best.move

    def think(self, position: Position) -> Thought:
        """Look at a position; `ValueError` if the game is over."""
        candidates, playouts = _ultimate_play.mcts(
            position.move_numbers,
            closed=position.rules.variant == "closed",
            playouts=self.playouts or 0,
            seconds=0.0 if self.playouts else self.seconds,
            seed=secrets.randbits(64) if self.seed is None else self.seed,
            memory_limit=self.memory_limit,
        )
        return Thought(
            tuple(
                Candidate(Move.of_number(move), visits, value, proven != 0)
                for move, visits, value, proven in candidates
            ),
            playouts,
        )


@dataclass(frozen=True, slots=True)
class AlphaBeta:
    """Alpha-beta search to a fixed depth with a plain evaluation: a yardstick for other players."""

    depth: int = 4
    seed: int | None = None  # decides among moves that seem equal

    def __call__(self, position: Position) -> Move:
        seed = secrets.randbits(64) if self.seed is None else self.seed
        closed = position.rules.variant == "closed"
        move, _, _ = _ultimate_play.alpha_beta(position.move_numbers, closed, self.depth, seed)
        return Move.of_number(move)
