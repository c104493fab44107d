"""Arguments that several commands take."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.errors import InarowError

GAMES = ("quixo",)  # those with tables
PLAYED = ("quixo", "ultimate")  # those that 'inarow play' knows
DEFAULT_SIZE = 4


class Side(StrEnum):
    X = "x"
    O = "o"  # noqa: E741
    BOTH = "both"


def _one_of(games: tuple[str, ...]) -> Callable[[str], str]:
    def known(game: str) -> str:
        if game not in games:
            raise InarowError(f"unknown game {game!r}; known: {', '.join(games)}")
        return game

    return known


def _bytes(text: str) -> int:
    """A size as people write it: 18G, 18 GB or 500M."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InarowError(f"--memory {text}: give a size like 18G or 500M")
    return int(float(found[1]) * 1000 ** " kMGT".lower().index(found[2].lower() or " "))


Game = Annotated[
    str, typer.Argument(callback=_one_of(GAMES), metavar="GAME", help=f"The game: {', '.join(GAMES)}.")
]
PlayedGame = Annotated[
    str, typer.Argument(callback=_one_of(PLAYED), metavar="GAME", help=f"The game: {', '.join(PLAYED)}.")
]
SizeOption = Annotated[int, typer.Option("--size", "-s", metavar="N", help="Size of the board, from 2 to 5.")]
# Where to begin is a position, whose board is as large as it is, or the start on a board of some size.
BeginArgument = Annotated[
    str | None,
    typer.Argument(metavar="[POSITION]", help="Where to begin; the start of the game unless said."),
]
BeginSizeOption = Annotated[
    int | None,
    typer.Option(
        "--size", "-s", metavar="N", help=f"Size of the board; {DEFAULT_SIZE} unless said otherwise."
    ),
]
LineOption = Annotated[
    int | None,
    typer.Option(
        "--line", metavar="K", help="How many in a row win; as many as the board is wide unless said."
    ),
]
DoubleLineOption = Annotated[
    str | None,
    typer.Option(
        "--double-line",
        metavar="loses|wins",
        help="What becomes of who leaves lines of both marks; the official rule is 'loses'.",
    ),
]
TableOption = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="DIR",
        help="Folder of a table that 'inarow solve' wrote; small boards are solved when needed without it.",
    ),
]
TableArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of a table that 'inarow solve' wrote.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads", "-t", metavar="T", min=1, help="Number of threads; all processors unless said."
    ),
]
MemoryOption = Annotated[
    int | None,
    typer.Option(
        "--memory", metavar="SIZE", parser=_bytes, help="The most memory to use, as in 18G or 500M."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
