"""`inarow quixo results`: what solving 5×5 gave."""

from __future__ import annotations

from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.summary import show
from inarow.cli.quixo.words import board
from inarow.quixo.results import longest_win
from inarow.quixo.results import results as results_of
from inarow.quixo.rules import Quixo


@options.with_rules(size="5")
def results(
    rules: Quixo,
    classes: options.ClassesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the results for 5×5 that come with inarow.

    They cover all lengths of a line and both rules for double lines.
    """
    solution = results_of(rules)
    longest = longest_win() if solution.rules.name == "5x5-line5-loses" else ()
    if as_json:
        data = solution.to_json()
        if longest:
            moves = [
                position.rules.move_text(position.last_move) for position in longest if position.last_move
            ]
            data["longest_win"] = {"position": str(longest[0]), "moves": moves}
        print_json(data)
        return
    console = stdout()
    show(console, solution, classes)
    if longest:
        console.print(f"\nThe longest win takes {len(longest) - 1} plies, from this position:\n")
        console.print(board(longest[0], f"{longest[0].turn.upper()} to move"))
