"""The rules of Ultimate Tic-Tac-Toe: positions, moves and their notation.

Nine fields of nine spots. A player marks a spot of the active field, and the spot decides which field is
active next: after (i, j) it is field j, or any field if j cannot be played in. Three marks in a row win a
field, three fields in a row win the game. A field belongs to the side that wins it first.

- *open*: a field that is won can be played in until it is full.
- *closed*: a field that is won can no longer be played in. Most people play this rule.

>>> position = Ultimate().start().play("44").play("40")
>>> position.active, position.turn, len(position.legal_moves())
(0, 'x', 9)
>>> position.play("08").text
'44 40 08'

Names follow Bertholon, Géraud-Stewart, Kugelmann, Lenoir and Naccache, *At Most 43 Moves, At Least 29* (2020,
arXiv:2006.02353), whose rule is the open one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import lru_cache
from typing import Literal

from inarow.errors import NotationError
from inarow.symmetry import Symmetry, geometric_symmetries, image
from inarow.ultimate.drawing import draw
from inarow.values import Mark, Value

Variant = Literal["open", "closed"]

# Fields and spots are numbered alike; bit s of a mask is spot s:
#
#     0 1 2
#     3 4 5
#     6 7 8

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # rows, columns, diagonals
FULL = 0o777
SYMMETRIES = geometric_symmetries((1, 3, 3), LINES)
"""The eight symmetries, the identity first: each maps field f to `to[f]` and spot s to `to[s]`."""


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """Mark a spot of a field. Written as two digits, the field and the spot.

    >>> str(Move(4, 0)), Move(4, 0).number
    ('40', 36)
    """

    field: int
    spot: int

    def __post_init__(self) -> None:
        for name, number in (("field", self.field), ("spot", self.spot)):
            if not 0 <= number <= 8:
                raise ValueError(f"{name} {number}: must be 0 to 8")

    @classmethod
    def of_number(cls, number: int) -> Move:
        """The move with this `number`."""
        return cls(*divmod(number, 9))

    @property
    def number(self) -> int:
        """9 · field + spot: what certificates and the C++ code call the move."""
        return 9 * self.field + self.spot

    def __str__(self) -> str:
        return f"{self.field}{self.spot}"

    def image(self, to: Symmetry) -> Move:
        """The move that a symmetry turns this one into."""
        return Move(to[self.field], to[self.spot])


@dataclass(frozen=True, slots=True)
class Ultimate:
    """The rules: whether a field that is won stays open.

    >>> print(Ultimate("closed"))
    Ultimate Tic-Tac-Toe, closed
    """

    variant: Variant = "open"

    def __post_init__(self) -> None:
        if self.variant not in ("open", "closed"):
            raise ValueError(f"variant {self.variant!r}: must be 'open' or 'closed'")

    def __str__(self) -> str:
        return f"Ultimate Tic-Tac-Toe, {self.variant}"

    def start(self) -> Position:
        """The empty board with X to move."""
        return _start(self)

    def parse(self, text: str) -> Position:
        """The position after the moves of a text like ``44 40 04``; ``start`` or nothing is the start.

        Moves are separated by spaces or commas. `NotationError` names the ply of the first move that cannot
        be read or played, and says why.

        >>> Ultimate().parse("44, 40, 51")
        Traceback (most recent call last):
        ...
        inarow.errors.NotationError: ply 3, move 51: must be in field 0, where 40 sends
          44, 40, 51
                  ^
        """
        position = self.start()
        if text.strip().lower() == "start":
            return position
        for word in re.finditer(r"[^\s,]+", text):
            ply = position.ply + 1
            try:
                position = position.play(word.group())
            except NotationError as error:
                reason = f"ply {ply}: {error.reason}"
                raise NotationError(reason, text, word.start() + error.column) from None
            except ValueError as error:
                raise NotationError(f"ply {ply}, {error}", text, word.start()) from None
        return position

    def move_text(self, move: Move) -> str:
        return str(move)

    def parse_move(self, text: str) -> Move:
        """The move of two digits, its field and its spot; `NotationError` points at what is wrong."""
        for place, (what, digit) in enumerate(zip(("field", "spot"), text, strict=False)):
            if digit not in "012345678":
                raise NotationError(f"no {what} {digit!r}; must be 0 to 8", text, place)
        if len(text) != 2:
            reason = "a move is two digits, its field and its spot, as in 40"
            raise NotationError(reason, text, min(len(text), 2))
        return Move(int(text[0]), int(text[1]))


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """A board, the field to play in, and the moves that led here; immutable.

    `x` and `o` hold a mask for each field, `x_fields` and `o_fields` are the masks of the fields won, and
    `active` is the field to play in, None where the choice is free.

    Positions are equal if their rules, marks, won fields and active field are: then the same side is to move,
    and the rest of the game is the same. The order of the moves that led there makes no difference.

    >>> print(Ultimate().parse("44 40 08 88 80 03 36 67 77 73 30 00 05 50 02 27 70").ascii())
    o . x |       |
    o . x |       |
    . . x |       |   o
    ------+-------+------
    x     | o     | o
          |   x   |
    x     |       |
    ------+-------+------
          | X     | x
          | o     |
      o   |   x   |     o
    o to move in field 0
    x has won field 0
    last move 70
    """

    rules: Ultimate
    x: tuple[int, ...] = (0,) * 9
    o: tuple[int, ...] = (0,) * 9
    x_fields: int = 0
    o_fields: int = 0
    active: int | None = None
    moves_played: tuple[Move, ...] = dataclass_field(default=(), compare=False)

    # --- What is on the board ---

    @property
    def ply(self) -> int:
        """How many moves have been played."""
        return len(self.moves_played)

    @property
    def turn(self) -> Mark:
        """The side to move; when the game is over, the side that would be."""
        return "x" if len(self.moves_played) % 2 == 0 else "o"

    @property
    def move_numbers(self) -> list[int]:
        """The numbers of the moves played, as the C++ code takes a position."""
        return [move.number for move in self.moves_played]

    @property
    def last_move(self) -> Move | None:
        return self.moves_played[-1] if self.moves_played else None

    def mark(self, field: int, spot: int) -> Mark | None:
        """The mark in a spot, None if it is free."""
        return "x" if self.x[field] >> spot & 1 else "o" if self.o[field] >> spot & 1 else None

    def taken(self, field: int) -> int:
        """The mask of the spots of a field that hold a mark."""
        return self.x[field] | self.o[field]

    def field_winner(self, field: int) -> Mark | None:
        """The side that has won a field, None if neither has."""
        return "x" if self.x_fields >> field & 1 else "o" if self.o_fields >> field & 1 else None

    def playable(self, field: int) -> bool:
        """Whether a field has a free spot and, in the closed variant, has not been won."""
        if self.rules.variant == "closed" and (self.x_fields | self.o_fields) >> field & 1:
            return False
        return self.taken(field) != FULL

    @property
    def winner(self) -> Mark | None:
        """The side that has won the game: None if it is drawn or not over."""
        return "x" if _HAS_LINE[self.x_fields] else "o" if _HAS_LINE[self.o_fields] else None

    @property
    def winning_fields(self) -> tuple[int, ...]:
        """The fields in a winning line; none if nobody has won."""
        won = self.x_fields if self.winner == "x" else self.o_fields
        lines = [line for line in LINES if won & line == line]
        return tuple(field for field in range(9) if any(line >> field & 1 for line in lines))

    @property
    def is_over(self) -> bool:
        """Whether the game is won, or no spot is left to play."""
        return self.winner is not None or not any(map(self.playable, range(9)))

    @property
    def result(self) -> Value | None:
        """For the side to move, once the game is over: "loss" or "draw"; None while it is not."""
        if not self.is_over:
            return None
        return "draw" if self.winner is None else "win" if self.winner == self.turn else "loss"

    @property
    def status(self) -> str:
        """As in "x to move in field 4", "o to move anywhere", "x has won" or "drawn"."""
        if not self.is_over:
            return f"{self.turn} to move {'anywhere' if self.active is None else f'in field {self.active}'}"
        return f"{self.winner} has won" if self.winner else "drawn"

    @property
    def captures(self) -> list[str]:
        """The fields won, as in "x has won fields 0, 4"."""
        won = {mark: [str(field) for field in range(9) if self.field_winner(field) == mark] for mark in "xo"}
        return [
            f"{mark} has won {'field' if len(fields) == 1 else 'fields'} {', '.join(fields)}"
            for mark, fields in won.items()
            if fields
        ]

    # --- Play ---

    @property
    def active_fields(self) -> tuple[int, ...]:
        """The fields that the side to move may play in; none when the game is over."""
        if self.is_over:
            return ()
        return tuple(filter(self.playable, range(9))) if self.active is None else (self.active,)

    def legal_moves(self) -> tuple[Move, ...]:
        """In ascending order; none when the game is over."""
        return tuple(
            _MOVES[field][spot]
            for field in self.active_fields
            for spot in range(9)
            if not self.taken(field) >> spot & 1
        )

    def play(self, move: Move | str) -> Position:
        """The position after a move or its text; `ValueError` with the reason if it is not legal."""
        if isinstance(move, str):
            move = self.rules.parse_move(move)
        why = self.why_illegal(move)
        if why is not None:
            raise ValueError(f"move {move}: {why}")
        field, spot = move.field, move.spot
        mine = self.x if self.turn == "x" else self.o
        marked = mine[field] | 1 << spot
        after = (*mine[:field], marked, *mine[field + 1 :])
        won = 1 << field if _HAS_LINE[marked] and self.field_winner(field) is None else 0
        moves = (*self.moves_played, move)
        if self.turn == "x":
            sent = Position(self.rules, after, self.o, self.x_fields | won, self.o_fields, spot, moves)
        else:
            sent = Position(self.rules, self.x, after, self.x_fields, self.o_fields | won, spot, moves)
        return sent if sent.playable(spot) else replace(sent, active=None)

    def why_illegal(self, move: Move) -> str | None:
        """The reason why a move cannot be played, None if it can."""
        if self.is_over:
            return f"the game is over, {self.status}"
        if self.active not in (None, move.field):
            return f"must be in field {self.active}, where {self.last_move} sends"
        mark = self.mark(move.field, move.spot)
        if mark is not None:
            return f"spot {move.spot} of field {move.field} already has an {mark}"
        if not self.playable(move.field):
            return f"field {move.field} is closed, {self.field_winner(move.field)} has won it"
        return None

    # --- Notation and pictures ---

    @property
    def text(self) -> str:
        """The moves so far, as `Ultimate.parse` reads them; ``start`` before the first."""
        return " ".join(map(str, self.moves_played)) or "start"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        variant = "" if self.rules.variant == "open" else f"{self.rules.variant!r}"
        return f"Ultimate({variant}).parse({self.text!r})"

    def ascii(self) -> str:
        """The board in plain text: dots where the side to move may play, the last move a capital."""
        active = self.active_fields
        rows = []
        for row in range(9):
            parts = []
            for column in range(3):
                field = row // 3 * 3 + column
                empty = "." if field in active else " "
                marks = []
                for spot in range(row % 3 * 3, row % 3 * 3 + 3):
                    mark = self.mark(field, spot) or empty
                    marks.append(mark.upper() if self.last_move == _MOVES[field][spot] else mark)
                parts.append(" ".join(marks))
            rows.append(" | ".join(parts).rstrip())
            if row in (2, 5):
                rows.append("------+-------+------")
        rows += [self.status, *self.captures]
        if self.last_move is not None:
            rows.append(f"last move {self.last_move}")
        return "\n".join(rows)

    def svg(self, size_px: int = 420, caption: str | None = None) -> str:
        """A drawing of the position, `size_px` wide, with an optional caption under the board."""
        return draw(self, size_px=size_px, caption=caption)

    def _repr_svg_(self) -> str:
        return self.svg()

    # --- Equivalent positions ---

    def image(self, to: Symmetry) -> Position:
        """The position that a symmetry turns this one into; it acts on fields and spots at once."""
        x, o = [0] * 9, [0] * 9
        for field in range(9):
            x[to[field]], o[to[field]] = image(self.x[field], to), image(self.o[field], to)
        return Position(
            self.rules,
            tuple(x),
            tuple(o),
            image(self.x_fields, to),
            image(self.o_fields, to),
            None if self.active is None else to[self.active],
            tuple(move.image(to) for move in self.moves_played),
        )

    def canonical(self) -> Position:
        """The image with the smallest masks: the same for all symmetric positions."""
        return min(map(self.image, SYMMETRIES), key=_order)


_MOVES = tuple(tuple(Move(field, spot) for spot in range(9)) for field in range(9))
_HAS_LINE = tuple(any(mask & line == line for line in LINES) for mask in range(FULL + 1))


@lru_cache(maxsize=2)
def _start(rules: Ultimate) -> Position:
    return Position(rules)


def _order(position: Position) -> tuple[object, ...]:
    active = 9 if position.active is None else position.active
    return position.x, position.o, position.x_fields, position.o_fields, active
