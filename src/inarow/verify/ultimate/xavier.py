"""Check Xavier's strategy: X wins every game of it by ply 43.

The claims are those of *At Most 43 Moves, At Least 29* (arXiv:2006.02353).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from inarow.errors import InarowError
from inarow.verify.ultimate.rules import FULL, Board, Game, Wrong
from inarow.verify.verdict import Verdict

__all__ = ["MOST_PLIES", "PROPERTIES", "Strategy", "XavierReport", "endgame_properties", "verify_xavier"]

Strategy: TypeAlias = Callable[[tuple[int, ...]], int]
"""The next move after the moves so far; a move is 9 · field + spot. `InarowError` if there is none.

The move must depend on the position alone, not on the order of the moves that led there.
"""

MOST_PLIES = 43  # of Xavier's strategy (Lemma 3)
PROPERTIES = ("P1", "P2", "P3", "P4", "P5", "P6")


@dataclass(slots=True)
class XavierReport:
    """The result of playing the strategy against every reply.

    >>> report = verify_xavier(lambda moves: moves[-1] if moves else 0)  # X takes a spot that is taken
    >>> report.verdict, report.wins
    ('wrong', False)
    """

    lengths: Counter[int] = field(default_factory=Counter)  # plies of a game -> how many games, move by move
    olivia_to_move: int = 0  # distinct positions
    xavier_to_move: int = 0
    final: int = 0
    endgame_rounds: int = 0  # positions with Olivia to move in which P1 to P6 were checked
    violations: Counter[str] = field(default_factory=Counter)  # property -> positions without it
    wrong: Wrong | None = None  # a game that X does not win
    seconds: float = 0.0

    @property
    def wins(self) -> bool:
        """Whether X wins every game, however long it takes."""
        return self.wrong is None

    @property
    def verdict(self) -> Verdict:
        return "proven" if self._fault() is None else "wrong"

    @property
    def reason(self) -> str:
        """What is wrong, or what is proven."""
        return self._fault() or f"X wins by ply {max(self.lengths, default=0)}, whatever O plays"

    def _fault(self) -> str | None:
        if self.wrong is not None:
            return str(self.wrong)
        if self.violations:
            failed = ", ".join(f"{name} in {count:,}" for name, count in sorted(self.violations.items()))
            return f"of {self.endgame_rounds:,} positions of the endgame, some lack a property: {failed}"
        longest = max(self.lengths, default=0)
        return f"a game takes {longest} plies, more than {MOST_PLIES}" if longest > MOST_PLIES else None

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "wins": self.wins,
            "longest": max(self.lengths, default=None),
            "shortest": min(self.lengths, default=None),
            "lengths": {str(plies): self.lengths[plies] for plies in sorted(self.lengths)},
            "positions": {
                "olivia_to_move": self.olivia_to_move,
                "xavier_to_move": self.xavier_to_move,
                "final": self.final,
            },
            "endgame": {
                "rounds": self.endgame_rounds,
                "violations": {name: self.violations[name] for name in PROPERTIES},
            },
            "counterexample": None if self.wrong is None else self.wrong.to_json(),
            "seconds": round(self.seconds, 3),
        }


def verify_xavier(strategy: Strategy, start: Game | None = None) -> XavierReport:
    """Play the strategy against every reply, from the empty board or from `start`.

    A position that several games reach is visited once.

    >>> report = verify_xavier(lambda moves: moves[-1] if moves else 0)  # no strategy: the spot is taken
    >>> report.verdict
    'wrong'
    """
    began = time.monotonic()
    report = XavierReport()
    try:
        level = {start or Game(): 1}  # one game to each position with X to move -> how many games lead there
        while level:
            level = _round(level, strategy, report)
    except Wrong as wrong:
        report.wrong = wrong
    report.seconds = time.monotonic() - began
    return report


def _round(games: dict[Game, int], strategy: Strategy, report: XavierReport) -> dict[Game, int]:
    """A move of X and all replies."""
    report.xavier_to_move += len(games)
    moved = _Level()
    final = set()
    for game, count in games.items():
        after = game.play(_move(strategy, game))
        if after.board.winner == "x":
            final.add(after.board)
            report.lengths[after.board.ply] += count
        elif after.board.is_over:
            raise Wrong("the game is drawn", after.moves)
        else:
            moved.add(after, count)
    report.final += len(final)
    report.olivia_to_move += len(moved.games)
    following = _Level()
    for game, count in moved.counted().items():
        held = endgame_properties(game.board)
        report.endgame_rounds += bool(held)
        report.violations.update(name for name, holds in held.items() if not holds)
        for move in game.board.legal_moves():
            after = game.play(move)
            if after.board.is_over:
                raise Wrong("O has won" if after.board.winner else "the game is drawn", after.moves)
            following.add(after, count)
    return following.counted()


class _Level:
    """The positions of a ply, each with one game that leads there and the number of all that do."""

    def __init__(self) -> None:
        self.games: dict[Board, Game] = {}
        self.counts: Counter[Board] = Counter()

    def add(self, game: Game, count: int) -> None:
        self.games.setdefault(game.board, game)
        self.counts[game.board] += count

    def counted(self) -> dict[Game, int]:
        return {game: self.counts[board] for board, game in self.games.items()}


def _move(strategy: Strategy, game: Game) -> int:
    try:
        return strategy(game.moves)
    except InarowError as error:
        raise Wrong(f"the strategy has no move: {error}", game.moves) from error


def endgame_properties(board: Board) -> dict[str, bool]:
    """Which of P1 to P6 hold with Olivia to move; empty before the endgame.

    `home` is the field that X is sent to last in the opening, `far` the one opposite: 0 and 8 in the paper.
    """
    homes = [number for number in range(9) if board.mark(number, 4) != "x"]
    if len(homes) != 1 or board.taken(4) != FULL:
        return {}
    home, far = homes[0], 8 - homes[0]

    def x(field: int, spot: int) -> bool:
        return board.mark(field, spot) == "x"

    def o(field: int, spot: int) -> bool:
        return board.mark(field, spot) == "o"

    if not x(far, far):
        return {}
    others = [i for i in range(9) if i not in (home, 4, far)]  # A in the paper
    waiting = [i for i in others if o(far, i) and not o(home, i)]  # those that "verify P5"
    two = [i for i in others if x(i, home) and x(i, far)]
    one = [i for i in others if x(i, home) != x(i, far)]
    none = [i for i in others if not x(i, home) and not x(i, far)]
    return {
        "P1": all(o(home, i) and o(far, i) for i in two),
        "P2": all(
            x(i, home) and o(home, i) != o(far, i) and (not o(far, i) or board.active == home) for i in one
        ),
        "P3": all(not o(home, i) and not o(far, i) for i in none),
        "P4": board.active in (home, far),  # a full field is never active
        "P5": len(waiting) == (1 if board.active == home else 0),
        "P6": all(not board.o_marks(i) for i in others)
        and all(not x(home, i) and not x(far, i) for i in others),
    }
