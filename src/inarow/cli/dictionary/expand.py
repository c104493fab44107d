"""`inarow dictionary expand`: a line for each position."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, require_folder, tell
from inarow.cli.dictionary import common
from inarow.words import counted


class Notation(StrEnum):
    PATASHNIK = "patashnik"
    BLOG = "blog"


# Patashnik's notation omits the empty cells at the end, and so does not give the size of the board.
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="GAME",
        help="The game, for files in Patashnik's notation; by default qubic.",
    ),
]


def expand(
    file: common.FileArgument,
    game: GameOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write one line for each position."""
    rewrite(file, game, None, out, as_json)


def rewrite(file: Path, game: str | None, to: Notation | None, out: Path | None, as_json: bool) -> None:
    """Write a dictionary in a notation, or expanded, and a summary."""
    if out is not None:
        require_folder(out.parent)
    rules = None if game is None else common.game_of(game, None)
    dictionary = common.read(file, rules, balanced=False)
    lines_in = len(dictionary.lines)
    if to is None:
        dictionary = replace(dictionary.expanded(), header="", format="blog")
    else:
        dictionary = replace(dictionary, format=to.value)
    positions = sum(line.options.bit_count() or 1 for line in dictionary.lines)
    lines_out = positions if to is Notation.PATASHNIK else len(dictionary.lines)
    common.write(dictionary, out, as_json)
    if as_json:
        print_json({"lines_in": lines_in, "positions": positions, "lines_out": lines_out})
    elif out is not None:
        tell(
            f"{counted(lines_in, 'line')}, {counted(positions, 'position')}: "
            f"{counted(lines_out, 'line')} written to {out}"
        )
