"""A game in the terminal between a person and inarow: what all such games have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import typer
from rich.console import Console

from inarow.cli.console import ask
from inarow.cli.exit_codes import INTERRUPTED


@dataclass(slots=True)
class Session(ABC):
    """Lets the person and inarow move in turn, and handles what the person types."""

    console: Console

    @property
    @abstractmethod
    def over(self) -> bool: ...

    @property
    @abstractmethod
    def turn(self) -> str:
        """The side to move, x or o."""

    @property
    @abstractmethod
    def is_persons_turn(self) -> bool: ...

    @property
    @abstractmethod
    def commands(self) -> Mapping[str, Callable[[], None]]:
        """What a person can type other than a move, help and quit."""

    @abstractmethod
    def show_help(self) -> None: ...

    @abstractmethod
    def answer(self) -> None:
        """Make inarow's move, and show it."""

    @abstractmethod
    def play(self, text: str) -> None:
        """Make the person's move, or `ValueError` with what is wrong with it."""

    @abstractmethod
    def tell_end(self) -> None: ...

    def run(self) -> None:
        """Play to the end of the game, or until the person leaves."""
        try:
            while not self.over:
                if not self.is_persons_turn:
                    self.answer()
                elif not self._listen():
                    self.console.print("The game ends here.")
                    return
        except KeyboardInterrupt:
            self.console.print("\nThe game ends here.")
            raise typer.Exit(INTERRUPTED) from None
        self.tell_end()

    def _listen(self) -> bool:
        """Handle one line of input; False if the person leaves."""
        words = ask(f"{self.turn.upper()}> ")
        if words is None:
            return False
        if words in ("help", "h", "?"):
            self.show_help()
        elif words in self.commands:
            self.commands[words]()
        elif words:
            try:
                self.play(words)
            except ValueError as error:
                self.console.print(f"{error}", style="red")
        return True
