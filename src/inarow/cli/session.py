"""A game in the terminal, of a person against inarow or of two people: what all games have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import typer

from inarow.cli.console import ask, print_json, stdout
from inarow.cli.exit_codes import INTERRUPTED
from inarow.cli.options import Side
from inarow.position import Position

AnyPosition = TypeVar("AnyPosition", bound=Position[Any])


class Session(ABC, Generic[AnyPosition]):
    """Lets the sides move in turn, and handles what a person types.

    `side` is what the person plays; inarow, if it is not both, plays the other. With `as_json` a program
    plays in the person's place: it gets a line for each position, and types moves, undo or quit.
    """

    def __init__(self, side: Side, begin: AnyPosition, *, as_json: bool) -> None:
        self.console = stdout(quiet=as_json)
        self.as_json = as_json
        self.side = side
        self.positions = [begin]  # of the game so far
        self.is_agreed = False  # whether the sides have agreed on a draw

    @property
    def position(self) -> AnyPosition:
        return self.positions[-1]

    # --- What a game adds ---

    @property
    @abstractmethod
    def commands(self) -> Mapping[str, Callable[[], None]]:
        """What a person can type other than a move, undo, help and quit."""

    @abstractmethod
    def show_help(self) -> None: ...

    @abstractmethod
    def show_board(self) -> None: ...

    @abstractmethod
    def answer(self) -> None:
        """Make inarow's move, and show it."""

    @abstractmethod
    def tell_end(self) -> None: ...

    # --- The game ---

    def run(self) -> None:
        """Play to the end of the game, or until the person leaves."""
        self._report(None, None)
        try:
            while not self.position.is_over and not self.is_agreed:
                if not self._is_persons(self.position):
                    self.answer()
                elif not self._listen():
                    self.console.print("The game ends here.")
                    return
        except KeyboardInterrupt:
            self.console.print("\nThe game ends here.")
            raise typer.Exit(INTERRUPTED) from None
        self.tell_end()

    def play(self, text: str) -> None:
        """Make the person's move, or raise `ValueError` with what is wrong with it."""
        self.advance(text)
        self.show_board()

    def advance(self, move: Any) -> None:
        """Make a move, of either side, given as the game's own or as its text."""
        by = "person" if self._is_persons(self.position) else "inarow"
        self.positions.append(self.position.play(move))
        rules = self.position.rules
        self._report(rules.move_text(rules.parse_move(move) if isinstance(move, str) else move), by)

    def _is_persons(self, position: AnyPosition) -> bool:
        return self.side is Side.BOTH or self.side.value == position.turn

    def _listen(self) -> bool:
        """Handle one line of input; False if the person leaves."""
        words = ask(f"{self.position.turn.upper()}> ", self.console)
        if words is None:
            return False
        if words in ("help", "h", "?"):
            self.show_help()
        elif words == "undo":
            self._undo()
        elif words in self.commands and not self.as_json:
            self.commands[words]()
        elif words:
            try:
                self.play(words)
            except ValueError as error:
                self.complain(str(error))
        return True

    def _undo(self) -> None:
        """Go back to the person's last choice."""
        choices = [number for number, before in enumerate(self.positions[:-1]) if self._is_persons(before)]
        if not choices:
            self.complain("There is nothing to take back.")
            return
        del self.positions[choices[-1] + 1 :]
        self._report(None, None)
        self.show_board()

    # --- For programs ---

    def _report(self, move: str | None, by: str | None) -> None:
        """The position, and the move that led to it."""
        if self.as_json:
            position = self.position
            print_json(
                {
                    "ply": len(self.positions) - 1,
                    "move": move,
                    "by": by,
                    "position": position.text,
                    "turn": position.turn,
                    "over": position.is_over,
                    "winner": position.winner,
                },
                now=True,
            )

    def complain(self, error: str) -> None:
        if self.as_json:
            print_json({"error": error}, now=True)
        self.console.print(error, style="red", soft_wrap=True)
