"""`inarow dictionary convert`: the same dictionary in the other notation."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.dictionary import common
from inarow.cli.dictionary.expand import GameOption, Notation, rewrite


def convert(
    file: common.FileArgument,
    to: Annotated[
        Notation, typer.Option("--to", help="The notation; Patashnik's has a line for each position.")
    ],
    game: GameOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write a dictionary in another notation.

    The header is kept; comments between the lines are dropped.
    """
    rewrite(file, game, to, out, as_json)
