"""The rules of a game and the folder of a table, as options of the Quixo commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from inarow.errors import InarowError
from inarow.quixo.rules import DoubleLine, Quixo

DEFAULT_SIZE = 4

SizeOption = Annotated[int, typer.Option("--size", "-s", metavar="N", help="Size of the board, from 2 to 5.")]
LineOption = Annotated[
    int | None,
    typer.Option("--line", metavar="K", help="How many in a row win; by default the size of the board."),
]
DoubleLineOption = Annotated[
    str | None,
    typer.Option(
        "--double-line",
        metavar="loses|wins",
        help="Whether a player who completes lines of both marks at once loses, as by the official rule, "
        "or wins.",
    ),
]
# A game begins at a position, which has a board of its own size, or at the start on a board of some size.
PositionArgument = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="Where to begin; by default the start of the game."),
]
PositionSizeOption = Annotated[
    int | None,
    typer.Option("--size", "-s", metavar="N", help=f"Size of the board; {DEFAULT_SIZE} by default."),
]
TableOption = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="DIR",
        help="Folder of a table that 'inarow quixo solve' wrote; without it, small boards are solved when "
        "needed.",
    ),
]
TableArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of a table that 'inarow quixo solve' wrote.")
]
ClassesOption = Annotated[
    bool, typer.Option("--classes", help="Show all classes of positions, not only balanced ones.")
]


def rules_of(size: int, line: int | None, double_line: str | None) -> Quixo:
    """The rules that the options ask for."""
    try:
        return Quixo(size, line=line, double_line=cast(DoubleLine, double_line or "loses"))
    except ValueError as error:
        # The library names its parameters; on the command line they are options.
        raise InarowError(str(error).replace("double_line", "double-line")) from None
