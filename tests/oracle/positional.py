"""Whether X wins a positional game within so many moves: by the rules alone, for tiny boards."""

from __future__ import annotations

from functools import cache

from inarow.positional.rules import Game


def wins_within(game: Game, x: int, o: int, moves: int) -> bool:
    """X is to move, and nobody has a line."""

    @cache
    def wins(x: int, o: int, left: int) -> bool:
        empty = [cell for cell in range(game.cells) if not (x | o) >> cell & 1]
        return left > 0 and any(move_wins(x | 1 << cell, o, left - 1) for cell in empty)

    def move_wins(x: int, o: int, left: int) -> bool:
        if complete(x):
            return True
        replies = [o | 1 << cell for cell in range(game.cells) if not (x | o) >> cell & 1]
        lost = any(complete(reply) for reply in replies) and not game.maker_breaker
        return bool(replies) and not lost and all(wins(x, reply, left) for reply in replies)

    def complete(mask: int) -> bool:
        return any(line & ~mask == 0 for line in game.lines)

    return wins(x, o, moves)
