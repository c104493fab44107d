"""`inarow ultimate play`: a game of Ultimate Tic-Tac-Toe in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import typer
from rich.text import Text

from inarow.cli.console import progress, tell
from inarow.cli.options import JsonOption, SeedOption, Side, SideOption
from inarow.cli.session import Session
from inarow.errors import InarowError
from inarow.ultimate.players import Mcts, Player, suitable_kind
from inarow.ultimate.rules import Position, Ultimate, Variant
from inarow.values import Mark, opponent
from inarow.words import counted

HELP = """A move is a field and a spot, each a number from 0 at the upper left to 8: 40.
Dots show where you may play, the capital is the last move.
  hint   the best moves of a search    undo   take your last move back
  moves  the game so far               quit   leave the game"""

_STYLES = {"x": "bold bright_blue", "o": "bold bright_red", ".": "dim"}
_HINT_PLAYOUTS = 50_000
_HINTS = 3


def play(
    position: Annotated[
        str,
        typer.Argument(metavar="MOVES", help="Where to begin: the moves so far, as in '44 40 04'."),
    ] = "",
    side: SideOption = None,
    variant: Annotated[
        Variant, typer.Option("--variant", help="Whether a field that is won stays open for play.")
    ] = "open",
    against: Annotated[
        Literal["xavier", "lbs", "optimal", "random", "mcts"] | None,
        typer.Option(
            "--against",
            help="Xavier's strategy, which wins as X; LBS, which resists as O; a player of the proven "
            "optimal length; random moves; or Monte-Carlo tree search.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="T", help="How long mcts searches for a move; 1 by default."),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option("--playouts", metavar="N", min=1, help="How many playouts mcts makes per move instead."),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play against inarow, or against each other.

    The opponent is one of the strategies of 'At Most 43 Moves, At Least 29', or Monte-Carlo tree search.
    """
    rules = Ultimate(variant)
    try:
        begin = rules.parse(position)
        player = None
        if side is not Side.BOTH:
            plays: Mark | None = None if side is None else "o" if side is Side.X else "x"
            kind = suitable_kind(rules, plays) if against is None else against
            if kind == "optimal" and plays == "o":
                tell("Reading the proof that X does not win by ply 41: half a minute, and 1 GB of memory.")
            with progress("reading the proof") as report:
                player = Player(
                    kind, rules, plays, seconds=seconds, playouts=playouts, seed=seed, progress=report
                )
            side = Side(opponent(player.side))
        elif (against, seconds, playouts) != (None, None, None):
            raise InarowError("--as both is for two people; --against, --seconds and --playouts are for one")
    except ValueError as error:
        raise InarowError(str(error)) from None
    session = _Session(player, side, begin, as_json)
    session.introduce()
    session.run()


class _Session(Session[Position]):
    """A game of Ultimate Tic-Tac-Toe."""

    def __init__(self, player: Player | None, side: Side, begin: Position, as_json: bool) -> None:
        super().__init__(side, begin, as_json=as_json)
        self.player = player

    def introduce(self) -> None:
        self.console.print(str(self.position.rules), style="bold")
        if self.player is not None:
            self.console.print(
                f"You are {self.side.upper()}, {self.player.side.upper()} is {self.player.name}."
            )
        self.show_help()
        self.show_board()

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        return {"hint": self._show_hint, "moves": self._show_moves}

    def answer(self) -> None:
        assert self.player is not None
        choice = self.player.choose(self.position)
        self.advance(choice.move)
        self.console.print(f"inarow plays {choice.move}", style="bold")
        if choice.remark:
            self.console.print(choice.remark, style="dim")
        self.show_board()

    def show_help(self) -> None:
        self.console.print(HELP, style="dim")

    def show_board(self) -> None:
        self.console.print()
        self.console.print(_board(self.position))
        self.console.print()

    def _show_hint(self) -> None:
        thought = Mcts(playouts=_HINT_PLAYOUTS, seed=0).think(self.position)
        for candidate in thought.candidates[:_HINTS]:
            self.console.print(f"  {candidate.move}  {candidate.describe()}")

    def _show_moves(self) -> None:
        self.console.print(f"Moves so far: {self.position.text}", soft_wrap=True)

    def tell_end(self) -> None:
        winner = self.position.winner
        end = "Nobody has won" if winner is None else f"{winner.upper()} has won"
        self.console.print(f"{end} after {counted(self.position.ply, 'move')}.", style="bold")
        self._show_moves()


def _board(position: Position) -> Text:
    """The board with its marks in colour."""
    board, status, *rest = position.ascii().partition(f"\n{position.status}")
    text = Text()
    for char in board:
        text.append(char, _STYLES.get(char.lower(), "dim"))
    return text.append(status + "".join(rest))
