"""`inarow results`: what was found on the board of 5×5."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout
from inarow.cli.quixo.common import board, rules_of
from inarow.cli.quixo.solve import show


def results(
    game: options.Game,
    size: options.SizeOption = 5,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    classes: Annotated[
        bool, typer.Option("--classes", help="Show all classes of positions, not only balanced ones.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show what solving 5×5 gave, under any rules, without solving it again."""
    from inarow.quixo.results import longest_win, results

    solution = results(rules_of(size, line, double_line))
    longest = longest_win() if solution.rules.line == size and solution.rules.double_line == "loses" else ()
    if as_json:
        data = solution.to_json()
        if longest:
            moves = [position.last_move.text(size) for position in longest if position.last_move]
            data["longest_win"] = {"position": str(longest[0]), "moves": moves}
        print_json(data)
        return
    console = stdout()
    show(console, solution, classes)
    if longest:
        console.print(f"\nThe longest win takes {len(longest) - 1} plies, from this position:\n")
        console.print(board(longest[0], f"{longest[0].turn.upper()} to move"))
