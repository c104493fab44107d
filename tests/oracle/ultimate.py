"""Ultimate Tic-Tac-Toe as plainly as it can be written: lists, and the rules word for word."""

from __future__ import annotations

from dataclasses import dataclass, field

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def line_of(marks: list[str], mark: str) -> bool:
    return any(all(marks[place] == mark for place in row) for row in ROWS)


@dataclass
class Game:
    closed: bool
    spots: list[list[str]] = field(default_factory=lambda: [[""] * 9 for _ in range(9)])
    fields: list[str] = field(default_factory=lambda: [""] * 9)
    previous: int | None = None  # spot of the last move
    turn: str = "x"

    def winner(self) -> str:
        return next((mark for mark in "xo" if line_of(self.fields, mark)), "")

    def has_room(self, number: int) -> bool:
        return "" in self.spots[number] and not (self.closed and self.fields[number])

    def moves(self) -> set[tuple[int, int]]:
        if self.winner():
            return set()
        fields = [number for number in range(9) if self.has_room(number)]
        if self.previous in fields:
            fields = [self.previous]
        return {(number, spot) for number in fields for spot in range(9) if not self.spots[number][spot]}

    def play(self, number: int, spot: int) -> None:
        assert (number, spot) in self.moves()
        self.spots[number][spot] = self.turn
        if not self.fields[number] and line_of(self.spots[number], self.turn):
            self.fields[number] = self.turn
        self.previous = spot
        self.turn = "o" if self.turn == "x" else "x"
