"""`inarow dictionary make`: find a win from the rules alone, and write it down."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.dictionary import common
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.positional.dictionary.make import make_dictionary
from inarow.positional.search import MEMORY
from inarow.positional.search.pairings import pairing_text

_MOVES = "Only look for wins within M moves."
_TIME = "Seconds for choosing few lines; default 60."
_EFFORT = "Qubic: rounds in which the dictionary is made smaller; default 12."
_SEED = "Qubic: seed of the random choices; default 1."
_DASK = "Search with the workers of a Dask scheduler."


def make(
    game: common.GameOption,
    moves: Annotated[int | None, typer.Option("--moves", metavar="M", min=1, help=_MOVES)] = None,
    maker_breaker: common.MakerBreakerOption = None,
    time_limit: Annotated[float | None, typer.Option("--time-limit", metavar="S", min=0, help=_TIME)] = None,
    memory: common.SearchMemoryOption = MEMORY,
    effort: Annotated[int | None, typer.Option("--effort", metavar="N", min=0, help=_EFFORT)] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, help=_SEED)] = None,
    dask: Annotated[str | None, typer.Option("--dask", metavar="ADDRESS", help=_DASK)] = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Find a win of the first player and write it in few lines.

    The dictionary is verified before it is written. With --out, an interrupted search
    resumes when the command is repeated. Exit code 1: there is no win; the proof of
    that is shown.
    """
    rules = common.game_of(game, maker_breaker)
    with activity("making a dictionary") as report:
        made = make_dictionary(
            rules,
            moves,
            out=out,
            memory=memory,
            time_limit=time_limit,
            effort=effort,
            seed=seed,
            dask=dask,
            progress=lambda state: report(state.describe()),
        )
    if made.dictionary is not None and out is None:
        common.write(made.dictionary, None, as_json)
    if as_json:
        print_json(made.to_json())
    elif made.dictionary is not None:
        tell(made.describe())
    else:
        console = stdout()
        console.print(str(rules), style="bold")
        console.print(made.describe())
        if made.proof.pairing is not None:
            console.print("\nWhen X marks a cell, O marks the one with the same letter:\n")
            console.print(pairing_text(rules, made.proof.pairing))
    if made.dictionary is None:
        raise typer.Exit(CHECK_FAILED)
