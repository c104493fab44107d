"""`inarow quixo engine`: plays over standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import inarow
from inarow.cli.options import SeedOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.play import Opponent
from inarow.quixo.engine import serve
from inarow.quixo.player import Player


def engine(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    strength: Annotated[
        Opponent, typer.Option("--strength", help="inarow at its best, or making mistakes.")
    ] = Opponent.BEST,
    seed: SeedOption = None,
) -> None:
    """Play over standard input and output, for tournaments between programs.

    The commands are like those of UCI for chess: 'position startpos moves a1a4', 'go movetime 1000', and then
    inarow answers with 'info' and 'bestmove'. docs/engine-protocol.md describes them all.
    """
    lookup = Lookup(table, line, double_line)
    # What must be solved is solved now, not on the clock.
    player = Player(lookup.prober(lookup.begin(None, size).rules), strength.value, seed)
    serve(player, f"inarow {inarow.__version__}", sys.stdin, sys.stdout)
