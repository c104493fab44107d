"""What a position is, in every game."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

from inarow.values import Mark, Value

Move = TypeVar("Move")


class Rules(Protocol[Move]):
    """The rules of a game: immutable, hashable, and where positions come from.

    >>> import inarow
    >>> for rules in (inarow.Quixo(5), inarow.Game.named("qubic"), inarow.Ultimate()):
    ...     moves = rules.start().legal_moves()
    ...     print(len(moves), rules.move_text(moves[0]))
    44 e1a1
    64 0
    81 00
    """

    def start(self) -> Position[Move]:
        """The position in which a game begins."""

    def parse(self, text: str) -> Position[Move]:
        """The position of a text, as `Position.text` gives it; `NotationError` points at what is wrong."""

    def move_text(self, move: Move) -> str:
        """A move as people write it."""

    def parse_move(self, text: str) -> Move:
        """The move of a text; `NotationError` points at what is wrong."""


class Position(Protocol[Move]):
    """A board and the side to move: immutable, hashable, equal if the rest of the game is the same.

    >>> import inarow
    >>> position = inarow.Ultimate().start().play("44").play("40")
    >>> position.turn, position.is_over, position.text, len(position.legal_moves())
    ('x', False, '44 40', 9)
    """

    @property
    def rules(self) -> Any:
        """The `Rules` of its game."""

    @property
    def turn(self) -> Mark:
        """The side to move."""

    @property
    def text(self) -> str:
        """The position as people write it, also `str(position)`; `rules.parse` reads it."""

    @property
    def is_over(self) -> bool: ...

    @property
    def winner(self) -> Mark | None:
        """Who has won; None if nobody has, or has yet."""

    @property
    def result(self) -> Value | None:
        """For the side to move, once the game is over; None while it is not."""

    def legal_moves(self) -> tuple[Move, ...]:
        """None when the game is over."""

    def play(self, move: Move | str) -> Self:
        """The position after a move or its text; `ValueError` with the reason if it is not legal."""

    def svg(self) -> str:
        """A drawing."""
