"""The rules of a game and the folder of a table, as options of the Quixo commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar, cast, get_type_hints

import typer

from inarow.cli.options import parse_path
from inarow.errors import InarowError, NotationError
from inarow.quixo.rules import VARIANTS, DoubleLine, Quixo
from inarow.quixo.table.location import is_url

DEFAULT_SIZE = "4"


class DoubleLineRule(StrEnum):
    LOSES = "loses"
    WINS = "wins"
    DRAWS = "draws"


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
# Those of `VARIANTS` that the options name.
Variant = Mapping[str, bool]
USUAL: Variant = {}
_P = ParamSpec("_P")
_R = TypeVar("_R")


def with_variants(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """The command with an option for each variant, which it gets together as `variant`."""
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    given = [
        parameter.replace(annotation=hints[name])
        for name, parameter in signature.parameters.items()
        if name != "variant"
    ]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                bool | None, typer.Option(f"--{name}/--no-{name}", help=words, show_default=False)
            ],
        )
        for name, (_, words) in VARIANTS.items()
    ]

    @wraps(command)
    def with_options(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        named = {name: kwargs.pop(name) for name in VARIANTS if name in kwargs}
        kwargs["variant"] = {name: value for name, value in named.items() if value is not None}
        return command(*args, **kwargs)

    after = [parameter for parameter in given if parameter.name == "double_line"]
    place = given.index(after[0]) + 1
    keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in given]
    parameters = [*keyword[:place], *added, *keyword[place:]]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


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
        help="Folder of a table that 'inarow quixo solve' wrote, or URL of one; without it, small "
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


def rules_of(
    rows: int, columns: int, line: int | None, double_line: str | None, variant: Variant = USUAL
) -> Quixo:
    """The rules that the options ask for."""
    try:
        return Quixo(rows, columns, line, cast(DoubleLine, double_line or "loses"), **variant)
    except ValueError as error:
        raise InarowError(str(error)) from None
