"""Players of Ultimate Tic-Tac-Toe: the strategies, play by certificates, random moves, and searches.

>>> from inarow.ultimate.rules import Ultimate
>>> choice = Player("xavier").choose(Ultimate().parse("44 40 04 43"))
>>> str(choice.move), choice.remark
('34', 'opening: The centre of field 3: O must play in field 4 again.')
>>> position = Ultimate("closed").parse("44 40 04 41 14 42")
>>> thought = Mcts(playouts=2000, seed=1).think(position)
>>> thought.playouts, thought.best.move.field
(2000, 2)
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, get_args

from inarow._native import ultimate as native
from inarow.errors import InarowError
from inarow.ultimate.certificate import Progress, optimal_play
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.ultimate.strategy import explain, lbs
from inarow.values import Mark

Kind = Literal["xavier", "lbs", "optimal", "random", "mcts"]

_NAMES: dict[Kind, str] = {
    "xavier": "Xavier's strategy",
    "lbs": "LBS",
    "optimal": "a player of optimal length",
    "random": "a random player",
    "mcts": "Monte-Carlo tree search",
}
_ONLY: dict[Kind, Mark] = {"xavier": "x", "lbs": "o"}  # the one side of a strategy
_OPEN: tuple[Kind, ...] = ("xavier", "lbs", "optimal")
_PLAYOUTS_PAST_PROOF = 20_000


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, and the reason for it in words, if there is one."""

    move: Move
    remark: str = ""


class Player:
    """Plays one side of a game, and says why.

    - `xavier` plays X by the strategy that wins by ply 43.
    - `lbs` plays O by the strategy that does not lose before ply 29.
    - `optimal` plays by a certificate, to win by ply 43 as X or not to lose by ply 41 as O, and searches
      where the certificate has no move. O's certificate takes half a minute to open, and 1 GB of memory.
    - `random` plays any legal move.
    - `mcts` searches for `seconds`, 1 by default, or for a number of `playouts`.

    `xavier`, `lbs` and `optimal` are for the open variant. With a seed, and for `mcts` also a number of
    playouts, it always plays the same.

    >>> str(Player("optimal").choose(Ultimate().start()).move)
    '44'
    """

    def __init__(
        self,
        kind: Kind,
        rules: Ultimate | None = None,
        side: Mark | None = None,
        *,
        seconds: float | None = None,
        playouts: int | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`side` is the one it plays; by default the one that suits its kind.

        `progress` hears about opening a certificate. `InarowError` if the kind cannot play these rules or
        this side.
        """
        if kind not in get_args(Kind):
            raise ValueError(f"kind {kind!r}: must be one of {', '.join(get_args(Kind))}")
        self.kind = kind
        self.side: Mark = side or _ONLY.get(kind, "x" if kind == "optimal" else "o")
        if kind in _OPEN and (rules or Ultimate()).variant != "open":
            raise InarowError(f"{self.name} is for the open variant")
        if self.side != _ONLY.get(kind, self.side):
            raise InarowError(f"{self.name} plays {_ONLY[kind].upper()} only")
        if kind != "mcts" and (seconds, playouts) != (None, None):
            raise InarowError(f"seconds and playouts are for mcts, not for {kind}")
        if kind == "optimal":
            playouts = _PLAYOUTS_PAST_PROOF
        self._search = Mcts(1.0 if seconds is None else seconds, playouts)
        self._seed, self._random = seed, Random(seed)
        self._certificate = optimal_play(self.side, progress=progress) if kind == "optimal" else None

    @property
    def name(self) -> str:
        """As in "Xavier's strategy" or "a random player"."""
        return _NAMES[self.kind]

    def choose(self, position: Position) -> Choice:
        """A move of its side; `OffStrategy` if a strategy has none for the position."""
        match self.kind:
            case "xavier":
                found = explain(position)
                return Choice(found.move, f"{found.phase}: {found.why}")
            case "lbs":
                return Choice(self._random.choice(lbs(position)))
            case "random":
                return Choice(self._random.choice(position.legal_moves()))
        past = ""
        if self._certificate is not None:
            move = self._certificate.move(position)
            if move is not None:
                return Choice(move, f"proven: {self._certificate.claim}")
            past = "past what is proven: "
        # A seed for each ply, so that similar positions are not searched with the same playouts.
        seed = None if self._seed is None else (self._seed + position.ply) % (1 << 64)
        thought = replace(self._search, seed=seed).think(position)
        return Choice(thought.best.move, f"{past}{thought.best.describe()}, {thought.playouts:,} playouts")


def suitable_kind(rules: Ultimate, side: Mark | None) -> Kind:
    """The kind to play a side, if nothing else is asked for: the strategy that wins where there is one."""
    return "xavier" if rules.variant == "open" and side != "o" else "mcts"


# --- Searches ---


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move and its value to the search, for the side to move."""

    move: Move
    visits: int
    value: float  # 1 is a win, 0.5 a draw, 0 a loss
    proven: bool  # that it wins (value 1), or loses (value 0)

    def describe(self) -> str:
        """The value in words."""
        if self.proven:
            return "wins for certain" if self.value == 1 else "loses for certain"
        return f"scores {self.value:.0%} in its playouts"


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of a search."""

    candidates: tuple[Candidate, ...]  # every move, best first
    playouts: int

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True, slots=True)
class Mcts:
    """Monte-Carlo tree search for some `seconds`, or for a number of `playouts` if given.

    With playouts and a seed it always plays the same.

    >>> Mcts(playouts=100, seed=1).think(Ultimate().start()).playouts
    100
    """

    seconds: float = 1.0
    playouts: int | None = None
    seed: int | None = None
    memory: int = 1 << 28  # bytes for the tree; when it is full, playouts continue from its leaves

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
        """Search a position; `ValueError` if the game is over."""
        candidates, playouts = native.mcts(
            position.move_numbers,
            closed=position.rules.variant == "closed",
            playouts=self.playouts or 0,
            seconds=0.0 if self.playouts else self.seconds,
            seed=secrets.randbits(64) if self.seed is None else self.seed,
            memory=self.memory,
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
    """Alpha-beta search to a fixed depth with a simple evaluation: a yardstick for other players."""

    depth: int = 4
    seed: int | None = None  # decides between moves of equal value

    def __call__(self, position: Position) -> Move:
        seed = secrets.randbits(64) if self.seed is None else self.seed
        closed = position.rules.variant == "closed"
        return Move.of_number(native.alpha_beta(position.move_numbers, closed, self.depth, seed))
