"""Positions a second that a 4×4 Quixo table answers on one core, on random positions, plain and compact.

`probe_many` takes all positions in one call. It is measured against two ways to take them one at a time:
`probe_many` called with a single word, and `probe`, which looks up the position and all that follow it; with
`moves`, these are also made. A look-up of the position's text in a dictionary shows what Python takes for the
least that could be done.

Exits with 1 if the ways do not give the same answers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.convert import convert

RULES = Quixo(4)
VALUES: dict[str | None, int] = {"win": 1, "draw": 0, "loss": -1}

Answers = tuple[list[int], list[int]]  # values and plies, as probe_many gives them


def random_words(count: int, seed: int) -> NDArray[np.uint64]:
    """Boards on which every cell is X, O or empty with the same chance: any of the 3^16 alike."""
    tiles = np.random.default_rng(seed).integers(0, 3, (RULES.cells, count), np.uint8)
    words = np.zeros(count, np.uint64)
    for cell in range(RULES.cells):
        words |= np.where(tiles[cell] == 1, np.uint64(1) << np.uint64(cell + 32), np.uint64(0))
        words |= np.where(tiles[cell] == 2, np.uint64(1) << np.uint64(cell), np.uint64(0))
    return words


def at_once(table: inarow.Table, words: NDArray[np.uint64]) -> Answers:
    values, plies = table.probe_many(words)
    return values.tolist(), plies.tolist()


def word_by_word(table: inarow.Table, words: NDArray[np.uint64]) -> Answers:
    found = [table.probe_many(words[nth : nth + 1]) for nth in range(len(words))]
    return [int(values[0]) for values, _ in found], [int(plies[0]) for _, plies in found]


def position_by_position(table: inarow.Table, words: NDArray[np.uint64]) -> Answers:
    found = [table.probe(RULES.from_word(word)) for word in words.tolist()]
    plies = [-1 if probe.plies is None else probe.plies for probe in found]
    return [VALUES[probe.value] for probe in found], plies


def probe_all(table: inarow.Table, positions: list[Position]) -> None:
    for position in positions:
        table.probe(position)


def with_moves(table: inarow.Table, positions: list[Position]) -> int:
    return sum(len(table.probe(position).moves) for position in positions)


def rate(repeat: int, count: int, call: Callable[[], object]) -> float:
    """Positions a CPU second, best of `repeat`."""
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return count / best


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure probing a Quixo 4x4 table.")
    parser.add_argument(
        "--table", type=Path, help="a plain table of the 4x4 board (default: solve one for this)"
    )
    parser.add_argument("--positions", type=int, default=1_000_000, help="for one call (default 1,000,000)")
    parser.add_argument("--singly", type=int, default=5_000, help="for one at a time (default 5,000)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N (default 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if min(options.positions, options.singly, options.repeat) < 1:
        parser.error("--positions, --singly and --repeat must be at least 1")
    words = random_words(max(options.positions, options.singly), options.seed)
    many, few = words[: options.positions], words[: options.singly]

    positions = [RULES.from_word(word) for word in few.tolist()]
    known = {position.text: None for position in positions}
    text = rate(options.repeat, len(few), lambda: [known[position.text] for position in positions])
    same = True
    all_rates = {"the text of a position in a dictionary": text}
    with tempfile.TemporaryDirectory() as folder:
        plain, compact = options.table or Path(folder) / "plain", Path(folder) / "compact"
        if options.table is None:
            inarow.solve(RULES, plain)
        convert(plain, compact)
        for name, path in (("plain", plain), ("compact", compact)):
            with inarow.open_table(path) as table:
                answers = [way(table, few) for way in (at_once, word_by_word, position_by_position)]
                rates = {
                    # The plain call: turning its arrays into lists is no part of it.
                    "probe_many, all in one call": rate(
                        options.repeat, len(many), partial(table.probe_many, many)
                    ),
                    "probe_many, one word a call": rate(
                        options.repeat, len(few), partial(word_by_word, table, few)
                    ),
                    "probe": rate(options.repeat, len(few), partial(probe_all, table, positions)),
                    "probe, and its moves": rate(
                        options.repeat, len(few), partial(with_moves, table, positions)
                    ),
                }
                same &= all(found == answers[0] for found in answers)
            all_rates |= {f"{name}: {way}": speed for way, speed in rates.items()}
    if options.json:
        print(json.dumps({way: {"per_second": speed} for way, speed in all_rates.items()}, indent=2))
    else:
        print(f"{'one core, best of ' + str(options.repeat):37}  µs a position  ÷ a dictionary's")
        for way, speed in all_rates.items():
            print(f"{way:37}  {1e6 / speed:13.2f}  {text / speed:16.1f}")
    if not same:
        print("THE ANSWERS DIFFER", file=sys.stderr)
        return 1
    if not options.json:
        print(f"All give the same answers for {len(few):,} positions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
