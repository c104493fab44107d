"""`inarow results`: what was found on the board of 5×5."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout
from inarow.cli.quixo import rules_of
from inarow.cli.solve import show


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
    from inarow.solve.results import results

    solution = results(rules_of(size, line, double_line))
    if as_json:
        print_json(solution.to_json())
    else:
        show(stdout(), solution, classes)
