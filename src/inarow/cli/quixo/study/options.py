"""What a study looks at, as options of its command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.words import board
from inarow.quixo.rules import Position
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


def scope_of(
    size: str | None,
    line: int | None,
    double_line: str | None,
    table: str | None,
    marks: int | None,
    sample: int | None,
    seed: int,
) -> Scope:
    lookup = Lookup(table, line, double_line)
    rules = lookup.begin(None, size).rules
    return Scope(lookup.prober(rules), marks, sample, seed)


def show_boards(console: Console, captioned: Sequence[tuple[Position, str]]) -> None:
    """Boards side by side, each above its caption."""
    grid = Table.grid(padding=(0, 4))
    across = 3
    for first in range(0, len(captioned), across):
        row = captioned[first : first + across]
        grid.add_row(*(board(position) for position, _ in row))
        grid.add_row(*(f"{position}\n{caption}\n" for position, caption in row))
    console.print(grid)
