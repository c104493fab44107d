"""The speed of the C++ checker of dictionaries against plain Python, on this machine, in one run.

Both do three pieces of work, whose results are compared: the canonical forms of Qubic positions under 192
symmetries, forced wins by threats in Qubic, and the roll-out of a whole small game. All run on one thread.
The Python code is that of `inarow.positional`, which plays with it.

Exits with 1 if the results differ.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inarow._native import verify_positional as _checker
from inarow.positional.dictionary.complete import complete
from inarow.positional.dictionary.player import DictionaryPlayer
from inarow.positional.dictionary.text import Dictionary, Entry, Line
from inarow.positional.rules import Game, Position
from inarow.positional.search.threats import blocking_cells, forced_win, winning_cells
from inarow.symmetry import image
from inarow.verify.positional.dictionary import verify_dictionary
from inarow.verify.positional.text import answers_of

SMALL_GAME, FIRST_MOVE = "mnk:10x10x3", 44  # three in a row, won from the middle

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Measured:
    """Items worked off in a CPU second."""

    what: str
    items: int
    native: float
    python: float
    agree: bool


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def random_positions(game: Game, plies: Sequence[int], count: int, chance: random.Random) -> list[Position]:
    """Different positions in which nobody has a line, nor could complete one; X is to move."""
    found: dict[tuple[int, int], Position] = {}
    while len(found) < count:
        half = chance.choice(plies) // 2
        cells = chance.sample(range(game.cells), 2 * half)
        x, o = (sum(1 << cell for cell in side) for side in (cells[:half], cells[half:]))
        if game.wins(x) or game.wins(o):
            continue
        position = Position(game, x, o)
        if not winning_cells(position) and not blocking_cells(position):
            found[x, o] = position
    return list(found.values())


def canonical_forms(count: int, chance: random.Random) -> Measured:
    """The checker brings every answer into its canonical form before the first game, which then ends at once:
    there is no answer to the empty board.

    The second half of the positions are images of the first half with other answers: all conflict.
    """
    game = Game.named("qubic")
    symmetries = game.symmetries("full")
    answers, others = [], []
    for position in random_positions(game, range(16, 25, 2), count // 2, chance):
        first, second, *_ = position.legal_moves()
        answers.append(Entry(position.x, position.o, first))
        to = chance.choice(symmetries)
        others.append(Entry(image(position.x, to), image(position.o, to), to[second]))
    entries = answers_of(game.cells, answers + others)
    native, report = timed(lambda: verify_dictionary(game, entries, assisted=False, threads=1))

    sample = [
        Position(game, entry.x, entry.o) for half in (answers, others) for entry in half[: count // 200]
    ]
    python, forms = timed(lambda: [position.canonical() for position in sample])
    half = len(sample) // 2
    agree = len(report.conflicts) == len(answers) and forms[:half] == forms[half:]
    what = "canonical forms under 192 symmetries"
    count = len(entries.moves)
    return Measured(what, count, count / native, len(sample) / python, agree)


def forced_wins(count: int, chance: random.Random) -> Measured:
    """In positions that are not won by a few threats: many have no forced win at all."""
    game = Game.named("qubic")
    lines = np.array([[line] for line in game.lines], np.uint64)
    some = random_positions(game, (16, 18), 10 * count, chance)
    positions = [position for position in some if forced_win(position, limit=6) is None]
    masks = np.array([[[position.x], [position.o]] for position in positions], np.uint64)
    native, ours = timed(lambda: _checker.forced_wins(game.cells, lines, False, masks))
    python, plain = timed(lambda: [forced_win(position) for position in positions])
    agree = [win is None for win in ours] == [win is None for win in plain]
    what = "forced wins by threats in Qubic"
    return Measured(what, len(positions), len(positions) / native, len(positions) / python, agree)


def roll_outs() -> Measured:
    game = Game.named(SMALL_GAME)
    entries = complete(game, [Entry(0, 0, FIRST_MOVE)], threads=1)
    dictionary = Dictionary(game.cells, tuple(Line(e.x, e.o, 0, e.move) for e in entries))
    native, report = timed(lambda: verify_dictionary(game, dictionary, assisted=False, threads=1))
    python, reached = timed(lambda: roll_out(DictionaryPlayer(game, dictionary, assisted=False)))
    agree = report.exhaustive and report.positions.total == len(reached) == len(entries)
    what = f"roll-out of {SMALL_GAME} by looking up"
    return Measured(what, len(reached), len(reached) / native, len(reached) / python, agree)


def roll_out(player: DictionaryPlayer) -> set[Position]:
    """The canonical positions with X to move; X must win every game."""
    reached = {player.game.start()}
    waiting = list(reached)
    while waiting:
        position = waiting.pop()
        after = position.play(player.answer(position).cell)
        for reply in after.legal_moves():
            following = after.play(reply).canonical()
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the checker of dictionaries against plain Python.")
    parser.add_argument("--positions", type=int, default=50_000, metavar="N", help="of Qubic (default 50000)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of the random positions (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.positions < 1000:
        parser.error("--positions must be at least 1000")
    chance = random.Random(options.seed)
    rows = [
        canonical_forms(options.positions, chance),
        forced_wins(options.positions // 100, chance),
        roll_outs(),
    ]
    if options.json:
        found = {
            row.what: {
                "items": row.items,
                "native_per_second": row.native,
                "python_per_second": row.python,
                "ratio": row.native / row.python,
                "agree": row.agree,
            }
            for row in rows
        }
        print(json.dumps(found, indent=2))
    else:
        width = max(len(row.what) for row in rows)
        print(f"{'Per CPU second, one thread':{width}}      items         C++    Python   ratio")
        for row in rows:
            ratio = row.native / row.python
            print(
                f"{row.what:{width}}  {row.items:9,}  {row.native:10,.0f}  {row.python:8,.0f}  {ratio:6.0f}"
            )
        for row in rows:
            if not row.agree:
                print(f"THE TWO DIFFER: {row.what}")
    return 0 if all(row.agree for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
