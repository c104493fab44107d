"""The rules of Ultimate Tic-Tac-Toe in the open variant, for the checks alone.

They share no code with `inarow.ultimate.rules`. Fields and spots are numbered 0 to 8 in rows from the top,
and a move is the number 9 · field + spot.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

ANYWHERE = 9
"""The active field where the side to move may choose."""
FULL = 0o777
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # rows, columns, diagonals
_HAS_LINE = tuple(any(mask & line == line for line in LINES) for mask in range(FULL + 1))
_BITS = tuple(tuple(bit for bit in range(9) if mask >> bit & 1) for mask in range(FULL + 1))
_QUARTER_TURN = (2, 5, 8, 1, 4, 7, 0, 3, 6)
_MIRROR = (2, 1, 0, 5, 4, 3, 8, 7, 6)
_TURNS = [tuple(range(9))]
for _ in range(3):
    _TURNS.append(tuple(_QUARTER_TURN[number] for number in _TURNS[-1]))
SYMMETRIES = (*_TURNS, *(tuple(_MIRROR[number] for number in to) for to in _TURNS))
"""The eight symmetries: each maps field f to `to[f]` and spot s to `to[s]`."""


def bits(mask: int) -> tuple[int, ...]:
    """The numbers in a mask of nine bits."""
    return _BITS[mask]


def moves_text(moves: tuple[int, ...]) -> str:
    """As in "44 40 04", a field and a spot for each move; "start" if there are none."""
    return " ".join(f"{move // 9}{move % 9}" for move in moves) or "start"


class Board(NamedTuple):
    """A position: the marks, the fields won and the active field.

    Bit 9 · field + spot of `x` and `o` is a mark. The side to move follows from how many there are.
    """

    x: int = 0
    o: int = 0
    x_fields: int = 0
    o_fields: int = 0
    active: int = ANYWHERE

    @property
    def ply(self) -> int:
        return (self.x | self.o).bit_count()

    @property
    def x_to_move(self) -> bool:
        return self.ply % 2 == 0

    def x_marks(self, field: int) -> int:
        return self.x >> 9 * field & FULL

    def o_marks(self, field: int) -> int:
        return self.o >> 9 * field & FULL

    def taken(self, field: int) -> int:
        return (self.x | self.o) >> 9 * field & FULL

    def mark(self, field: int, spot: int) -> Literal["x", "o", "."]:
        """A dot if the spot is free."""
        bit = 9 * field + spot
        return "x" if self.x >> bit & 1 else "o" if self.o >> bit & 1 else "."

    @property
    def winner(self) -> Literal["x", "o"] | None:
        return "x" if _HAS_LINE[self.x_fields] else "o" if _HAS_LINE[self.o_fields] else None

    @property
    def is_over(self) -> bool:
        return self.winner is not None or self.ply == 81

    def legal_moves(self) -> list[int]:
        """In ascending order; none when the game is over."""
        if self.is_over:
            return []
        taken = self.x | self.o
        fields = range(9) if self.active == ANYWHERE else (self.active,)
        return [9 * field + spot for field in fields for spot in _BITS[~taken >> 9 * field & FULL]]

    def why_illegal(self, move: int) -> str | None:
        """The reason why a move cannot be played, None if it can."""
        if not 0 <= move <= 80:
            return f"{move} is not a move"
        field, spot = divmod(move, 9)
        if self.is_over:
            return "the game is over"
        if self.active not in (ANYWHERE, field):
            return f"{field}{spot} is not in field {self.active}"
        if self.taken(field) >> spot & 1:
            return f"{field}{spot} is taken"
        return None

    def play(self, move: int) -> Board:
        """The board after a move that is legal."""
        field, spot = divmod(move, 9)
        x, o, x_fields, o_fields, _ = self
        open_field = not (x_fields | o_fields) >> field & 1
        if self.x_to_move:
            x |= 1 << move
            x_fields |= (open_field and _HAS_LINE[x >> 9 * field & FULL]) << field
        else:
            o |= 1 << move
            o_fields |= (open_field and _HAS_LINE[o >> 9 * field & FULL]) << field
        active = ANYWHERE if (x | o) >> 9 * spot & FULL == FULL else spot
        return Board(x, o, x_fields, o_fields, active)


class Game(NamedTuple):
    """A board and moves that lead to it."""

    board: Board = Board()
    moves: tuple[int, ...] = ()

    def play(self, move: int) -> Game:
        """The game after a move; `Wrong` if it is not legal."""
        why = self.board.why_illegal(move)
        if why is not None:
            raise Wrong(f"an illegal move: {why}", self.moves)
        return Game(self.board.play(move), (*self.moves, move))


class Wrong(Exception):
    """A strategy does not do what is claimed: the reason and, where there is one, a game that shows it."""

    def __init__(self, reason: str, moves: tuple[int, ...] | None = None) -> None:
        super().__init__(reason, moves)
        self.reason = reason
        self.moves = moves

    def __str__(self) -> str:
        return self.reason if self.moves is None else f"after {moves_text(self.moves)}: {self.reason}"

    def to_json(self) -> dict[str, str | None]:
        return {"moves": None if self.moves is None else moves_text(self.moves), "reason": self.reason}
