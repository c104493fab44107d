"""`inarow quixo play`: a game in the terminal against inarow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

import typer

from inarow.cli.options import JsonOption, SeedOption, Side, SideOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.words import STYLES, board, moves_table, outcome_text, position_text
from inarow.cli.session import Session
from inarow.quixo.player import Player
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.rules import Move, Position
from inarow.words import counted

HELP = """A move is the cell whose tile you take and the cell where you push it in: {example}.
  hint   the best moves          undo   take your last move back
  moves  every move              quit   leave the game"""


def play(
    position: options.PositionArgument = None,
    side: SideOption = Side.X,
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    against: Annotated[
        options.Strength,
        typer.Option("--against", help="inarow at its best, setting traps, or making mistakes."),
    ] = options.Strength.BEST,
    level: options.LevelOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play against inarow, or against each other.

    With a table, or on a board that is solved when needed, inarow plays perfectly unless told not to. Without
    one it plays by the book and a search of two seconds, which is not perfect; it says which when it begins.
    """
    lookup = Lookup(table, line, double_line)
    begin = lookup.begin(position, size)
    player = options.player_of(lookup.prober(begin.rules), against, level, seed)
    session = _Session(player, side or Side.X, begin, as_json)
    session.introduce()
    session.run()


class _Session(Session[Position]):
    """A game of Quixo, with what is known about its positions."""

    def __init__(self, player: Player, side: Side, begin: Position, as_json: bool) -> None:
        super().__init__(side, begin, as_json=as_json)
        self.player = player

    def introduce(self) -> None:
        self.console.print(str(self.position.rules), style="bold")
        self.console.print(self.player.describe(), style="dim")
        if not self.player.prober.knows_everything:
            self.console.print(self.player.prober.describe(), style="dim")
        self.show_help()
        self.show_board()

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        return {
            "hint": lambda: self._show_moves(lambda probe: probe.best),
            "moves": lambda: self._show_moves(lambda probe: probe.moves),
        }

    def answer(self) -> None:
        move = self.player.choose(self.position, self.positions)
        self.advance(move.move)
        self.console.print(f"inarow plays {self._text(move.move)}", style="bold")
        self.show_board()

    def show_help(self) -> None:
        self.console.print(HELP.format(example=f"a1a{self.position.rules.rows}"), style="dim")

    def show_board(self) -> None:
        self.console.print()
        self.console.print(board(self.position))
        self.console.print()

    def _show_moves(self, chosen: Callable[[Probe], Sequence[MoveProbe]]) -> None:
        prober = self.player.prober
        probe = prober.with_replies(prober.probe(self.position))
        self.console.print(position_text(probe), style=STYLES[probe.value])
        self.console.print(moves_table(chosen(probe)))

    def tell_end(self) -> None:
        winner = self.position.winner
        assert winner is not None
        plies = len(self.positions) - 1
        if not plies:
            self.console.print(f"The game is over: {winner.upper()} has won.")
            return
        self.console.print(f"{winner.upper()} wins after {counted(plies, 'move')}.", style="bold")
        for number, (before, after) in enumerate(pairwise(self.positions), start=1):
            self._tell_mistake(number, before, after)

    def _tell_mistake(self, number: int, before: Position, after: Position) -> None:
        """Show a move that changed the value of the game."""
        probe = self.player.prober.probe(before)
        played = next(move for move in probe.moves if move.move == after.last_move)
        if None not in (probe.value, played.value) and probe.value != played.value:
            was, became = outcome_text(probe.value, probe.plies), outcome_text(played.value, played.plies)
            self.console.print(
                f"Move {number}, {before.turn.upper()} {self._text(played.move)}, turned a {was} "
                f"into a {became}; {self._text(probe.moves[0].move)} was best."
            )

    def _text(self, move: Move) -> str:
        return self.position.rules.move_text(move)
