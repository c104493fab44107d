"""`inarow quixo play` and `engine`: games against inarow, of a person or of another program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import inarow
from inarow.cli.options import JsonOption, SeedOption, Side, SideOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.words import STYLES, board, moves_table, position_text
from inarow.cli.session import Session
from inarow.errors import InarowError
from inarow.quixo.analysis import analyse
from inarow.quixo.engine import serve
from inarow.quixo.player import LEVELS, Player
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Move, Position
from inarow.quixo.strategy import Strategy, read_strategy
from inarow.words import counted


class Strength(StrEnum):
    BEST = "best"
    TRAP = "trap"
    WEAKER = "weaker"


LevelOption = Annotated[
    int | None,
    typer.Option(
        "--level",
        metavar="L",
        min=1,
        max=len(LEVELS),
        help=f"inarow sees few plies ahead: 1, the weakest, to {len(LEVELS)}.",
    ),
]


def player_of(prober: Prober, strength: Strength, level: int | None, seed: int | None) -> Player:
    """The player that the options ask for."""
    if level is None:
        return Player(prober, strength.value, seed)
    if strength is not Strength.BEST:
        raise InarowError(f"--level and {strength.value}: only one of them can choose how inarow plays")
    return Player(prober, "level", seed, level=level)


HELP = """A move is the cell whose tile you take and the cell where you push it in: {example}.
  hint   the best moves          undo   take your last move back
  moves  every move              quit   leave the game
  draw   end the game when a position is there for the third time"""
REPEATED = 3


@with_lookup()
def play(
    lookup: Lookup,
    position: options.PositionArgument = None,
    side: SideOption = None,
    against: Annotated[
        Strength,
        typer.Option("--against", help="inarow at its best, setting traps, or making mistakes."),
    ] = Strength.BEST,
    level: LevelOption = None,
    dictionary: Annotated[
        Path | None,
        path_option("--dictionary", help="inarow plays X by a file that 'inarow quixo strategy' wrote."),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play against inarow, or against each other.

    On boards of up to 16 cells, or with a complete table with plies, inarow plays perfectly unless told not
    to. Otherwise it plays by what it has, such as the 5×5 book and a search of two seconds, and may err.
    """
    strategy = None if dictionary is None else read_strategy(dictionary)
    if strategy is not None:
        if position is not None or side not in (None, Side.O):
            raise InarowError("a dictionary is for X, from the start of the game: you play O")
        side, lookup.otherwise = Side.O, strategy.rules
    begin = lookup.begin(position)
    if strategy is not None and begin.rules != strategy.rules:
        raise InarowError(f"{dictionary} is for {strategy.rules}, not for {begin.rules}")
    player = player_of(lookup.prober(begin.rules), against, level, seed)
    session = _Session(player, strategy, side or Side.X, begin, as_json)
    session.introduce()
    session.run()


class _Session(Session[Position]):
    """A game of Quixo, with what is known about its positions."""

    def __init__(
        self, player: Player, strategy: Strategy | None, side: Side, begin: Position, as_json: bool
    ) -> None:
        super().__init__(side, begin, as_json=as_json)
        self.player = player
        self.strategy = strategy

    def introduce(self) -> None:
        self.console.print(str(self.position.rules), style="bold")
        if self.strategy is None:
            self.console.print(self.player.describe(), style="dim")
        else:
            answers = counted(len(self.strategy.answers), "position")
            self.console.print(f"Plays by a dictionary of {answers}.", style="dim")
        if not self.player.prober.knows_everything:
            self.console.print(self.player.prober.describe(), style="dim")
        self.show_help()
        self.show_board()

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        return {
            "hint": lambda: self._show_moves(lambda probe: probe.best),
            "moves": lambda: self._show_moves(lambda probe: probe.moves),
            "draw": self._agree,
        }

    def answer(self) -> None:
        move = None if self.strategy is None else self.strategy.move(self.position)
        if move is None:
            if self.strategy is not None:
                self.console.print("The dictionary has no answer: inarow plays its best.", style="dim")
            move = self.player.choose(self.position, self.positions).move
        self.advance(move)
        self.console.print(f"inarow plays {self._text(move)}", style="bold")
        self.show_board()

    def show_help(self) -> None:
        self.console.print(HELP.format(example=f"a1a{self.position.rules.rows}"), style="dim")

    def show_board(self) -> None:
        self.console.print()
        self.console.print(board(self.position))
        self.console.print()
        times = self.positions.count(self.position)
        if times == 2:
            self.console.print("This position was there before.")
        elif times > 2:
            self.console.print(f"This position is there for the {times}. time: 'draw' ends the game.")

    def _agree(self) -> None:
        self.is_agreed = self.positions.count(self.position) >= REPEATED
        if not self.is_agreed:
            self.complain("A draw is offered when a position is there for the third time.")

    def _show_moves(self, chosen: Callable[[Probe], Sequence[MoveProbe]]) -> None:
        prober = self.player.prober
        probe = prober.with_replies(prober.probe(self.position))
        self.console.print(position_text(probe), style=STYLES[probe.value])
        self.console.print(moves_table(chosen(probe)))

    def tell_end(self) -> None:
        winner = self.position.winner
        plies = len(self.positions) - 1
        if winner is None:
            how = "" if self.position.is_over else " by repetition"
            self.console.print(f"A draw{how} after {counted(plies, 'move')}.", style="bold")
            return
        if not plies:
            self.console.print(f"The game is over: {winner.upper()} has won.")
            return
        self.console.print(f"{winner.upper()} wins after {counted(plies, 'move')}.", style="bold")
        moves = [position.last_move for position in self.positions[1:] if position.last_move]
        for move in analyse(self.player.prober, self.positions[0], moves).moves:
            if move.verdict == "mistake" and move.best is not None:
                self.console.print(
                    f"Move {move.ply}, {move.side.upper()} {self._text(move.move)}, turned a {move.before} "
                    f"into a {move.after}; {self._text(move.best)} was best."
                )

    def _text(self, move: Move) -> str:
        return self.position.rules.move_text(move)


@with_lookup()
def engine(
    lookup: Lookup,
    strength: Annotated[
        Strength,
        typer.Option("--strength", help="inarow at its best, setting traps, or making mistakes."),
    ] = Strength.BEST,
    level: LevelOption = None,
    seed: SeedOption = None,
) -> None:
    """Play against other programs, over standard input and output.

    The commands are like those of UCI for chess: 'position startpos moves a1a4', 'go movetime 1000', and then
    inarow answers with 'info' and 'bestmove'. docs/engine-protocol.md describes them all.
    """
    # What must be solved is solved now, not on the clock.
    player = player_of(lookup.prober(lookup.rules), strength, level, seed)
    serve(player, f"inarow {inarow.__version__}", sys.stdin, sys.stdout)
