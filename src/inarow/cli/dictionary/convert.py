"""`inarow dictionary convert`: the same dictionary in the other notation."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from inarow.cli.dictionary import common
from inarow.positional.dictionary.text import Format

_TO = "The notation; Patashnik's has a line for each position."


def convert(
    file: common.FileArgument,
    to: Annotated[Format, typer.Option("--to", help=_TO)],
    game: common.BoardOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write a dictionary in another notation.

    The header is kept; comments between the lines are dropped.
    """
    common.rewrite(file, game, out, as_json, lambda read: replace(read, format=to))
