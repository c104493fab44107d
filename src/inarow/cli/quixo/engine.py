"""`inarow quixo engine`: plays over standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import inarow
from inarow.cli.options import SeedOption
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.opponent import LevelOption, Strength, player_of
from inarow.quixo.engine import serve


@with_lookup()
def engine(
    lookup: Lookup,
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
    # What must be solved is solved now, not on the clock.
    player = player_of(lookup.prober(lookup.rules), strength, level, seed)
    serve(player, f"inarow {inarow.__version__}", sys.stdin, sys.stdout)
