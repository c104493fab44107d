"""`inarow dictionary expand`: a line for each position."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, require_folder, tell
from inarow.cli.dictionary import common


class Notation(StrEnum):
    PATASHNIK = "patashnik"
    BLOG = "blog"


# Patashnik's notation leaves out the empty cells at the end, and so the size of the board.
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="GAME",
        help="The game, if the file is in Patashnik's notation: qubic unless said.",
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
    """Write a dictionary in a notation, or expanded, and say how many lines that takes."""
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
    common.put(dictionary, out, as_json)
    if as_json:
        print_json({"lines_in": lines_in, "positions": positions, "lines_out": lines_out})
    elif out is not None:
        tell(
            f"{common.counted(lines_in, 'line')}, {common.counted(positions, 'position')}: "
            f"{common.counted(lines_out, 'line')} written to {out}"
        )
