"""Ultimate Tic-Tac-Toe: the prover, and the players; its source is native/bindings/ultimate.cpp.

A position is the list of the moves that lead to it; a move is 9 * field + spot. `x` says which side
succeeds: X, by winning by the ply, or O, by keeping X from it. Values are for the side to move.
"""

from collections.abc import Callable
from typing import Literal

class NotAPolicy(ValueError): ...

class Prover:
    def __init__(self, memory: int) -> None: ...
    @property
    def nodes(self) -> int: ...
    def wins(self, moves: list[int], plies: int, progress: Callable[[int, float], object] | None) -> bool:
        """Whether X can force a win by the ply."""
    def policy(
        self, moves: list[int], plies: int, x: bool, progress: Callable[[int, float], object] | None
    ) -> bytes:
        """The answers of a certificate; `x` must be what `wins` returns."""

class Policy:
    def __init__(
        self,
        moves: list[int],
        plies: int,
        x: bool,
        answers: bytes,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """`NotAPolicy` if the answers do not show the claim."""
    def __len__(self) -> int: ...
    def move(self, moves: list[int]) -> int | None: ...

def mcts(
    moves: list[int], closed: bool, playouts: int, seconds: float, seed: int, memory: int
) -> tuple[list[tuple[int, int, float, int]], int]:
    """Each move, best first: visits, value, and 1 or -1 if proven to win or lose; and the playouts made."""

def alpha_beta(moves: list[int], closed: bool, depth: int, seed: int) -> int: ...
def explain(moves: list[int]) -> tuple[int, Literal["opening", "middlegame", "endgame"], str] | str:
    """X's move by Xavier's strategy, its phase and reason; or why there is none."""
