"""What the moves of a game of Quixo gave away: mistakes, what they cost, and the replies that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Literal

from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Move, Position
from inarow.values import Mark, Outcome, Value

Verdict = Literal["mistake", "slow"]

_RANK: dict[Value, int] = {"win": 2, "draw": 1, "loss": 0}
_WORDS: dict[Value, str] = {"win": "won", "draw": "drawn", "loss": "lost"}
_LONGEST_REFUTATION = 40  # plies


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move that was played in a position, with what the position and the move were worth to its side.

    Plies count from the position before the move; an outcome that is not known is None. A `mistake` made the
    value worse: a win into a draw or a loss, or a draw into a loss. A `slow` move kept it, but made a win
    longer or a loss shorter. `refutation` is best play after a mistake, as far as it is known: to the end if
    it loses, the best reply alone if it only draws. `seen` is how often the position after the move has been
    there, this time included.
    """

    ply: int  # from 1 on
    position: Position  # before the move
    move: Move
    before: Outcome | None
    after: Outcome | None
    best: Move | None
    verdict: Verdict | None
    refutation: tuple[Move, ...] = ()
    seen: int = 1

    @property
    def side(self) -> Mark:
        return self.position.turn

    @property
    def regret(self) -> int | None:
        """What the move gave away, 1 for each step from a win to a draw to a loss; None if not known."""
        if self.before is None or self.after is None:
            return None
        return _RANK[self.before.value] - _RANK[self.after.value]

    @property
    def cost(self) -> str:
        """As in "won in 7 → lost in 12"."""
        return f"{_state(self.before)} → {_state(self.after)}"

    def to_json(self) -> dict[str, Any]:
        text = self.position.rules.move_text
        return {
            "ply": self.ply,
            "side": self.side,
            "position": str(self.position),
            "move": text(self.move),
            "before": _outcome_json(self.before),
            "after": _outcome_json(self.after),
            "best": self.best and text(self.best),
            "verdict": self.verdict,
            "cost": self.cost if self.verdict else None,
            "refutation": [text(move) for move in self.refutation],
            "seen": self.seen,
        }


@dataclass(frozen=True, slots=True)
class Side:
    """What one side did: of its `judged` moves, those whose worth is known, some were mistakes or slow."""

    moves: int
    judged: int
    mistakes: int
    slow: int

    @property
    def accuracy(self) -> float | None:
        """The share of judged moves that were no mistakes; None without any."""
        return 1 - self.mistakes / self.judged if self.judged else None

    def to_json(self) -> dict[str, Any]:
        accuracy = None if self.accuracy is None else round(self.accuracy, 4)
        return {**asdict(self), "accuracy": accuracy}


@dataclass(frozen=True, slots=True)
class Analysis:
    """A game, judged move by move."""

    begin: Position
    moves: tuple[JudgedMove, ...]
    end: Position

    def side(self, mark: Mark) -> Side:
        own = [move for move in self.moves if move.side == mark]
        verdicts = Counter(move.verdict for move in own)
        judged = sum(move.before is not None and move.after is not None for move in own)
        return Side(len(own), judged, verdicts["mistake"], verdicts["slow"])

    @property
    def turned(self) -> JudgedMove | None:
        """The last mistake: after it, nothing was given away any more."""
        return next((move for move in reversed(self.moves) if move.verdict == "mistake"), None)

    def to_json(self) -> dict[str, Any]:
        return {
            **self.begin.rules.to_json(),
            "position": str(self.begin),
            "moves": [move.to_json() for move in self.moves],
            "x": self.side("x").to_json(),
            "o": self.side("o").to_json(),
            "turned": self.turned and self.turned.ply,
            "winner": self.end.winner,
        }


def analyse(prober: Prober, begin: Position, moves: Sequence[Move | str]) -> Analysis:
    """Judge the moves of a game from a position on; `ValueError` if one is not legal.

    >>> from inarow.quixo.prober import open_prober
    >>> from inarow.quixo.rules import Quixo
    >>> with open_prober(Quixo(3)) as prober:
    ...     found = analyse(prober, Quixo(3).start(), ["a1a3", "c1a1", "a2c2"])
    >>> [(move.verdict, move.cost) for move in found.moves if move.verdict]
    [('mistake', 'won in 5 → lost in 6')]
    """
    position = begin
    seen = Counter([begin])
    judged = []
    probe = prober.probe(begin)
    for ply, given in enumerate(moves, start=1):
        move = begin.rules.parse_move(given) if isinstance(given, str) else given
        after = position.play(move)
        seen[after] += 1
        following = prober.probe(after)
        judged.append(_judged(prober, ply, probe, move, following, seen[after]))
        position, probe = after, following
    return Analysis(begin, tuple(judged), position)


def _judged(prober: Prober, ply: int, probe: Probe, move: Move, following: Probe, seen: int) -> JudgedMove:
    played = next(each for each in probe.moves if each.move == move)
    # The position after a move may have been searched deeper by itself.
    there = MoveProbe.of(move, following.position, following.outcome)
    value = played.value or there.value
    after = None if value is None else Outcome(value, there.plies if played.plies is None else played.plies)
    before = probe.outcome
    verdict = _verdict(before, after)
    best = next((each.move for each in probe.moves if each.value == probe.value), None)
    refutation: tuple[Move, ...] = ()
    if verdict == "mistake":
        line = tuple(each.move for each in islice(prober.line(following.position), _LONGEST_REFUTATION))
        refutation = line or tuple(each.move for each in following.moves[:1])
    return JudgedMove(
        ply, probe.position, move, before, after, best if before else None, verdict, refutation, seen
    )


def _verdict(before: Outcome | None, after: Outcome | None) -> Verdict | None:
    if before is None or after is None:
        return None
    if _RANK[after.value] < _RANK[before.value]:
        return "mistake"
    if before.plies is None or after.plies is None or before.plies == after.plies:
        return None
    return "slow"


def _state(outcome: Outcome | None) -> str:
    if outcome is None:
        return "not known"
    known = _WORDS[outcome.value]
    return known if outcome.plies is None else f"{known} in {outcome.plies}"


def _outcome_json(outcome: Outcome | None) -> dict[str, Any]:
    return {"value": outcome and outcome.value, "plies": outcome and outcome.plies}
