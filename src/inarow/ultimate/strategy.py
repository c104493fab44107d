"""Strategies for Ultimate Tic-Tac-Toe in the open variant.

They are those of *At Most 43 Moves, At Least 29* (arXiv:2006.02353): `xavier` wins for the first player,
`lbs` keeps the second from losing early, `lemma6` and `lemma7` punish openings that are not the best. The
second player's are functions from a position to all moves that the paper allows.

Olivia's strategies follow two rules for the field that she is sent to, `spread_spots` and `keep_spot`, which
see nothing else of the board: `inarow.ultimate.claims` has them verified in every case.

>>> from inarow.ultimate.rules import Ultimate
>>> position = Ultimate().parse("44 40 04 43")
>>> str(xavier(position)), explain(position).phase
('34', 'opening')
>>> [str(move) for move in lbs(Ultimate().parse("44"))]
['40', '41', '42', '43', '45', '46', '47', '48']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from inarow._native import ultimate as native
from inarow.errors import InarowError
from inarow.ultimate.rules import FULL, Move, Position
from inarow.values import Mark

Strategy = Callable[[Position], Move]
Phase = Literal["opening", "middlegame", "endgame"]


class OffStrategy(InarowError):
    """The strategy does not lead to the position, so it has no move for it."""

    def __init__(self, reason: str, position: Position | None = None) -> None:
        """`reason` is the message for those who see the position."""
        super().__init__(f"{position.text!r}: {reason}" if position else reason)
        self.reason = reason


# --- The first player's win ---


@dataclass(frozen=True, slots=True)
class Explanation:
    """A move of Xavier's strategy, the phase of the game, and the reason for the move."""

    move: Move
    phase: Phase
    why: str


def xavier(position: Position) -> Move:
    """The move of the first player's winning strategy; `OffStrategy` if X has not followed it."""
    return explain(position).move


def explain(position: Position) -> Explanation:
    """The move of the first player's winning strategy, and why it is played.

    - *Opening*: the centre of the board, then the centre of each field that O sends X to, until the centre
      field is full. One field is left without an X in its centre, the one X is sent to last: *home*. Opposite
      it is *far*. (Home is field 0 in the paper, far is field 8; on an edge they are fields like 1 and 7.)
    - *Middlegame*: the spot *home* of the field X is sent to, so that O stays at home. Where O gives a free
      choice or sends X to *far*, he plays in *far*: the first time its spot *home*, the second time its spot
      *far*, which with the centre wins the field.
    - *Endgame*: in the field X is sent to, the spot *home*, or *far* if home is taken, which wins that field.

    X's marks are a function of O's: his move is the one mark that he still lacks.
    """
    _check(position, "x")
    found = native.explain(position.move_numbers)
    if isinstance(found, str):
        raise OffStrategy(found, position)
    move, phase, why = found
    return Explanation(Move.of_number(move), phase, why)


# --- The second player's resistance ---


def lbs(position: Position) -> tuple[Move, ...]:
    """Olivia's moves not to lose before ply 29, called LBS in the paper: `spread_spots` in each field."""
    _check(position, "o")
    return _spread_choices(position, spent=0)


def lemma6(position: Position) -> tuple[Move, ...]:
    """Olivia's answers to a first move (i, j) that is not a double: X does not win before ply 49.

    She keeps X in fields j and i until both are full, and then plays LBS in the seven fields left.
    """
    _check(position, "o")
    first = position.moves_played[0]
    if first.field == first.spot:
        raise OffStrategy(f"{first}: the strategy of Lemma 6 is for a first move that is not a double")
    return _keep_choices(position, first.spot, first.field)


def lemma7(position: Position) -> tuple[Move, ...]:
    """Olivia's answers to (i, i) and, after her (i, j), not (j, i): X does not win before ply 47.

    Her first move (i, j) is any. If X continues with (j, k), she keeps him in fields k and i until both are
    full, and then plays LBS in the seven fields left.
    """
    _check(position, "o")
    first = position.moves_played[0]
    if first.field != first.spot:
        raise OffStrategy(f"{first}: the strategy of Lemma 7 is for a first move that is a double")
    if position.ply == 1:
        return position.legal_moves()
    third = position.moves_played[2]
    if third.spot == first.field:
        raise OffStrategy(
            f"{third}: the strategy of Lemma 7 is for a second move of X that does not send back"
        )
    return _keep_choices(position, third.spot, first.field)


def spread_spots(field: int, taken: int, without_x: int, spent: int) -> int:
    """LBS in a field: the mask of the spots that Olivia may play there.

    If no spot is taken, she sends X back to the field. Otherwise she sends him to a field of `without_x`,
    where he has no mark yet; if none is in reach, anywhere. The `spent` fields are full, and their numbers
    are taken as spots of all other fields: such spots, and marks on them, do not count.
    """
    if not taken & ~spent:
        return 1 << field
    free = FULL & ~taken
    return free & without_x or free


def keep_spot(taken: int, first: int, second: int) -> int | None:
    """How Olivia keeps X in two fields until they are full: the spot that she plays in any field.

    It is the number of one of the two, `first` if she can; None if both spots are `taken`.
    """
    return next((spot for spot in (first, second) if not taken >> spot & 1), None)


def _keep_choices(position: Position, first: int, second: int) -> tuple[Move, ...]:
    """Keep X in two fields until they are full, then spread him over the others."""
    if position.active is not None:
        spot = keep_spot(position.taken(position.active), first, second)
        if spot is not None:
            return (Move(position.active, spot),)
    spent = 1 << first | 1 << second
    if any(position.taken(field) != FULL for field in (first, second)):
        raise OffStrategy("O has not followed the strategy", position)
    return _spread_choices(position, spent)


def _spread_choices(position: Position, spent: int) -> tuple[Move, ...]:
    """LBS where the `spent` fields are full, and those spots of all other fields are taken."""
    without_x = ~spent & sum(1 << field for field in range(9) if not position.x[field] & ~spent)
    return tuple(
        Move(field, spot)
        for field in position.active_fields
        for spot in range(9)
        if spread_spots(field, position.taken(field), without_x, spent) >> spot & 1
    )


def _check(position: Position, side: Mark) -> None:
    if position.rules.variant != "open":
        raise OffStrategy("the strategy is for the open variant, where a field that is won stays playable")
    if position.is_over:
        raise OffStrategy(f"the game is over, {position.status}")
    if position.turn != side:
        raise OffStrategy(f"the strategy is {side.upper()}'s, but {position.status}")
