"""A command for a study, with options for what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Protocol, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from inarow.cli.console import print_json, progress, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.words import board
from inarow.errors import MissingTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.study.scope import Scope

MarksOption = Annotated[
    int | None,
    typer.Option("--marks", metavar="N", min=0, help="Only positions with up to so many marks."),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="N",
        min=1,
        help="Of a class with more positions, look at so many, drawn at random.",
    ),
]
StudySeedOption = Annotated[
    int, typer.Option("--seed", metavar="S", min=0, help="For --sample: the same seed gives the same ones.")
]


class Answer(Protocol):
    """What a study found."""

    @property
    def rules(self) -> Quixo: ...

    def to_json(self) -> dict[str, Any]: ...


Found = TypeVar("Found", bound=Answer)


@contextmanager
def opened_scope(
    lookup: Lookup, size: str | None, marks: int | None, sample: int | None, seed: int
) -> Iterator[Scope]:
    """The positions that options ask for, whose values are known, with their progress shown."""
    rules = lookup.begin(None, size).rules
    with progress("looking at positions") as report:
        scope = Scope(lookup.prober(rules), marks, sample, seed)
        try:
            scope.require_values()
        except MissingTable as error:
            error.add_note("Name a table with --table, or look at few marks only: --marks N")
            raise
        yield replace(scope, progress=report)


def print_found(found: Found, as_json: bool, show: Callable[[Console, Found], None]) -> None:
    """What a study found, as JSON or below the name of the game."""
    if as_json:
        print_json(found.to_json())
        return
    console = stdout()
    console.print(str(found.rules), style="bold")
    show(console, found)


def study_command(
    study: Callable[[Scope], Found],
) -> Callable[[Callable[[Console, Found], None]], Callable[..., None]]:
    """Makes a command of a function that shows what a study finds below the name of the game."""

    def decorate(show: Callable[[Console, Found], None]) -> Callable[..., None]:
        def command(
            size: options.PositionSizeOption = None,
            line: options.LineOption = None,
            double_line: options.DoubleLineOption = None,
            table: options.TableOption = None,
            marks: MarksOption = None,
            sample: SampleOption = None,
            seed: StudySeedOption = 0,
            as_json: JsonOption = False,
        ) -> None:
            with opened_scope(Lookup(table, line, double_line), size, marks, sample, seed) as scope:
                found = study(scope)
            print_found(found, as_json, show)

        command.__name__, command.__doc__ = show.__name__, show.__doc__
        return command

    return decorate


def show_boards(console: Console, captioned: Sequence[tuple[Position, str]]) -> None:
    """Boards side by side, each above its caption."""
    grid = Table.grid(padding=(0, 4))
    across = 3
    for first in range(0, len(captioned), across):
        row = captioned[first : first + across]
        grid.add_row(*(board(position) for position, _ in row))
        grid.add_row(*(f"{position}\n{caption}\n" for position, caption in row))
    console.print(grid)
