"""`inarow quixo play`: a game in the terminal against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import typer

from inarow.cli.console import counted, stdout
from inarow.cli.options import SeedOption, Side, SideOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.words import STYLES, board, moves_table, outcome_text, position_text
from inarow.cli.session import Session
from inarow.quixo.player import Player
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.rules import Position

HELP = """A move is the cell whose tile you take and the cell where you push it in: {example}.
  hint   the best moves          undo   take your last move back
  moves  every move              quit   leave the game"""


class Opponent(StrEnum):
    PERFECT = "perfect"
    TRAPPING = "trapping"
    WEAKER = "weaker"


def play(
    position: options.PositionArgument = None,
    side: SideOption = Side.X,
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    against: Annotated[
        Opponent,
        typer.Option("--against", help="inarow at its best, setting traps in a draw, or making mistakes."),
    ] = Opponent.TRAPPING,
    seed: SeedOption = None,
) -> None:
    """Play against inarow, or against each other.

    With a table, or on a board that is solved when needed, inarow makes no mistakes unless told to.
    """
    lookup = Lookup(table, line, double_line)
    begin = lookup.begin(position, size)
    player = Player(lookup.prober(begin.rules), against.value, seed)
    session = _Session(stdout(), player, side or Side.X, begin)
    session.introduce()
    session.run()


@dataclass(slots=True)
class _Session(Session):
    """A game between a person at the terminal and inarow."""

    player: Player
    side: Side
    begin: Position
    moves: list[MoveProbe] = field(default_factory=list)

    @property
    def position(self) -> Position:
        return self.moves[-1].position if self.moves else self.begin

    def introduce(self) -> None:
        self.console.print(str(self.begin.rules), style="bold")
        if not self.player.prober.is_fast:
            self.console.print(self.player.prober.describe(), style="dim")
        self.show_help()
        self._show_board()

    @property
    def over(self) -> bool:
        return self.position.is_over

    @property
    def turn(self) -> str:
        return self.position.turn

    @property
    def is_persons_turn(self) -> bool:
        return self._is_persons(self.position)

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        return {
            "undo": self._undo,
            "hint": lambda: self._show_moves(lambda probe: probe.best),
            "moves": lambda: self._show_moves(lambda probe: probe.moves),
        }

    def answer(self) -> None:
        move = self.player.choose(self.position)
        self.moves.append(move)
        self.console.print(f"inarow plays {self._text(move)}", style="bold")
        self._show_board()

    def _is_persons(self, position: Position) -> bool:
        return self.side is Side.BOTH or self.side.value == position.turn

    def play(self, text: str) -> None:
        after = self.position.play(text)
        probe = self.player.prober.probe(self.position)
        self.moves.append(next(move for move in probe.moves if move.move == after.last_move))
        self._show_board()

    def _undo(self) -> None:
        """Back to the person's last choice."""
        keep = len(self.moves) - 1
        while keep >= 0 and not self._is_persons(self._before(keep)):
            keep -= 1
        if keep < 0:
            self.console.print("There is nothing to take back.")
            return
        del self.moves[keep:]
        self._show_board()

    def _before(self, number: int) -> Position:
        return self.moves[number - 1].position if number else self.begin

    def show_help(self) -> None:
        self.console.print(HELP.format(example=f"a1a{self.begin.rules.rows}"), style="dim")

    def _show_board(self) -> None:
        self.console.print()
        self.console.print(board(self.position))
        self.console.print()

    def _show_moves(self, chosen: Callable[[Probe], Sequence[MoveProbe]]) -> None:
        probe = self.player.prober.probe(self.position)
        self.console.print(position_text(probe), style=STYLES[probe.value])
        self.console.print(moves_table(chosen(probe)))

    def tell_end(self) -> None:
        winner = self.position.winner
        assert winner is not None
        if not self.moves:
            self.console.print(f"The game is over: {winner.upper()} has won.")
            return
        self.console.print(f"{winner.upper()} wins after {counted(len(self.moves), 'move')}.", style="bold")
        for number, move in enumerate(self.moves):
            probe = self.player.prober.probe(self._before(number))
            if None not in (probe.value, move.value) and probe.value != move.value:
                before, after = outcome_text(probe.value, probe.plies), outcome_text(move.value, move.plies)
                self.console.print(
                    f"Move {number + 1}, {probe.position.turn.upper()} {self._text(move)}, turned a {before} "
                    f"into a {after}; {self._text(probe.moves[0])} was best."
                )

    def _text(self, move: MoveProbe) -> str:
        return self.begin.rules.move_text(move.move)
