"""The rules of a game and the folder of a table, as options of the Quixo commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar, cast

import typer

from inarow.cli.options import expanded, parse_path
from inarow.errors import DamagedFile, InarowError, MissingTable, NotationError
from inarow.quixo.rules import VARIANTS, DoubleLine, Quixo
from inarow.quixo.table.location import Location, is_url, solve_command
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest, make_command

DEFAULT_SIZE = "4"
_R = TypeVar("_R")


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
RULES_OPTIONS = {
    "line": (LineOption, None),
    "double_line": (DoubleLineOption, None),
    **{
        name: (
            Annotated[bool | None, typer.Option(f"--{name}/--no-{name}", help=words, show_default=False)],
            None,
        )
        for name, (_, words) in VARIANTS.items()
    },
}


def variant_of(named: Mapping[str, bool | None]) -> Variant:
    """The variants that were named, of all options."""
    return {name: value for name in VARIANTS if (value := named.get(name)) is not None}


def with_rules(size: str) -> Callable[[Callable[..., _R]], Callable[..., _R]]:
    """The command with options for the game's rules, which it gets as `rules`."""

    def make(size: str, line: int | None, double_line: str | None, **named: bool | None) -> Quixo:
        return rules_of(*parse_size(size), line, double_line, variant_of(named))

    options = {"size": (SizeOption, size), **RULES_OPTIONS}
    return lambda command: expanded(command, "rules", options, make)


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


def rules_of(rows: int, columns: int, line: int | None, double_line: str | None, variant: Variant) -> Quixo:
    """The rules that the options ask for."""
    try:
        return Quixo(rows, columns, line, cast(DoubleLine, double_line or "loses"), **variant)
    except ValueError as error:
        raise InarowError(str(error)) from None


@contextmanager
def repair_hints(location: Location, rules: Quixo | None = None) -> Iterator[None]:
    """Adds to errors about a table in a folder the command that makes it."""
    try:
        yield
    except (MissingTable, DamagedFile) as error:
        # Messages that name the command already are left alone.
        if (
            "inarow quixo solve" not in str(error)
            and not getattr(error, "__notes__", ())
            and not is_url(location)
        ):
            folder = Path(location)
            command = f"inarow quixo solve --size N --out {folder}"
            advice = "Make it"
            if (folder / MANIFEST_NAME).exists():
                advice = "Remove the folder and make it again"
                # With a sound manifest, solving again keeps what is there and repairs the rest.
                with suppress(DamagedFile):
                    command = make_command(Manifest.load(folder), folder)
                    advice = "Complete or repair it"
            elif rules is not None:
                command = solve_command(rules, folder)
            error.add_note(f"{advice} with: {command}")
        raise
