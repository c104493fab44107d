"""The time of three fixed proofs on small boards, and the positions that the search visits a second.

One thread, CPU time; the fastest of several runs, each with a fresh table. Exits with 1 if a proof has the
wrong result.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass

from inarow.positional.rules import Game
from inarow.positional.search.small_boards import Proof, prove


@dataclass(frozen=True, slots=True)
class Fixed:
    """A game, by its name and rule, and the moves in which X wins it, or None if it never does."""

    name: str
    maker_breaker: bool
    moves: int | None

    @property
    def what(self) -> str:
        rule = "maker-breaker" if self.maker_breaker else "maker-maker"
        outcome = "never won" if self.moves is None else f"won in {self.moves} moves"
        return f"{self.name}, {rule}: {outcome}"


PROOFS = (
    Fixed("mnk:5x5x4", False, None),
    Fixed("polyomino:snaky:7", True, None),
    Fixed("polyomino:l-pentomino:7", False, 9),
)


def measure(fixed: Fixed) -> tuple[float, Proof]:
    game = Game.named(fixed.name, fixed.maker_breaker)
    began = time.process_time()
    proof = prove(game)
    return time.process_time() - began, proof


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the search for wins in positional games.")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each (default 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    found = {}
    wrong = []
    for fixed in PROOFS:
        seconds, proof = min((measure(fixed) for _ in range(options.repeat)), key=lambda run: run[0])
        if proof.moves != fixed.moves or proof.never != (fixed.moves is None):
            wrong.append(fixed.what)
        found[fixed.what] = {
            "nodes": proof.nodes,
            "seconds": seconds,
            "nodes_per_second": proof.nodes / seconds,
        }
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        width = max(map(len, found))
        print(f"{'One thread, CPU time':{width}}       nodes  seconds  nodes a second")
        for what, row in found.items():
            print(
                f"{what:{width}}  {row['nodes']:10,}  {row['seconds']:7.2f}  {row['nodes_per_second']:14,.0f}"
            )
        for what in wrong:
            print(f"NOT PROVED: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
