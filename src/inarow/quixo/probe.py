"""What is known about a position of Quixo and about its moves: the records that every lookup returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Literal, get_args, overload

import numpy as np

from inarow.errors import DamagedFile
from inarow.quixo.arrays import canonical_many
from inarow.quixo.rules import Move, Position
from inarow.values import OPPOSITE, VALUES, Outcome, Value

Source = Literal["table", "book", "search", "results"]
SOURCES: tuple[Source, ...] = get_args(Source)  # as the core numbers them


Known = tuple[int, int, int]  # value, plies and source, as the core has them
FoundMove = tuple[int, Known, int, int]  # its number, what is known, losing replies and all replies


@dataclass(frozen=True, slots=True)
class MoveProbe:
    """A legal move: the position after it, and its value for the side that makes it.

    `plies` counts from the position before the move. Value and plies are None where they are not known; a
    draw has no plies. Of a move that keeps a draw, `losing_replies` of its `replies` lose, if that was asked
    for and is known.

    >>> from inarow import Quixo, open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     print(prober.probe(Quixo(3).start()).moves[0])
    c1a1: win in 7
    """

    move: Move
    value: Value | None
    plies: int | None
    position: Position
    source: Source = "table"
    losing_replies: int | None = None
    replies: int | None = None

    @classmethod
    def of(cls, move: Move, child: Position, there: Outcome | None, source: Source = "table") -> MoveProbe:
        """A move to a position with this outcome for the side that is then to move."""
        if there is None:
            return cls(move, None, None, child, source)
        plies = None if there.plies is None else there.plies + 1
        return cls(move, OPPOSITE[there.value], plies, child, source)

    @property
    def text(self) -> str:
        """The move as people write it."""
        return self.position.rules.move_text(self.move)

    def __str__(self) -> str:
        return f"{self.text}: {_outcome_text(self.value, self.plies)}"

    def to_json(self) -> dict[str, Any]:
        return {
            "move": self.text,
            "value": self.value,
            "plies": self.plies,
            "position": str(self.position),
            "source": self.source,
            "losing_replies": self.losing_replies,
            "replies": self.replies,
        }


def moves_of(position: Position, found: Sequence[FoundMove]) -> tuple[MoveProbe, ...]:
    """All moves of a position as the core has them."""
    numbers = sorted([each[0] for each in found])
    after = dict(zip(numbers, position.successors(), strict=True))
    return tuple([move_of(*after[each[0]], each) for each in found])


def move_of(child: Position, move: Move, found: FoundMove) -> MoveProbe:
    """A move as the core has it."""
    _, (value, plies, source), losing, replies = found
    return MoveProbe(
        move,
        VALUES.get(value),
        None if plies < 0 else plies,
        child,
        SOURCES[source],
        None if losing < 0 else losing,
        None if replies < 0 else replies,
    )


def wrong_table(where: object, position: Position, here: Known, best: Known, move: int) -> DamagedFile:
    """The error of a table in which a position does not follow from its best move, or from its end."""
    one, other = (Outcome(VALUES[value], count_of(plies)) for value, plies, _ in (here, best))
    because = f"its game is over, a {other}"
    if move >= 0:
        because = f"its best move is {position.rules.move_text(position.rules.moves[move])}: {other}"
    return DamagedFile(f"the table in {where} is wrong: {position} is a {one} in it, but {because}")


def count_of(number: int) -> int | None:
    """A number of the core, which is negative where it is not known."""
    return None if number < 0 else number


class LaterMoves(Sequence[MoveProbe]):
    """Moves that are made when they are first looked at: that takes longer than to look up their values."""

    def __init__(self, make: Callable[[], tuple[MoveProbe, ...]]) -> None:
        self._make = make
        self._moves: tuple[MoveProbe, ...] | None = None

    def _made(self) -> tuple[MoveProbe, ...]:
        if self._moves is None:
            self._moves = self._make()
        return self._moves

    @overload
    def __getitem__(self, which: int) -> MoveProbe: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[MoveProbe, ...]: ...
    def __getitem__(self, which: int | slice) -> MoveProbe | tuple[MoveProbe, ...]:
        return self._made()[which]

    def __iter__(self) -> Iterator[MoveProbe]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())

    def __eq__(self, other: object) -> bool:
        return tuple(other) == self._made() if isinstance(other, tuple | LaterMoves) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())

    def __reduce__(self) -> tuple[type[tuple[MoveProbe, ...]], tuple[tuple[MoveProbe, ...]]]:
        return tuple, (self._made(),)


@dataclass(frozen=True, slots=True)
class Probe:
    """What is known about a position: its value for the side to move, and every legal move, best first.

    `source` says where the value comes from. Value and plies are None where they are not known, and then
    `reason` says why; a draw has no plies.

    >>> from inarow import Quixo, open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     probe = prober.probe(Quixo(3).start())
    >>> probe.value, probe.plies, probe.source, len(probe.moves)
    ('win', 7, 'table', 20)
    """

    position: Position
    value: Value | None
    plies: int | None
    moves: Sequence[MoveProbe]
    source: Source = "table"
    reason: str | None = None

    @property
    def outcome(self) -> Outcome | None:
        return None if self.value is None else Outcome(self.value, self.plies)

    @property
    def best(self) -> tuple[MoveProbe, ...]:
        """The moves that are as good as the first one, as far as is known."""
        return tuple(move for move in self.moves if _worth(move) == _worth(self.moves[0]))

    @property
    def alike(self) -> list[int]:
        """For each move a number, equal for moves to positions that are the same up to symmetry.

        Numbers are given in the order of the moves, from 0 on.
        """
        numbers: dict[int, int] = {}
        positions = [move.position for move in self.moves]
        try:
            words = np.array([position.mover_word for position in positions], np.uint64)
            canonical = canonical_many(self.position.rules, words).tolist()
        except ValueError:  # a board too large for words
            canonical = [position.canonical().key for position in positions]
        return [numbers.setdefault(key, len(numbers)) for key in canonical]

    def to_json(self) -> dict[str, Any]:
        return {
            "position": str(self.position),
            "value": self.value,
            "plies": self.plies,
            "source": self.source,
            "reason": self.reason,
            "moves": [
                {**move.to_json(), "alike": alike} for move, alike in zip(self.moves, self.alike, strict=True)
            ],
        }

    def __str__(self) -> str:
        return _outcome_text(self.value, self.plies)

    def _repr_html_(self) -> str:
        """For notebooks: the board beside a table with a row for each outcome, best first, and its moves.

        Like the drawings it needs no style sheet, and looks the same on a light and on a dark page.
        """
        position = self.position
        rows = [
            f"<tr>{_outcome_cell(value, plies)}<td style='text-align:left'>"
            f"{' '.join(position.rules.move_text(move.move) for move in moves)}</td></tr>"
            for (value, plies), moves in groupby(self.moves, key=_worth)
        ]
        status = "game over" if position.is_over else f"{position.turn.upper()} to move"
        return (
            "<div style='display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start'>"
            f"{position.svg(240)}"
            "<table style='background:#fffdf8;color:#2c2520;border-collapse:collapse'>"
            f"<caption style='text-align:left'><code>{escape(str(position))}</code></caption>"
            f"<tr>{_outcome_cell(self.value, self.plies)}"
            f"<td style='text-align:left'><b>{status}</b></td></tr>"
            f"{''.join(rows)}</table></div>"
        )


def _outcome_text(value: Value | None, plies: int | None) -> str:
    return "unknown" if value is None else str(Outcome(value, plies))


def _worth(move: MoveProbe) -> tuple[Value | None, int | None]:
    return move.value, move.plies


# Each value has a shape and a word as well as a colour.
_SHAPES: dict[Value | None, tuple[str, str]] = {
    "win": ("▲", "#126848"),
    "draw": ("=", "#6b5710"),
    "loss": ("▼", "#8c2f62"),
    None: ("?", "#5d544c"),
}


def _outcome_cell(value: Value | None, plies: int | None) -> str:
    shape, colour = _SHAPES[value]
    words = "not known" if value is None else str(Outcome(value, plies))
    return f"<td style='text-align:left;color:{colour};white-space:nowrap'>{shape} {words}</td>"
