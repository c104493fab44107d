"""`inarow quixo study luck`: how long a win takes if the winner chooses any winning move."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.study.command import StudySeedOption
from inarow.errors import InarowError
from inarow.quixo.study.luck import DEFENCES, MOST_PLIES, Games, Luck, play_with_luck, study_luck
from inarow.words import counted

_MOST_CELLS = 16
_MOST_GAMES = 1_000_000


class DefenceChoice(StrEnum):
    RANDOM = "random"
    LONGEST = "longest"
    WORST = "worst"


def luck(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    defence: Annotated[
        DefenceChoice,
        typer.Option(
            "--defence",
            help="The loser moves at random, against the fastest win, or against the lucky one.",
        ),
    ] = DefenceChoice.RANDOM,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            metavar="N",
            min=1,
            max=_MOST_GAMES,
            help="Play so many games from random won positions instead.",
        ),
    ] = None,
    seed: StudySeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """How long does a win take by luck?

    The winner chooses any winning move at random. The expected number of plies from every won position is
    found by solving equations, on boards of up to 16 cells; games are played on any board with a table.
    """
    opened = Lookup(table, line, double_line).table(size)
    if games is None and opened.rules.cells > _MOST_CELLS:
        raise InarowError(f"equations are solved on boards of up to {_MOST_CELLS} cells; play with --games N")
    found = (
        study_luck(opened, defence.value)
        if games is None
        else play_with_luck(opened, games, defence.value, seed)
    )
    if as_json:
        print_json(found.to_json())
    elif isinstance(found, Luck):
        _show(found)
    else:
        _show_games(found)


def _show(found: Luck) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(f"The loser makes {DEFENCES[found.defence]}.")
    if found.start is not None:
        console.print(f"From the start a lucky win takes {found.start:.3f} plies on average.")
    console.print(
        f"From {counted(found.won, 'won position')} that are not over, {found.mean:.3f} on average, "
        f"where perfect play takes {found.optimum:.3f}; at most {found.longest:.3f}, from {found.position}."
    )
    console.print(f"No equation is wrong by more than {found.residual:.1g}, after {found.sweeps:,} sweeps.")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("X", "O", "won", "mean", "longest"):
        table.add_column(name, justify="right")
    for its in found.classes:
        table.add_row(str(its.x), str(its.o), f"{its.won:,}", f"{its.mean:.3f}", f"{its.longest:.3f}")
    console.print(table)


def _show_games(found: Games) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(f"The loser makes {DEFENCES[found.defence]}.")
    console.print(
        f"{counted(found.games, 'game')} from won positions: {found.mean:.2f} ± {found.error:.2f} plies on "
        f"average, where perfect play takes {found.optimum:.2f}; median {found.median:g}, "
        f"longest {found.longest}."
    )
    if found.unfinished:
        console.print(f"{found.unfinished} were not over after {MOST_PLIES} plies, and count as so long.")
