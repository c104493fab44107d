"""`inarow probe`: what a position is worth, and each of its moves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout, tell
from inarow.cli.quixo.common import STYLES, Tables, board, moves_table, position_text, source_text
from inarow.errors import InarowError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inarow.quixo.probe import Probe


def probe(
    game: options.Game,
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="[POSITION]",
            help="As '..../..../..../.... x': rows from the top, then the side to move ('_' may stand for "
            "the space). Without it, or with '-', positions are read from the standard input, one a line.",
        ),
    ] = None,
    table: options.TableOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Look a position up: its value, and its moves, best first."""
    tables = Tables(table, line, double_line)
    show = _printer(as_json)
    if position not in (None, "-"):
        show(_look_up(tables, position))
        return
    if sys.stdin.isatty():
        tell("One position a line; Ctrl-D ends.")
    for number, text in enumerate(sys.stdin, start=1):
        if not text.strip():
            continue
        try:
            found = _look_up(tables, text.strip())
        except InarowError as error:
            wrong = InarowError(f"line {number}: {error}")
            wrong.exit_code = error.exit_code
            wrong.__notes__ = getattr(error, "__notes__", [])
            raise wrong from None
        show(found)
        sys.stdout.flush()  # a program that asks and waits for the answer gets it


def _look_up(tables: Tables, text: str) -> Probe:
    position = tables.parse(text)
    return tables.of(position.rules).probe(position)


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
        if found.moves:
            console.print(moves_table(found.moves))

    return show
