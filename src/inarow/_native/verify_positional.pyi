"""The checkers of dictionaries and of defences; native/bindings/verify_positional.cpp is their source.

Lines are masks. Positions are pairs of masks, X's and O's, each a row of words, cell c being bit c % 64 of
word c // 64: one word on boards of up to 64 cells, two on larger ones. The rules are numbered in this order:
win, block, dictionary, forced, failed.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

class RollOut:
    @property
    def positions(self) -> list[int]:
        """Positions reached, for each rule."""

    @property
    def counterexample(self) -> tuple[list[int], int] | None:
        """The moves of a game, and the failure: 0 unanswered, 1 two threats, 2 lost, 3 drawn."""

    @property
    def used(self) -> NDArray[np.uint8]:
        """For each answer, whether X used it."""

    @property
    def conflicts(self) -> list[tuple[int, int]]:
        """Answers that differ from an earlier one to the same position, and the earlier ones."""

    @property
    def longest_game(self) -> int: ...
    @property
    def longest_threats(self) -> int: ...
    @property
    def kept_positions(self) -> NDArray[np.uint64]:
        """[position, side, word]"""

    @property
    def kept_moves(self) -> NDArray[np.uint8]: ...

def fault(cells: int, positions: NDArray[np.uint64], moves: NDArray[np.uint8]) -> tuple[int, str] | None:
    """The first answer that is not valid on the board, and what is wrong with it."""

def roll_out(
    cells: int,
    lines: Sequence[int],
    maker_breaker: bool,
    symmetries: NDArray[np.uint8],
    positions: NDArray[np.uint64],
    moves: NDArray[np.uint8],
    assisted: bool,
    proof_only: bool,
    threads: int,
    memory_limit: int,
    kept: int,
    progress: Callable[[int, int], None] | None,
) -> RollOut: ...
def forced_wins(
    cells: int, lines: Sequence[int], maker_breaker: bool, positions: NDArray[np.uint64]
) -> list[tuple[int, int] | None]:
    """For each position, the first move of a forced win by threats and the number of threats.

    Neither side may be able to complete a line at once."""

class DefenceWalk:
    @property
    def counterexample(self) -> tuple[list[int], int, int | None] | None:
        """The moves of a game; the breach: 0 unanswered, 1 two threats, 2 completed, 3 pairs; the line."""

    @property
    def answered(self) -> int: ...
    @property
    def paired(self) -> int: ...
    @property
    def forced(self) -> int: ...
    @property
    def used(self) -> NDArray[np.uint8]:
        """For each line, whether O used it."""

def walk_defence(
    cells: int,
    lines: Sequence[int],
    maker_breaker: bool,
    symmetries: NDArray[np.uint8],
    defence: Sequence[tuple[int, int, int | None, Sequence[tuple[int, int]]]],
    progress: Callable[[int], None] | None,
) -> DefenceWalk:
    """Play every move of X against a defence: X's cells, O's cells, O's answer and pairs."""
