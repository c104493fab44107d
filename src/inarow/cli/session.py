"""A game in the terminal, of a person against inarow or of two people: what all games have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import typer
from rich.console import Console

from inarow.cli.console import ask
from inarow.cli.exit_codes import INTERRUPTED
from inarow.cli.options import Side
from inarow.position import Position

AnyPosition = TypeVar("AnyPosition", bound=Position[Any])


class Session(ABC, Generic[AnyPosition]):
    """Lets the sides move in turn, and handles what a person types.

    `side` is what the person plays; inarow, if it is not both, plays the other.
    """

    def __init__(self, console: Console, side: Side, begin: AnyPosition) -> None:
        self.console = console
        self.side = side
        self.positions = [begin]  # of the game so far

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
        try:
            while not self.position.is_over:
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
        self.positions.append(self.position.play(text))
        self.show_board()

    def _is_persons(self, position: AnyPosition) -> bool:
        return self.side is Side.BOTH or self.side.value == position.turn

    def _listen(self) -> bool:
        """Handle one line of input; False if the person leaves."""
        words = ask(f"{self.position.turn.upper()}> ")
        if words is None:
            return False
        if words in ("help", "h", "?"):
            self.show_help()
        elif words == "undo":
            self._undo()
        elif words in self.commands:
            self.commands[words]()
        elif words:
            try:
                self.play(words)
            except ValueError as error:
                self.console.print(f"{error}", style="red")
        return True

    def _undo(self) -> None:
        """Go back to the person's last choice."""
        choices = [number for number, before in enumerate(self.positions[:-1]) if self._is_persons(before)]
        if not choices:
            self.console.print("There is nothing to take back.")
            return
        del self.positions[choices[-1] + 1 :]
        self.show_board()
