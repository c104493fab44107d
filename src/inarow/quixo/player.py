"""Players of Quixo, for the terminal, the API and bots; native/quixo/player.cpp decides how they choose."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from inarow._native import quixo as _native
from inarow.quixo.probe import MoveProbe, move_of
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Position
from inarow.stopping import stoppable
from inarow.words import counted

Kind = Literal["best", "trap", "level", "weaker"]

LEVELS = tuple(_native.LEVELS)  # how many plies the player of each level sees; level 1 is the first


class Player:
    """Chooses moves by what a prober knows.

    `best` gives nothing away, as far as is known: it takes the fastest win, else the draw after which most
    replies lose, else the longest loss, and where nothing is known the move that looks best. If the value of
    a position is known but not its plies, it makes progress in a win and resists in a loss.

    `trap` gives no more away, but hopes for mistakes: where it is losing it takes the move after which the
    fewest replies still win, however short that makes the game.

    `level` sees what is decided within some plies and nothing beyond, which it takes for equal: level n of
    `LEVELS` takes the fastest win that it sees, avoids losses that it sees, and otherwise plays any move.

    `weaker` does the same as `best` but for its `mistakes`, a share of its moves which it chooses among all
    legal ones.

    Without a seed the first of equally good moves is taken, but a level chooses among moves that are equal to
    it at random, and mistakes are made at random. With a seed the choice depends on the seed and on the
    position, and, where plies are not known, on the game so far.

    >>> from inarow.quixo.prober import open_prober
    >>> from inarow.quixo.rules import Quixo
    >>> with open_prober(Quixo(3)) as prober:
    ...     choice = Player(prober, "best").choose(Quixo(3).start())
    >>> choice.text, choice.value
    ('c1a1', 'win')
    """

    def __init__(
        self,
        prober: Prober,
        kind: Kind = "best",
        seed: int | None = None,
        *,
        level: int = len(LEVELS),
        mistakes: float = 0.35,
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"kind {kind!r}: must be one of {', '.join(get_args(Kind))}")
        if not 0 <= mistakes <= 1:
            raise ValueError(f"mistakes {mistakes!r}: must be from 0 to 1")
        if not 1 <= level <= len(LEVELS):
            raise ValueError(f"level {level!r}: must be 1 to {len(LEVELS)}")
        self.prober = prober
        self.kind = kind
        self.seed = seed
        self.level = level
        self.mistakes = mistakes if kind == "weaker" else 0.0
        number = get_args(Kind).index(kind)
        self._native = _native.Player(prober.native, number, level, self.mistakes, seed)

    def within(self, seconds: float) -> Player:
        """The same player with so many seconds for each of its searches, of which there may be two a move."""
        prober = self.prober.within(seconds)
        return Player(prober, self.kind, self.seed, level=self.level, mistakes=self.mistakes)

    def choose(self, position: Position, before: Collection[Position] = ()) -> MoveProbe:
        """A move; `ValueError` if the game is over.

        `before` are the earlier positions of the game, which a winner avoids.
        """
        if position.is_over:
            raise ValueError(f"{position}: the game is over")
        # Those that a move can lead to have the other side to move.
        earlier = [(its.mover, its.other) for its in before if its.turn != position.turn]
        stop = _native.Stop()
        with stoppable(stop.ask):
            found = self._native.choose(position.mover, position.other, earlier, stop)
        move = position.rules.moves[found[0]]
        return move_of(position.play(move), move, found)

    def describe(self) -> str:
        """How it plays, in words."""
        if self.kind == "level":
            return (
                f"Level {self.level}: sees what is decided within {counted(LEVELS[self.level - 1], 'ply')}, "
                "and plays any move beyond that."
            )
        if self.kind == "weaker":
            return f"Makes {self.mistakes:.0%} of its moves at random."
        if self.prober.knows_everything:
            hopes = "hopes for mistakes where it is losing" if self.kind == "trap" else "the slowest loss"
            return f"Plays perfectly: takes the fastest win and {hopes}, and sets traps in a draw."
        if self.prober.knows_outcomes:
            return "Gives nothing away, but may win later than it could: its table has no plies."
        limits = self.prober.limits
        sources = "the book and a search" if self.prober.has_book else "a search"
        return (
            f"Plays by {sources} of {limits.plies} plies and more, up to {limits.seconds:g} seconds a move. "
            "That is not perfect."
        )
