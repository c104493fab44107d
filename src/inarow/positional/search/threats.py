"""Forced wins by threats in positional games.

A *threat* is a line that lacks one cell, and that cell is empty: the other side must mark it or lose. Threats
upon threats leave no choice but that one, until a move makes two at once. Such wins are found with little
search, however long they are.

>>> from inarow.positional.rules import Game
>>> position = Game.named("mnk:4x4x3").parse("..../.x../.o../....")
>>> forced_win(position)
(6, 4, 7)
>>> winning_cells(position.play(6).play(4)), blocking_cells(position.play(6))
((7,), (4, 7))
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from inarow.positional.rules import Game, Position

__all__ = ["blocking_cells", "forced_win", "winning_cells"]

_NO_LIMIT = 1 << 30  # more threats than any game has


def winning_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the side to move completes a line."""
    if position.terminal or not _makes_lines(position.game, position.turn):
        return ()
    return _cells(_threats(position.game.lines, *_sides(position)))


def blocking_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the other side would complete a line: the side to move must take one.

    If there are two, it can only hope.
    """
    if position.terminal or not _makes_lines(position.game, "o" if position.turn == "x" else "x"):
        return ()
    mine, theirs = _sides(position)
    return _cells(_threats(position.game.lines, theirs, mine))


def forced_win(position: Position, limit: int | None = None) -> tuple[int, ...] | None:
    """A win of the side to move by threats alone, of at most `limit` of them, or None if there is none.

    The cells of both sides by turns, up to the one that completes a line: of 2 n + 1 cells, n make threats
    and n answer them. An answer that threatens in turn is met with a move that makes another threat. Where a
    move makes two threats, the answer shown is as good as the other. Not necessarily the shortest win.
    """
    game = position.game
    if position.terminal or not _makes_lines(game, position.turn):
        return None
    at_once = winning_cells(position)
    if at_once:
        return at_once[:1]
    must = blocking_cells(position)
    if len(must) > 1:
        return None
    mine, theirs = _sides(position)
    search = _Search(game)
    pairs = search.pairs(game.lines, mine, theirs)
    return search.find(mine, theirs, _mask(must), pairs, _NO_LIMIT if limit is None else limit)


class _Search:
    """Depth first, with a table of what has failed: threats in another order come to the same position."""

    def __init__(self, game: Game) -> None:
        self._two_sided = not game.maker_breaker
        self._through = _lines_through_cells(game)
        self._failed: dict[tuple[int, int], int] = {}  # positions, and the most threats that did not do

    @staticmethod
    def pairs(lines: Iterable[int], mine: int, theirs: int) -> list[int]:
        """The masks of the last two cells of lines: a move at one of them is a threat at the other."""
        lacking = (line & ~mine for line in lines if not line & theirs)
        return [pair for pair in dict.fromkeys(lacking) if pair.bit_count() == 2]

    def find(self, mine: int, theirs: int, must: int, pairs: list[int], limit: int) -> tuple[int, ...] | None:
        """The cells of a win where no line can be completed at once; `must` is where the other side would."""
        once = twice = 0
        for pair in pairs:
            twice |= once & pair
            once |= pair
        if must:
            once, twice = once & must, twice & must
        if limit < 1 or not once:
            return None
        if twice:
            move = twice & -twice
            return _cell(move), *[_cell(pair ^ move) for pair in pairs if pair & move][:2]
        if limit < 2 or self._failed.get((mine, theirs), 0) >= limit:
            return None

        for pair in reversed(pairs):  # the newest first: what we are here for
            for move in _bits(pair & once):
                reply = pair ^ move
                rest = self._after(mine | move, theirs | reply, move, reply, pairs, limit - 1)
                if rest is not None:
                    return _cell(move), _cell(reply), *rest
        self._failed[mine, theirs] = limit
        return None

    def _after(
        self, mine: int, theirs: int, move: int, reply: int, pairs: list[int], limit: int
    ) -> tuple[int, ...] | None:
        """Goes on after a move that made one threat, and the reply to it."""
        must = 0
        if self._two_sided:
            # All earlier threats of the other side have been answered, so that new ones go through the reply.
            must = _threats(self._through[_cell(reply)], theirs, mine)
            if must & (must - 1):
                return None
        kept = [pair for pair in pairs if not pair & (move | reply)]
        new = self.pairs(self._through[_cell(move)], mine, theirs)
        return self.find(mine, theirs, must, [*kept, *(pair for pair in new if pair not in kept)], limit)


@lru_cache(maxsize=64)
def _lines_through_cells(game: Game) -> list[list[int]]:
    return [[line for line in game.lines if line >> cell & 1] for cell in range(game.cells)]


def _makes_lines(game: Game, side: str) -> bool:
    return side == "x" or not game.maker_breaker


def _sides(position: Position) -> tuple[int, int]:
    """The masks of the side to move and of the other."""
    return (position.x, position.o) if position.turn == "x" else (position.o, position.x)


def _threats(lines: Iterable[int], mine: int, theirs: int) -> int:
    """The mask of the cells where a mark of mine completes one of the lines."""
    cells = 0
    for line in lines:
        lacking = line & ~mine
        if not lacking & (lacking - 1) and not lacking & theirs:
            cells |= lacking
    return cells


def _bits(mask: int) -> list[int]:
    """The cells of a mask, each as a mask."""
    bits = []
    while mask:
        bits.append(mask & -mask)
        mask &= mask - 1
    return bits


def _cells(mask: int) -> tuple[int, ...]:
    return tuple(_cell(bit) for bit in _bits(mask))


def _cell(bit: int) -> int:
    return bit.bit_length() - 1


def _mask(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)
