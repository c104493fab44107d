"""Results that come with the package, for boards that take too long to solve when someone asks.

For 5×5 under each of its rules: the value of the start and the counts of all classes; of the official game
also a longest win.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from inarow.errors import MissingTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.solution import Solution, data_name
from inarow.values import Outcome, Value

_FOLDER = files("inarow") / "data" / "quixo"


def longest_win() -> tuple[Position, ...]:
    """Optimal play from a position with the longest win of the official game on 5×5, to its end."""
    data = json.loads((_FOLDER / "5x5-longest-win.json").read_text(encoding="utf-8"))
    game = [Quixo(5).parse(data["position"])]
    for move in data["moves"]:
        game.append(game[-1].play(move))
    return tuple(game)


def results(rules: Quixo) -> Solution:
    """What solving a board of 5×5 gave, as docs/results/reproduce_quixo_5x5.py found it.

    `MissingTable` if no results of these rules are kept.

    >>> results(Quixo(5, line=4)).start
    Outcome(value='win', plies=17)
    """
    path = _FOLDER / data_name(rules)
    if not path.is_file():
        raise MissingTable(
            f"no results of {rules} are kept; solve it with:\n"
            f"inarow quixo solve --size {rules.rows}x{rules.columns}"
        )
    return Solution.from_data(path.read_text(encoding="utf-8"))


def class_value(rules: Quixo, mover: int, other: int) -> Value | None:
    """The value of all positions with so many marks in which the game is not over, if they have only one.

    >>> class_value(Quixo(5), 12, 4), class_value(Quixo(5), 8, 8)
    ('win', None)
    """
    return class_values(rules).get((mover, other))


@lru_cache
def class_values(rules: Quixo) -> Mapping[tuple[int, int], Value]:
    """The same of all classes, by marks of the side to move and of the other."""
    try:
        classes = results(rules).statistics.classes
    except MissingTable:
        return {}
    found: dict[tuple[int, int], Value] = {}
    for counts in classes:
        kept: dict[Value, bool] = {
            "win": any(won for plies, won, _ in counts.by_plies if plies != 0),
            "draw": counts.draw > 0,
            "loss": any(lost for plies, _, lost in counts.by_plies if plies != 0),
        }
        values = [value for value, there in kept.items() if there]
        if len(values) == 1:
            found[counts.x, counts.o] = values[0]
    return found


@lru_cache
def kept_outcomes(rules: Quixo) -> Mapping[int, Outcome]:
    """The outcomes of single positions that are kept: the start and, officially, the longest win.

    By the `mover_word` of the positions' canonical images.
    """
    try:
        start = results(rules).start
    except MissingTable:
        return {}
    game = longest_win() if rules == Quixo(5) else ()
    kept = {
        position.canonical().mover_word: Outcome("loss" if left % 2 == 0 else "win", left)
        for left, position in enumerate(reversed(game))
    }
    if start is not None:
        kept[rules.start().canonical().mover_word] = start
    return kept
