"""`inarow ultimate play`: a game of Ultimate Tic-Tac-Toe in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.console import stdout, tell
from inarow.cli.options import SeedOption, Side, SideOption
from inarow.cli.session import Session
from inarow.errors import InarowError

if TYPE_CHECKING:
    from rich.text import Text

    from inarow.ultimate.players import Candidate
    from inarow.ultimate.rules import Move, Position
    from inarow.values import Mark

HELP = """A move is a field and a spot, each a number from 0 at the upper left to 8: 40.
Dots show where you may play, the capital is the last move.
  hint   what a search thinks    undo   take your last move back
  moves  the game so far         quit   leave the game"""

_STYLES = {"x": "bold bright_blue", "o": "bold bright_red", ".": "dim"}
_HINT_PLAYOUTS = 50_000
_HINTS = 3
_PLAYOUTS_PAST_PROOF = 20_000


class Variant(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Against(StrEnum):
    XAVIER = "xavier"
    LBS = "lbs"
    OPTIMAL = "optimal"
    RANDOM = "random"
    MCTS = "mcts"


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody to play against: a name, and a move for a position with a remark about it."""

    name: str
    choose: Callable[[Position], tuple[Move, str]]
    side: Side | None = None  # the only one it can play, if so


@dataclass(frozen=True, slots=True)
class Settings:
    """What an opponent may be asked to keep to."""

    seconds: float | None
    playouts: int | None
    seed: int | None
    person: Side | None  # what the person plays, if that was said


