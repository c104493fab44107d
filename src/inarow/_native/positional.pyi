"""The searches for wins and for defences on small boards; native/bindings/positional.cpp is their source.

Positions are masks of X's and O's cells, with X to move and no line complete.
"""

from collections.abc import Callable, Sequence

Progress = (
    Callable[[int, int], None] | None
)  # called with the nodes and the positions kept; may raise to stop

UNLIMITED: int
"""As a number of moves: any number."""

class WinSearch:
    def __init__(
        self,
        cells: int,
        lines: Sequence[int],
        maker_breaker: bool,
        symmetries: Sequence[Sequence[int]],
        memory_limit: int,
    ) -> None: ...
    def solve(self, x: int, o: int, moves: int, progress: Progress = None) -> tuple[int, int, int] | None:
        """The moves X needs, the first of them and the cells the win depends on; None if X does not win."""

    def winning_moves(self, x: int, o: int, moves: int, progress: Progress = None) -> int:
        """The mask of the moves with which X wins within so many moves, this one included."""

    def strategy(self, moves: int, first: int, progress: Progress = None) -> list[tuple[int, int, int]]:
        """An answer to every position that games reach: X's cells, O's cells and the move."""

    @property
    def nodes(self) -> int:
        """Positions searched."""

    @property
    def kept(self) -> int:
        """Positions in memory."""

    @property
    def dropped(self) -> int:
        """Positions that were overwritten by others."""

class DefenceSearch:
    def __init__(
        self,
        cells: int,
        lines: Sequence[int],
        maker_breaker: bool,
        symmetries: Sequence[Sequence[int]],
        memory_limit: int,
    ) -> None: ...
    def defends(self, progress: Progress = None) -> bool:
        """Whether O, who moves second, can keep X from ever completing a line.

        `MemoryError` if the memory does not suffice.
        """

    def lines(self, progress: Progress = None) -> list[tuple[int, int, int | None, list[tuple[int, int]]]]:
        """The defence: X's cells, O's cells, O's answer (None: X is to move) and pairs that hold after it."""

    @property
    def nodes(self) -> int:
        """Positions searched."""

    @property
    def kept(self) -> int:
        """Positions in memory."""

class Threats:
    """Forced wins by threats in positions, as X's cells and O's, of a game that is not over."""

    def __init__(self, cells: int, lines: Sequence[int], maker_breaker: bool) -> None: ...
    def winning(self, x: int, o: int) -> int:
        """The cells where the side to move completes a line."""

    def blocking(self, x: int, o: int) -> int:
        """The cells where the other side would."""

    def promising(self, x: int, o: int) -> int:
        """The cells that look best to the side to move."""

    def forced_win(self, x: int, o: int) -> list[int]:
        """The cells of a win of the side to move; none if there is none."""
