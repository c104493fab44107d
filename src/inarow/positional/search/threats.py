"""Forced wins by threats in positional games.

A *threat* is a line that needs one more cell, which is empty: the other side must mark that cell or lose. A
sequence of threats forces every reply, until a move makes two threats at once.

>>> position = Game.named("mnk:4x4x3").parse("..../.x../.o../....")
>>> forced_win(position)
(6, 4, 7)
>>> winning_cells(position.play(6).play(4)), blocking_cells(position.play(6))
((7,), (4, 7))
"""

from __future__ import annotations

from functools import lru_cache

from inarow._native.positional import Threats
from inarow.positional.rules import Game, Position, cells_of


def winning_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the side to move completes a line."""
    found = 0 if position.is_over else _threats(position.rules).winning(position.x, position.o)
    return tuple(cells_of(found))


def blocking_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the other side would complete a line: unless the side to move wins at once,
    it must block. It can block only one.
    """
    found = 0 if position.is_over else _threats(position.rules).blocking(position.x, position.o)
    return tuple(cells_of(found))


def forced_win(position: Position) -> tuple[int, ...] | None:
    """A win of the side to move by threats, or None if there is none.

    The cells of both sides alternate, up to the one that completes a line: of 2n + 1 cells, n make threats
    and n answer them. An answer that makes a threat itself is blocked by a move that makes another threat.
    Where a move makes two threats, one of the two answers is shown. The win may not be the shortest.
    """
    found = [] if position.is_over else _threats(position.rules).forced_win(position.x, position.o)
    return tuple(found) or None


def promising_cells(position: Position) -> tuple[int, ...]:
    """The cells that look best to the side to move in a game that is not over, all of them equally good.

    First come those that complete, block or force a line. Then those after which the other side has no forced
    win or, if it always has one, its longest; of these, the ones in the most valuable lines.
    """
    return tuple(cells_of(_threats(position.rules).promising(position.x, position.o)))


@lru_cache(maxsize=64)
def _threats(game: Game) -> Threats:
    return Threats(game.cells, list(game.lines), game.maker_breaker)
