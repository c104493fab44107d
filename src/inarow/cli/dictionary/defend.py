"""`inarow dictionary defend`: find answers with which the second player never loses."""

from __future__ import annotations

import sys

import typer

from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.dictionary import common
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.positional.dictionary.defend import find_defence
from inarow.positional.search import MEMORY
from inarow.words import counted


def defend(
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    memory: common.SearchMemoryOption = MEMORY,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Find a defence of the second player and write it down.

    With it, X never completes a line. It is verified before it is written: `check` does
    that again. Under --maker-breaker, O makes no lines of its own; such a defence also
    holds under --maker-maker. Exit code 1: X wins.
    """
    rules = common.game_of(game, maker_breaker)
    with activity("looking for a defence") as report:

        def progress(nodes: int, kept: int) -> None:
            report(f"{counted(nodes, 'node')}, {counted(kept, 'position')} kept")

        found = find_defence(rules, out=out, memory=memory, progress=progress)
    if as_json:
        print_json(found.to_json())
    elif found.defends:
        sys.stdout.write("" if out else found.text())
        tell(found.describe())
    else:
        console = stdout()
        console.print(str(rules), style="bold")
        console.print(found.describe())
    if not found.defends:
        raise typer.Exit(CHECK_FAILED)
