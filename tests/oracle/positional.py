"""Wins in positional games within so many moves, or by threats: by the rules alone, for tiny boards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from inarow.positional.rules import Game, Position


def wins_within(game: Game, x: int, o: int, moves: int) -> bool:
    """X is to move, and nobody has a line."""
    return next(winning_moves(game, x, o, moves), None) is not None


def winning_moves(game: Game, x: int, o: int, moves: int) -> Iterator[int]:
    """The cells with which X wins within so many moves, this one included."""

    @cache
    def wins(x: int, o: int, left: int) -> bool:
        return next(winning(x, o, left), None) is not None

    def winning(x: int, o: int, left: int) -> Iterator[int]:
        empty = [cell for cell in range(game.cells) if left > 0 and not (x | o) >> cell & 1]
        return (cell for cell in empty if move_wins(x | 1 << cell, o, left - 1))

    def move_wins(x: int, o: int, left: int) -> bool:
        if game.wins(x):
            return True
        replies = [o | 1 << cell for cell in range(game.cells) if not (x | o) >> cell & 1]
        lost = any(game.wins(reply) for reply in replies) and not game.maker_breaker
        return bool(replies) and not lost and all(wins(x, reply, left) for reply in replies)

    return winning(x, o, moves)


@cache
def fewest_threats(position: Position) -> float:
    """Of a win of the side to move by threats alone, against every reply; infinite if there is none."""
    game, me, none = position.rules, position.turn, float("inf")
    if me == "o" and game.maker_breaker:
        return none
    if completing(position):
        return 0
    best = none
    for after in map(position.play, position.legal_moves()):
        if not after.is_over and completing(after, me):
            replies = [after.play(reply) for reply in after.legal_moves()]
            best = min(best, 1 + max(none if reply.is_over else fewest_threats(reply) for reply in replies))
    return best


def completing(position: Position, side: str | None = None) -> list[int]:
    """The cells where a side, by default the one to move, would complete a line."""
    mine = position.x if (side or position.turn) == "x" else position.o
    return [cell for cell in position.legal_moves() if position.rules.wins(mine | 1 << cell)]
