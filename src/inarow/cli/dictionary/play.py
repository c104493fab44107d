"""`inarow dictionary play`: a game in the terminal against a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Annotated

import typer
from rich.text import Text

from inarow.cli.dictionary import common
from inarow.cli.options import JsonOption, Side
from inarow.cli.session import Session
from inarow.errors import NotationError
from inarow.positional.dictionary.player import DictionaryPlayer, NoAnswer, Reason
from inarow.positional.rules import Position
from inarow.words import counted

HELP = """You are O. A move is the number of an empty cell: {example}.
  moves  the game so far         undo   take your last move back
  help   this text               quit   leave the game"""

_DUMB = "Only look positions up: complete no lines, block none and force no wins."
_STYLES = {None: "dim", "x": "bold bright_blue", "o": "bold bright_red"}
_WHY: dict[Reason, str] = {
    "win": "it completes a line",
    "block": "it blocks yours",
    "dictionary": "line {line} of the dictionary",
    "forced": "a forced win in {threats}",
}


def play(
    game: common.GameOption,
    file: common.OptionalFileArgument = None,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = "full",
    dumb: Annotated[bool, typer.Option("--dumb", help=_DUMB)] = False,
    as_json: JsonOption = False,
) -> None:
    """Play O against a dictionary.

    By default it is assisted: in this order, it completes a line, blocks yours, looks the position up, and
    forces a win by threats. Exit code 1: it had no answer.
    """
    rules = common.game_of(game, maker_breaker, symmetry)
    _, dictionary, name = common.opened(file, rules)
    player = DictionaryPlayer(rules, dictionary, symmetry, assisted=not dumb)
    session = _Session(player, as_json)
    session.console.print(str(rules), style="bold")
    lines = counted(len(dictionary.lines), "line")
    session.console.print(f"inarow is X, with {lines} of {name}", soft_wrap=True)
    session.show_help()
    session.run()


class _Session(Session[Position]):
    """A game between the player, who is X, and a person."""

    def __init__(self, player: DictionaryPlayer, as_json: bool) -> None:
        super().__init__(Side.O, player.game.start(), as_json=as_json)
        self.player = player

    @property
    def moves(self) -> list[int]:
        """The cells marked so far."""
        return [
            ((after.x | after.o) ^ (before.x | before.o)).bit_length() - 1
            for before, after in pairwise(self.positions)
        ]

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        return {"moves": self._show_moves}

    def answer(self) -> None:
        try:
            answer = self.player.answer(self.position)
        except NoAnswer as error:
            self.show_board()
            self.complain(f"inarow gives up: {error}")
            self._show_moves()
            raise typer.Exit(error.exit_code) from None
        self.advance(answer.cell)
        why = _WHY[answer.reason].format(line=answer.line_number, threats=counted(answer.threats, "threat"))
        self.console.print(f"inarow plays {answer.cell}: {why}", style="bold")
        self.show_board()

    def play(self, text: str) -> None:
        if not text.isdecimal():
            raise ValueError(
                f"{text[:20]!r}: neither the number of a cell nor one of moves, undo, help, quit"
            )
        try:
            self.advance(text)
        except NotationError as error:
            raise ValueError(error.reason) from None

    def show_help(self) -> None:
        self.console.print(HELP.format(example=self.player.game.cells - 1), style="dim")

    def _show_moves(self) -> None:
        game = (f"{'XO'[number % 2]} {cell}" for number, cell in enumerate(self.moves))
        self.console.print(f"Moves so far: {', '.join(game) or 'none'}")

    def show_board(self) -> None:
        self.console.print()
        self.console.print(_board(self.position, self.moves), soft_wrap=True)
        self.console.print()

    def tell_end(self) -> None:
        winner = self.position.winner
        if self.position.turn == "x":  # the person's move ended it, and the board has not been shown
            self.show_board()
        how = f"{winner.upper()} wins" if winner else "Nobody has won: the board is full"
        self.console.print(f"{how} after {counted(len(self.moves), 'move')}.", style="bold")


def _board(position: Position, moves: list[int]) -> Text:
    """Layers side by side, with the numbers of the empty cells; the last marks are capitals."""
    width = len(str(position.rules.cells - 1))
    cells = []
    for cell in range(position.rules.cells):
        mark = position.mark_at(cell)
        shown = cell if mark is None else mark.upper() if cell in moves[-2:] else mark
        cells.append(f"[{_STYLES[mark]}]{shown:>{width}}[/]")
    return Text.from_markup(position.rules.layout(cells))
