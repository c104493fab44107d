"""What was found on boards too large to solve in passing: the counts of all classes, kept as data."""

from __future__ import annotations

import json
from importlib.resources import files

from inarow.errors import InarowError
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.solve import Solution, data_name
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.pair_file import describe
from inarow.values import Outcome


def longest_win() -> tuple[Position, ...]:
    """A game of optimal play from a position of the longest win of the official game on 5×5, to its end."""
    data = json.loads((files("inarow") / "data" / "quixo" / "5x5-longest-win.json").read_text())
    game = [Quixo(5).parse(data["position"])]
    for move in data["moves"]:
        game.append(game[-1].play(move))
    return tuple(game)


def results(rules: Quixo) -> Solution:
    """The outcome of solving 5×5 under these rules, as docs/results/reproduce_quixo_5x5.py found it.

    >>> results(Quixo(size=5, line=4)).start
    Outcome(value='win', plies=17)
    """
    path = files("inarow") / "data" / "quixo" / data_name(rules)
    if rules.size != 5 or not path.is_file():
        raise InarowError(
            f"no results of {describe(rules)} are kept; boards up to 4×4 are solved in less than a second:\n"
            f"inarow solve quixo --size {rules.size}"
        )
    data = json.loads(path.read_text())
    classes = [
        ClassCounts(c["x"], c["o"], c["draw"], tuple((p, won, lost) for p, won, lost in c["by_plies"]))
        for c in data["classes"]
    ]
    return Solution(
        rules,
        Outcome(data["value"], data["plies"]),
        Statistics.of(classes),
        data["seconds"],
        None,
        device=data["device"],
        timing=data.get("timing", {}),
    )
