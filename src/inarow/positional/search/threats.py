"""Forced wins by threats in positional games.

A *threat* is a line that needs one more cell, which is empty: the other side must mark that cell or lose. A
sequence of threats forces every reply, until a move makes two threats at once. Little search finds such
wins, however long they are.

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

from inarow.positional.rules import Game, Position, cells_of
from inarow.values import Mark, opponent

__all__ = ["blocking_cells", "forced_win", "promising_cells", "winning_cells"]

_NO_LIMIT = 1 << 30  # more threats than any game has


def winning_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the side to move completes a line."""
    return tuple(cells_of(_completing(position, position.turn)))


def blocking_cells(position: Position) -> tuple[int, ...]:
    """The cells, in order, where the other side would complete a line: unless the side to move wins at once,
    it must block. It can block only one.
    """
    return tuple(cells_of(_completing(position, opponent(position.turn))))


def forced_win(position: Position, limit: int | None = None) -> tuple[int, ...] | None:
    """A win of the side to move by at most `limit` threats, or None if there is none.

    The cells of both sides alternate, up to the one that completes a line: of 2n + 1 cells, n make threats
    and n answer them. An answer that makes a threat itself is blocked by a move that makes another threat.
    Where a move makes two threats, one of the two answers is shown. The win may not be the shortest.
    """
    game = position.rules
    if position.is_over or not _makes_lines(game, position.turn):
        return None
    if at_once := winning_cells(position):
        return at_once[:1]
    must = _completing(position, opponent(position.turn))
    if must & (must - 1):
        return None
    mine, theirs = _sides(position)
    search = _Search(game)
    pairs = search.pairs(game.lines, mine, theirs)
    return search.find(mine, theirs, must, pairs, _NO_LIMIT if limit is None else limit)


def promising_cells(position: Position) -> tuple[int, ...]:
    """The cells that look best to the side to move in a game that is not over, all of them equally good.

    First come those that complete, block or force a line. Then those after which the other side has no forced
    win or, if it always has one, its longest; of these, the ones in the most valuable lines. A line that only
    one side can still complete is worth 4 to the power of that side's marks in it.
    """
    urgent = winning_cells(position) or blocking_cells(position) or forced_win(position)
    if urgent:
        return urgent[:1]
    wins = {cell: forced_win(position.play(cell)) for cell in position.legal_moves()}
    lost_in = {cell: _NO_LIMIT if win is None else len(win) for cell, win in wins.items()}
    longest = max(lost_in.values())
    worth = {cell: _worth(position, cell) for cell, plies in lost_in.items() if plies == longest}
    return tuple(cell for cell in worth if worth[cell] == max(worth.values()))


def _worth(position: Position, cell: int) -> int:
    mine, theirs = _sides(position)
    return sum(
        4 ** (line & (mine | theirs)).bit_count()
        for line in _lines_through_cells(position.rules)[cell]
        if not (line & mine and line & theirs)
    )


class _Search:
    """Depth-first search with a table of failures: threats in another order reach the same position."""

    def __init__(self, game: Game) -> None:
        self._two_sided = not game.maker_breaker
        self._through = _lines_through_cells(game)
        self._failed: dict[tuple[int, int], int] = {}  # positions, and the most threats tried there

    @staticmethod
    def pairs(lines: Iterable[int], mine: int, theirs: int) -> list[int]:
        """The masks of the two cells that lines still need: a move at one makes a threat at the other."""
        needed = (line & ~mine for line in lines if not line & theirs)
        return [pair for pair in dict.fromkeys(needed) if pair.bit_count() == 2]

    def find(self, mine: int, theirs: int, must: int, pairs: list[int], limit: int) -> tuple[int, ...] | None:
        """The cells of a win in a position where the side to move cannot complete a line at once.

        `must` is the cell where the other side could, if any.
        """
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

        for pair in reversed(pairs):  # the newest first: the last move was made for their sake
            for move in (1 << cell for cell in cells_of(pair & once)):
                reply = pair ^ move
                rest = self._after(mine | move, theirs | reply, move, reply, pairs, limit - 1)
                if rest is not None:
                    return _cell(move), _cell(reply), *rest
        self._failed[mine, theirs] = limit
        return None

    def _after(
        self, mine: int, theirs: int, move: int, reply: int, pairs: list[int], limit: int
    ) -> tuple[int, ...] | None:
        """The rest of the win after a move that made one threat, and the reply to it."""
        must = 0
        if self._two_sided:
            # Earlier threats of the other side have all been answered: new ones contain the reply.
            must = _threats(self._through[_cell(reply)], theirs, mine)
            if must & (must - 1):
                return None
        kept = [pair for pair in pairs if not pair & (move | reply)]
        new = self.pairs(self._through[_cell(move)], mine, theirs)
        return self.find(mine, theirs, must, [*kept, *(pair for pair in new if pair not in kept)], limit)


@lru_cache(maxsize=64)
def _lines_through_cells(game: Game) -> list[list[int]]:
    return [[line for line in game.lines if line >> cell & 1] for cell in range(game.cells)]


def _makes_lines(game: Game, side: Mark) -> bool:
    return side == "x" or not game.maker_breaker


def _sides(position: Position) -> tuple[int, int]:
    """The masks of the side to move and of the other side."""
    return (position.x, position.o) if position.turn == "x" else (position.o, position.x)


def _completing(position: Position, side: Mark) -> int:
    """The mask of the cells where a side completes a line, or would if it were to move."""
    if position.is_over or not _makes_lines(position.rules, side):
        return 0
    mine, theirs = (position.x, position.o) if side == "x" else (position.o, position.x)
    return _threats(position.rules.lines, mine, theirs)


def _threats(lines: Iterable[int], mine: int, theirs: int) -> int:
    """The mask of the cells where the side `mine` would complete one of the lines."""
    cells = 0
    for line in lines:
        needed = line & ~mine
        if not needed & (needed - 1) and not needed & theirs:
            cells |= needed
    return cells


def _cell(bit: int) -> int:
    return bit.bit_length() - 1