def play(
    position: Annotated[
        str,
        typer.Argument(metavar="MOVES", help="Where to begin: the moves so far, as in '44 40 04'."),
    ] = "",
    side: SideOption = None,
    variant: Annotated[
        Variant, typer.Option("--variant", help="Whether a field that is won stays open for play.")
    ] = Variant.OPEN,
    against: Annotated[
        Against | None,
        typer.Option(
            "--against",
            help="Xavier's strategy, which wins as X; LBS, which resists as O; a player of the proven "
            "optimal length; random moves; or Monte-Carlo tree search.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="T", help="How long mcts thinks about a move; 1 by default."),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option("--playouts", metavar="N", min=1, help="How many playouts mcts makes per move."),
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Play against inarow, or against each other.

    The opponent is one of the strategies of 'At Most 43 Moves, At Least 29', or Monte-Carlo tree search.
    """
    from inarow.errors import NotationError
    from inarow.ultimate.rules import Ultimate

    try:
        begin = Ultimate(variant.value).parse(position)
    except NotationError as error:
        raise InarowError(str(error)) from None
    if side is Side.BOTH:
        if against is not None:
            raise InarowError(f"--as both is for two people, and --against {against} for one")
        opponent = None
    else:
        if against is None:
            # The strategy that wins is for X, and for the open variant.
            against = Against.XAVIER if variant is Variant.OPEN and side is not Side.X else Against.MCTS
        opponent = _OPPONENTS[against](Settings(seconds, playouts, seed, side))
        if opponent.side is not None and variant is not Variant.OPEN:
            raise InarowError(f"{opponent.name} is for the open variant")
        if opponent.side is not None and opponent.side == side:
            raise InarowError(f"{opponent.name} plays {side.upper()} itself")
        if side is None:
            side = Side.O if opponent.side is Side.X else Side.X
    if against is not Against.MCTS and (seconds, playouts) != (None, None):
        raise InarowError("--seconds and --playouts are for --against mcts")
    session = _Session(stdout(), opponent, side, begin, begin)
    session.introduce()
    session.run()


# --- Opponents ---


def _xavier(settings: Settings) -> Opponent:
    from inarow.ultimate.strategy import explain

    def choose(position: Position) -> tuple[Move, str]:
        explanation = explain(position)
        return explanation.move, f"{explanation.phase}: {explanation.why}"

    return Opponent("Xavier's strategy", choose, Side.X)


def _optimal(settings: Settings) -> Opponent:
    from inarow.ultimate.certificate import optimal_play

    side: Mark = "o" if settings.person is Side.X else "x"
    if side == "o":
        tell("Reading the proof that X does not win by ply 41: half a minute, and 1 GB of memory.")
    certificate = optimal_play(side)
    elsewhere = _mcts(replace(settings, playouts=_PLAYOUTS_PAST_PROOF))

    def choose(position: Position) -> tuple[Move, str]:
        move = certificate.move(position)
        if move is not None:
            return move, f"proven: X {certificate.verb} by ply {certificate.plies}"
        move, remark = elsewhere.choose(position)
        return move, f"past what is proven: {remark}"

    return Opponent("a player of the optimal length", choose, Side(certificate.side))


def _lbs(settings: Settings) -> Opponent:
    from inarow.ultimate.strategy import lbs

    random = Random(settings.seed)
    return Opponent("LBS", lambda position: (lbs(position, random), ""), Side.O)


def _random(settings: Settings) -> Opponent:
    random = Random(settings.seed)
    return Opponent("a player at random", lambda position: (random.choice(position.legal_moves()), ""))


def _mcts(settings: Settings) -> Opponent:
    from inarow.ultimate.players import Mcts

    try:
        player = Mcts(1.0 if settings.seconds is None else settings.seconds, settings.playouts)
    except ValueError as error:
        raise InarowError(str(error)) from None

    def choose(position: Position) -> tuple[Move, str]:
        seed = None if settings.seed is None else (settings.seed + position.ply) % (1 << 64)
        thought = replace(player, seed=seed).think(position)
        return thought.best.move, f"{_value_text(thought.best)}, {thought.playouts:,} playouts"

    return Opponent("Monte-Carlo tree search", choose)


_OPPONENTS: dict[Against, Callable[[Settings], Opponent]] = {
    Against.XAVIER: _xavier,
    Against.LBS: _lbs,
    Against.OPTIMAL: _optimal,
    Against.RANDOM: _random,
    Against.MCTS: _mcts,
}


# --- The game ---


@dataclass(slots=True)
class _Session(Session):
    """A game between a person at the terminal and an opponent, or another person."""

    opponent: Opponent | None
    side: Side
    begin: Position
    position: Position

    def introduce(self) -> None:
        self.console.print(f"Ultimate Tic-Tac-Toe, {self.begin.rules.variant}", style="bold")
        if self.opponent is not None:
            other = "O" if self.side is Side.X else "X"
            self.console.print(f"You are {self.side.upper()}, {other} is {self.opponent.name}.")
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
        return {"undo": self._undo, "hint": self._show_hint, "moves": self._show_moves}

    def _is_persons(self, position: Position) -> bool:
        return self.side is Side.BOTH or self.side.value == position.turn

    def answer(self) -> None:
        assert self.opponent is not None
        move, remark = self.opponent.choose(self.position)
        self.position = self.position.play(move)
        self.console.print(f"inarow plays {move}", style="bold")
        if remark:
            self.console.print(remark, style="dim")
        self._show_board()

    def play(self, text: str) -> None:
        self.position = self.position.play(text)
        self._show_board()

    def _undo(self) -> None:
        """Back to the person's last choice."""
        position = self.begin
        last = None
        for move in self.position.moves_played[self.begin.ply :]:
            if self._is_persons(position):
                last = position
            position = position.play(move)
        if last is None:
            self.console.print("There is nothing to take back.")
            return
        self.position = last
        self._show_board()

    def show_help(self) -> None:
        self.console.print(HELP, style="dim")

    def _show_board(self) -> None:
        self.console.print()
        self.console.print(_board(self.position))
        self.console.print()

    def _show_hint(self) -> None:
        from inarow.ultimate.players import Mcts

        thought = Mcts(playouts=_HINT_PLAYOUTS, seed=0).think(self.position)
        for candidate in thought.candidates[:_HINTS]:
            self.console.print(f"  {candidate.move}  {_value_text(candidate)}")

    def _show_moves(self) -> None:
        self.console.print(f"Moves so far: {self.position.text}", soft_wrap=True)

    def tell_end(self) -> None:
        winner, plies = self.position.winner, self.position.ply
        moves = "1 move" if plies == 1 else f"{plies} moves"
        end = "Nobody has won" if winner is None else f"{winner.upper()} has won"
        self.console.print(f"{end} after {moves}.", style="bold")
        self._show_moves()


def _value_text(candidate: Candidate) -> str:
    if candidate.proven:
        return "wins for certain" if candidate.value == 1 else "loses for certain"
    return f"wins {candidate.value:.0%} of its playouts"


def _board(position: Position) -> Text:
    """The board with its marks in colour."""
    from rich.text import Text

    board, status, *rest = position.ascii().partition(f"\n{position.status}")
    text = Text()
    for char in board:
        text.append(char, _STYLES.get(char.lower(), "dim"))
    return text.append(status + "".join(rest))
