"""The rules of a game and the folder of a table, as options of the Quixo commands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import typer

from inarow.cli.options import parse_path
from inarow.errors import InarowError, NotationError
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.table.location import is_url

DEFAULT_SIZE = "4"


class DoubleLineRule(StrEnum):
    LOSES = "loses"
    WINS = "wins"


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"


# --- The rules ---

SizeOption = Annotated[
    str, typer.Option("--size", "-s", metavar="RxC", help="Rows and columns, as in 4x5; 4 is 4x4.")
]
LineOption = Annotated[
    int | None,
    typer.Option(
        "--line", metavar="K", help="How many in a row win; by default the longer side of the board."
    ),
]
DoubleLineOption = Annotated[
    DoubleLineRule | None,
    typer.Option(
        "--double-line",
        help="The result for a player whose move completes lines of both marks; officially 'loses'.",
    ),
]
# A game begins at a position, which has a board of its own size, or at the start on a board of some size.
PositionArgument = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="Where to begin; by default the start of the game."),
]
PositionSizeOption = Annotated[
    str | None,
    typer.Option(
        "--size",
        "-s",
        metavar="RxC",
        help=f"Rows and columns, as in 4x5; by default those of the table, or {DEFAULT_SIZE}.",
    ),
]

# --- Tables and results ---


def parse_folder(text: str) -> Path:
    """A folder on this machine."""
    if is_url(text):
        raise typer.BadParameter(
            f"{text} is not on this machine; download it with: inarow quixo copy {text} DIR"
        )
    return parse_path(text)


# Where a folder or a URL will do, `parse_location` tells which it is.
TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="DIR|URL",
        help="Folder of a table that 'inarow quixo solve' wrote, or URL of a compact one; without it, small "
        "boards are solved when needed.",
    ),
]
TableArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DIR", parser=parse_folder, help="Folder of a table that 'inarow quixo solve' wrote."
    ),
]
LocationArgument = Annotated[
    str,
    typer.Argument(metavar="DIR|URL", help="Folder of a table that 'inarow quixo solve' wrote, or its URL."),
]
ClassesOption = Annotated[
    bool, typer.Option("--classes", help="Show all classes of positions, not only balanced ones.")
]


def parse_size(size: str) -> tuple[int, int]:
    """The rows and columns that --size asks for."""
    try:
        return Quixo.parse_size(size)
    except NotationError as error:
        raise InarowError(f"--size {size}: {error.reason}") from None


def rules_of(rows: int, columns: int, line: int | None, double_line: str | None) -> Quixo:
    """The rules that the options ask for."""
    try:
        return Quixo(rows, columns, line, cast(DoubleLine, double_line or "loses"))
    except ValueError as error:
        raise InarowError(str(error)) from None
