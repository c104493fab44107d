"""`inarow quixo line`: best play of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from rich.columns import Columns

from inarow.cli.console import print_json, require_folder, stdout
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.words import STYLES, board, position_text
from inarow.errors import InarowError
from inarow.files import write_atomically
from inarow.quixo import animation, drawing
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.location import solve_command


@with_lookup()
def line(
    lookup: Lookup,
    position: options.PositionArgument = None,
    out: Annotated[
        Path | None,
        path_option("--out", "-o", help="Write an animation: game.svg or game.gif."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show best play to the end, as far as it is known.

    The winner wins as fast as possible, the loser holds out as long as possible.
    """
    if out is not None:
        _check_out(out)
    begin = lookup.begin(position)
    found = lookup.prober(begin.rules)
    probe, moves = found.probe(begin), list(found.line(begin))
    if out is not None:
        if probe.value == "draw":
            raise InarowError("the position is a draw: best play never ends, and there is no game to write")
        if not moves:
            raise InarowError(f"there is no game to write: {probe.reason or _ends_early(begin.rules)}")
        _write(out, [begin, *(move.position for move in moves)])
    if as_json:
        print_json({**probe.to_json(), "moves": [move.to_json() for move in moves]})
    elif out is not None:
        stdout().print(f"{len(moves)} moves written to {out}", soft_wrap=True)
    else:
        _show(probe, moves)


def _show(probe: Probe, moves: Sequence[MoveProbe]) -> None:
    console = stdout()
    begin = probe.position
    console.print(position_text(probe), style=STYLES[probe.value])
    console.print()
    boards = [board(begin, f"{begin.turn.upper()} to move")]
    for number, move in enumerate(moves, start=1):
        player = "O" if move.position.turn == "x" else "X"
        boards.append(board(move.position, f"{number}. {player} {begin.rules.move_text(move.move)}"))
    # An empty line under each board separates it from the next.
    rows = [text.append("\n") for text in boards]
    console.print(Columns(rows, padding=(0, 3), equal=True))
    marks = "[ ] is where the tile was pushed in, ( ) where it was taken."
    if moves and (winner := moves[-1].position.winner):
        console.print(f"{winner.upper()} has won. {marks}")
    elif moves and not moves[-1].position.is_over:
        console.print(f"{_ends_early(begin.rules)}\n{marks}", soft_wrap=True)
    elif probe.value not in (None, "draw") and not begin.is_over:
        console.print(_ends_early(begin.rules), soft_wrap=True)


def _ends_early(rules: Quixo) -> str:
    """Where knowledge ends before the game does."""
    return f"Best play is known no further. A full table has it all: {solve_command(rules, 'DIR')}"


def _check_out(path: Path) -> None:
    """Find out before the work begins whether its result can be written."""
    if path.suffix.lower() not in (".svg", ".gif"):
        raise InarowError(f"{path}: the name must end in .svg or .gif")
    require_folder(path.parent)
    if path.suffix.lower() == ".gif":
        animation.require_pillow()


def _write(path: Path, game: Sequence[Position]) -> None:
    gif = path.suffix.lower() == ".gif"
    write_atomically(path, [animation.animate(game) if gif else drawing.animate(game).encode()])
