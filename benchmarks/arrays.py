"""Positions a second of 4×4 Quixo that are listed, drawn, read and expanded at once, on one core.

Each function of arrays is measured against the same work in Python, one position at a time. Exits with 1 if
the two do not give the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from probe_many import rate

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.user_table import table_in_memory

RULES = Quixo(4)
X, O = 5, 5  # noqa: E741 - the class whose positions are listed


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure arrays of Quixo 4x4 positions.")
    parser.add_argument("--positions", type=int, default=1_000_000, help="for one call (default 1,000,000)")
    parser.add_argument("--singly", type=int, default=2_000, help="for one at a time (default 2,000)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if min(options.positions, options.singly, options.repeat) < 1:
        parser.error("--positions, --singly and --repeat must be at least 1")
    table = table_in_memory(RULES)
    many = table.sample(options.positions, seed=1).words
    few = many[: options.singly]
    positions = [RULES.from_word(word) for word in few.tolist()]
    texts = [RULES.from_word(word).text for word in many.tolist()]

    signs = {"x": 1, "o": -1, ".": 0}

    def probed(words: list[int]) -> list[tuple[int, int, int]]:
        found = []
        for word in words:
            values, plies = table.probe_many([word])
            found.append((word, int(values[0]), int(plies[0])))
        return found

    # For each: what to call with a number of positions, the same in Python, and how the answers compare.
    work: dict[str, tuple[Callable[[int], Any], Callable[[int], Any], Callable[[Any], Any]]] = {
        "table.positions": (
            lambda n: table.positions(X, O, 0, n),
            lambda n: probed([RULES.from_index(X, O, number).mover_word for number in range(n)]),
            lambda found: list(zip(*(column.tolist() for column in found), strict=True)),
        ),
        "table.sample": (
            lambda n: table.sample(n, seed=1),
            lambda n: probed([RULES.from_word(word).mover_word for word in few[:n].tolist()]),
            lambda found: list(zip(*(column.tolist() for column in found), strict=True)),
        ),
        "moves_many": (
            lambda n: inarow.moves_many(RULES, many[:n]).words,
            lambda n: [p.play(move).mover_word for p in positions[:n] for move in p.legal_moves()],
            np.ndarray.tolist,
        ),
        "canonical_many": (
            lambda n: inarow.canonical_many(RULES, many[:n]),
            lambda n: [position.canonical().mover_word for position in positions[:n]],
            np.ndarray.tolist,
        ),
        "tiles_many": (
            lambda n: inarow.tiles_many(RULES, many[:n]),
            lambda n: [[signs[tile] for tile in p.text[:-2].replace("/", "")] for p in positions[:n]],
            np.ndarray.tolist,
        ),
        "parse_many": (
            lambda n: inarow.parse_many(RULES, texts[:n]),
            lambda n: [RULES.parse(text).mover_word for text in texts[:n]],
            np.ndarray.tolist,
        ),
    }
    if not options.json:
        print(f"{'positions a CPU second':22}  {'at once':>12}  {'one by one':>12}  faster by")
    rates = {}
    for name, (at_once, singly, as_list) in work.items():
        if as_list(at_once(len(few))) != singly(len(few)):
            print(f"THE ANSWERS OF {name} DIFFER", file=sys.stderr)
            return 1
        fast = rate(options.repeat, len(many), lambda at_once=at_once: at_once(len(many)))  # type: ignore[misc]
        slow = rate(options.repeat, len(few), lambda singly=singly: singly(len(few)))  # type: ignore[misc]
        rates[name] = {"at_once_per_second": fast, "one_by_one_per_second": slow}
        if not options.json:
            print(f"{name:22}  {fast:12,.0f}  {slow:12,.0f}  {fast / slow:8,.0f}×")
    if options.json:
        print(json.dumps(rates, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
