from collections.abc import Callable, Sequence

Progress = Callable[[int, int], None] | None  # nodes and positions kept; may raise

UNLIMITED: int

class Solver:
    def __init__(
        self,
        cells: int,
        lines: Sequence[int],
        maker_breaker: bool,
        symmetries: Sequence[Sequence[int]],
        memory_limit: int,
    ) -> None: ...
    def solve(self, x: int, o: int, moves: int, progress: Progress = None) -> tuple[int, int, int] | None: ...
    def winning_moves(self, x: int, o: int, moves: int, progress: Progress = None) -> int: ...
    def strategy(self, moves: int, first: int, progress: Progress = None) -> list[tuple[int, int, int]]: ...
    @property
    def nodes(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def dropped(self) -> int: ...
