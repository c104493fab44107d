"""`inarow quixo probe` and `line`: the values of a position and its moves, and best play from there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.columns import Columns

from inarow.cli.console import print_json, require_folder, stdout, tell
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.words import STYLES, board, moves_table, position_text, source_text
from inarow.errors import DamagedFile, InarowError, Unreachable
from inarow.files import write_atomically
from inarow.quixo import animation, drawing
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.location import solve_command
from inarow.quixo.threats import threats_of
from inarow.words import counted


@with_lookup(size=False)
def probe(
    lookup: Lookup,
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            help="As '..../..../..../.... x': rows from the top, then the side to move ('_' may replace "
            "the space). Without it, or with '-', positions are read from standard input, one per line.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Look a position up: its value, and its moves, best first.

    A line of standard input that cannot be looked up is reported, and the others are answered; the exit code
    is then 1.
    """
    show = _printer(as_json)
    if position not in (None, "-"):
        show(_look_up(lookup, position))
        return
    if sys.stdin.isatty():
        tell("One position per line; Ctrl-D ends.")
    wrong = 0
    for number, text in enumerate(sys.stdin, start=1):
        if not text.strip():
            continue
        try:
            found = _look_up(lookup, text.strip())
        except (DamagedFile, Unreachable) as error:  # the next line would fare no better
            error.add_note(f"That was line {number}.")
            raise
        except InarowError as error:
            tell("\n".join([f"line {number}: {error}", *getattr(error, "__notes__", ())]))
            wrong += 1
            continue
        show(found)
        sys.stdout.flush()  # a program that waits for each answer gets it
    if wrong:
        tell(f"{counted(wrong, 'line')} could not be looked up.")
        raise typer.Exit(CHECK_FAILED)


def _look_up(lookup: Lookup, text: str) -> Probe:
    position = lookup.parse(text)
    prober = lookup.prober(position.rules)
    return prober.with_replies(prober.probe(position))


def _printer(as_json: bool) -> Callable[[Probe], None]:
    if as_json:
        return lambda found: print_json(found.to_json())
    console = stdout()

    def show(found: Probe) -> None:
        console.print(board(found.position))
        console.print()
        console.print(position_text(found), style=STYLES[found.value])
        if source := source_text(found):
            console.print(source, style="dim")
        for sentence in threats_of(found.position).sentences():
            console.print(sentence)
        if found.moves:
            console.print(moves_table(found.moves))

    return show


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
        _show_line(probe, moves)


def _show_line(probe: Probe, moves: Sequence[MoveProbe]) -> None:
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
