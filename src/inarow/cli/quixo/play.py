"""`inarow play quixo`: a game in the terminal against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from inarow.cli.console import stdout
from inarow.cli.options import Side
from inarow.cli.quixo.common import STYLES, Tables, board, describe, moves_table, outcome_text, position_text
from inarow.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inarow.quixo.prober import Prober
    from inarow.quixo.rules import Position
    from inarow.quixo.table.table import MoveProbe, Probe

HELP = """A move is the cell whose tile you take and the cell where you push it in: {example}.
  hint   the best moves          undo   take your last move back
  moves  every move              quit   leave the game"""


def play(
    position: str | None,
    size: int | None,
    line: int | None,
    double_line: str | None,
    table: Path | None,
    side: Side,
    seed: int | None,
) -> None:
    tables = Tables(table, line, double_line)
    begin = tables.begin(position, size)
    engine = Engine(tables.of(begin.rules), None if seed is None else Random(seed))
    session = _Session(stdout(), engine, side, begin)
    session.introduce()
    session.run()


@dataclass(frozen=True, slots=True)
class Engine:
    """Picks a move: the fastest win, else a draw, else what looks best, else the slowest loss."""

    table: Prober
    random: Random | None = None

    def choose(self, position: Position) -> MoveProbe:
        moves = self.table.probe(position).moves
        best = [move for move in moves if (move.value, move.plies) == (moves[0].value, moves[0].plies)]
        if moves[0].value is None:
            return moves[0]
        if moves[0].value == "draw" and moves[0].source == "table" and len(best) > 1:
            # Nothing is lost by setting a trap, where a table tells at once which moves are traps.
            traps = [self._losing_replies(move.position) for move in best]
            best = [move for move, trap in zip(best, traps, strict=True) if trap == max(traps)]
        return best[0] if self.random is None else self.random.choice(best)

    def _losing_replies(self, position: Position) -> int:
        return sum(reply.value == "loss" for reply in self.table.probe(position).moves)


@dataclass(slots=True)
class _Session(Session):
    """A game between a person at the terminal and the engine."""

    engine: Engine
    side: Side
    begin: Position
    moves: list[MoveProbe] = field(default_factory=list)

    @property
    def position(self) -> Position:
        return self.moves[-1].position if self.moves else self.begin

    def introduce(self) -> None:
        self.console.print(describe(self.begin.rules), style="bold")
        self._tell_sources()
        self.show_help()
        self._show_board()

    @property
    def over(self) -> bool:
        return self.position.terminal

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
            "hint": lambda: self._show_moves(_best),
            "moves": lambda: self._show_moves(lambda probe: probe.moves),
        }

    def answer(self) -> None:
        move = self.engine.choose(self.position)
        self.moves.append(move)
        self.console.print(f"inarow plays {self._text(move)}", style="bold")
        self._show_board()

    def _tell_sources(self) -> None:
        """What the engine can do, where that is not everything."""
        from inarow.quixo.prober import Bookworm
        from inarow.quixo.table.table import Table

        table = self.engine.table
        if isinstance(table, Bookworm):
            self.console.print(table.abilities, style="dim")
        elif isinstance(table, Table) and not table.manifest.plies:
            self.console.print(
                "The table here knows who wins, but not how fast: its wins may take long, or never end.",
                style="dim",
            )

    def _is_persons(self, position: Position) -> bool:
        return self.side is Side.BOTH or self.side.value == position.turn

    def play(self, text: str) -> None:
        after = self.position.play(text)
        probe = self.engine.table.probe(self.position)
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
        self.console.print(HELP.format(example=f"a1a{self.begin.rules.size}"), style="dim")

    def _show_board(self) -> None:
        self.console.print()
        self.console.print(board(self.position))
        self.console.print()

    def _show_moves(self, chosen: Callable[[Probe], Sequence[MoveProbe]]) -> None:
        probe = self.engine.table.probe(self.position)
        self.console.print(position_text(probe), style=STYLES[probe.value])
        self.console.print(moves_table(chosen(probe)))

    def tell_end(self) -> None:
        winner = self.position.winner
        assert winner is not None
        if not self.moves:
            self.console.print(f"The game is over: {winner.upper()} has won.")
            return
        count = len(self.moves)
        self.console.print(
            f"{winner.upper()} wins after {count} {'move' if count == 1 else 'moves'}.", style="bold"
        )
        for number, move in enumerate(self.moves):
            probe = self.engine.table.probe(self._before(number))
            if None not in (probe.value, move.value) and probe.value != move.value:
                before, after = outcome_text(probe.value, probe.plies), outcome_text(move.value, move.plies)
                self.console.print(
                    f"Move {number + 1}, {probe.position.turn.upper()} {self._text(move)}, turned a {before} "
                    f"into a {after}; {self._text(probe.moves[0])} was best."
                )

    def _text(self, move: MoveProbe) -> str:
        return move.move.text(self.begin.rules.size)


def _best(probe: Probe) -> Sequence[MoveProbe]:
    best = probe.moves[0]
    return [move for move in probe.moves if (move.value, move.plies) == (best.value, best.plies)]
