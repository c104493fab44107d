"""`inarow play`: a game in the terminal. Each game has a file of its own here."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli import options
from inarow.cli.quixo import play as quixo
from inarow.cli.ultimate import play as ultimate
from inarow.errors import InarowError


def play(
    game: options.PlayedGame,
    position: options.BeginArgument = None,
    side: Annotated[
        options.Side | None,
        typer.Option("--as", help="The marks you play with; both for two people."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="S", min=0, help="For choices made at random: the same seed, the same game."
        ),
    ] = None,
    size: options.BeginSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    variant: ultimate.VariantOption = None,
    against: ultimate.AgainstOption = None,
    seconds: ultimate.SecondsOption = None,
    playouts: ultimate.PlayoutsOption = None,
) -> None:
    """Play against inarow, or against each other.

    Quixo: against a table, which never errs. Ultimate: against a strategy of 'At Most 43 Moves, At Least 29',
    or against Monte-Carlo tree search; a position is the list of its moves, as in '44 40 04'.
    """
    of_quixo = {"--size": size, "--line": line, "--double-line": double_line, "--table": table}
    of_ultimate = {
        "--variant": variant,
        "--against": against,
        "--seconds": seconds,
        "--playouts": playouts,
    }
    for name, value in (of_ultimate if game == "quixo" else of_quixo).items():
        if value is not None:
            raise InarowError(f"{name} is not an option of {game}")
    if game == "quixo":
        quixo.play(position, size, line, double_line, table, side or options.Side.X, seed)
    else:
        ultimate.play(position, variant, against, seconds, playouts, side, seed)
