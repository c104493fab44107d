"""`inarow quixo engine`: plays over standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import inarow
from inarow.cli.options import SeedOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.opponent import LevelOption, Strength, player_of
from inarow.quixo.engine import serve


@options.with_variants
def engine(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    variant: options.Variant = options.USUAL,
    table: options.TableOption = None,
    strength: Annotated[
        Strength,
        typer.Option("--strength", help="inarow at its best, setting traps, or making mistakes."),
    ] = Strength.BEST,
    level: LevelOption = None,
    seed: SeedOption = None,
) -> None:
    """Play against other programs, over standard input and output.

    The commands are like those of UCI for chess: 'position startpos moves a1a4', 'go movetime 1000', and then
    inarow answers with 'info' and 'bestmove'. docs/engine-protocol.md describes them all.
    """
    lookup = Lookup(table, line, double_line, variant)
    # What must be solved is solved now, not on the clock.
    player = player_of(lookup.prober(lookup.begin(None, size).rules), strength, level, seed)
    serve(player, f"inarow {inarow.__version__}", sys.stdin, sys.stdout)
