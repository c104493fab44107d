"""`inarow quixo export`: positions with their values as a file of data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, progress, stdout
from inarow.cli.options import JsonOption, SeedOption, path_option
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.errors import InarowError
from inarow.quixo.export import export as export_positions
from inarow.words import counted, size_text


class Valued(StrEnum):
    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@with_lookup()
def export(
    out: Annotated[
        Path,
        path_option("--out", "-o", help="data.parquet or data.npz."),
    ],
    lookup: Lookup,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="Draw N positions; by default all are written."),
    ] = None,
    seed: SeedOption = None,
    value: Annotated[
        Valued | None, typer.Option("--value", help="Only positions of this value for the side to move.")
    ] = None,
    reachable: Annotated[
        bool, typer.Option("--reachable", help="Only positions that games can reach (up to 16 cells).")
    ] = False,
    moves: Annotated[bool, typer.Option("--moves", help="Add the value of every move.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write positions and their values to a file, to learn from.

    Every position has its tiles, value and plies for the side to move; docs/datasets.md describes the
    columns. A sample has the same chance for every position, and is the same for a seed (by default 0).
    """
    if seed is not None and sample is None:
        raise InarowError("--seed is for --sample N: without it all positions are written")
    source = lookup.table()
    try:
        with progress("exporting") as report:
            count = export_positions(
                source,
                out,
                sample=sample,
                seed=seed or 0,
                reachable=reachable,
                value=None if value is None else value.value,
                moves=moves,
                progress=report,
            )
    except ValueError as error:
        raise InarowError(str(error)) from None
    if as_json:
        rules = source.rules.to_json()
        written = {"file": str(out), "positions": count, "bytes": out.stat().st_size}
        print_json({"game": "quixo", **rules, **written})
        return
    console = stdout()
    console.print(str(source.rules), style="bold")
    console.print(f"{counted(count, 'position')} in {out}, {size_text(out.stat().st_size)}", soft_wrap=True)
