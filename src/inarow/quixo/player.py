"""Players of Quixo: one for the terminal, the API and the browser."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal, get_args

from inarow.quixo.probe import MoveProbe
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Position

__all__ = ["Kind", "Player"]

Kind = Literal["perfect", "trapping", "weaker"]

_ALIKE = 3  # of equally good moves that are sorted by how they look, so many are good enough to choose from


class Player:
    """Chooses moves by what a prober knows.

    `perfect` gives nothing away, as far as is known: it takes the fastest win, else a draw, else the longest
    loss, and where nothing is known the move that looks best. `trapping` plays as well; of the moves that
    keep a draw it chooses one after which most replies lose. `weaker` does the same but for its `mistakes`,
    a share of its moves which it chooses among all legal ones.

    Without a seed the first of equally good moves is taken, and mistakes are made at random. With a seed the
    choice depends on the seed and on the position alone.
    """

    def __init__(
        self, prober: Prober, kind: Kind = "perfect", seed: int | None = None, *, mistakes: float = 0.35
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"kind {kind!r}: must be one of {', '.join(get_args(Kind))}")
        if not 0 <= mistakes <= 1:
            raise ValueError(f"mistakes {mistakes!r}: must be from 0 to 1")
        self.prober = prober
        self.kind = kind
        self.seed = seed
        self.mistakes = mistakes if kind == "weaker" else 0.0

    def choose(self, position: Position) -> MoveProbe:
        """A move; `ValueError` if the game is over."""
        probe = self.prober.probe(position)
        if not probe.moves:
            raise ValueError(f"{position}: the game is over")
        random = Random() if self.seed is None else Random(f"{self.seed} {position}")
        if random.random() < self.mistakes:
            return random.choice(probe.moves)
        best: Sequence[MoveProbe] = probe.best
        if best[0].value is None:
            return best[0]
        if best[0].source != "table":
            best = best[:_ALIKE]
        elif best[0].value == "draw" and self.kind != "perfect" and len(best) > 1:
            # A table tells at once which moves are traps, and nothing is lost by setting one.
            traps = [self._losing_replies(move.position) for move in best]
            best = [move for move, losing in zip(best, traps, strict=True) if losing == max(traps)]
        return best[0] if self.seed is None else random.choice(best)

    def _losing_replies(self, position: Position) -> int:
        after = self.prober.outcomes([position.play(move) for move in position.legal_moves()])
        return sum(outcome is not None and outcome.value == "win" for outcome in after)

    def describe(self) -> str:
        """How it plays, in words, and what it knows."""
        manner = {
            "perfect": "Gives nothing away.",
            "trapping": "Gives nothing away, and sets traps in a draw.",
            "weaker": f"Makes {self.mistakes:.0%} of its moves at random.",
        }[self.kind]
        return f"{manner} {self.prober.describe()}"
