"""The prover of Ultimate Tic-Tac-Toe; its source is native/bindings/ultimate_prover.cpp.

A position is the list of the moves that lead to it; a move is 9 * field + spot. `x` says which side
succeeds: X, by winning by the ply, or O, by keeping X from it.
"""

from collections.abc import Callable

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
