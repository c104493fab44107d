"""Solve 5×5 Quixo on a GPU, and check a sample of every class with an independent program.

    python docs/results/reproduce_quixo_5x5.py FOLDER [--check] [LINE:RULE ...]

Writes FOLDER/5x5-lineK-RULE.json for each of the rules (all six, unless some are named as 4:wins): the data
behind `inarow results`. With --check it solves again, compares the counts with those files, and has a sample
of every pair re-derived from its children by the checker of `inarow verify`, which shares no code with the
solver. Takes 80 GB of the GPU's memory and, to check, as much of the machine's.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import inarow
from inarow import _verify
from inarow.games.quixo import Quixo
from inarow.solve.cuda import CudaDevice

RUNS, RUN_LENGTH = 128, 32  # sampled in each pair: so many runs of entries that follow each other


class Sampler:
    """Checks a sample of each pair as it is solved. Keeps the layer above, which children lie in."""

    def __init__(self, rules: Quixo) -> None:
        self.rules = rules
        self.random = random.Random(5)
        self.pairs: dict[tuple[int, int], Any] = {}
        self.checked = 0

    def __call__(self, a: int, b: int, entries: Any) -> None:
        self.pairs = {pair: kept for pair, kept in self.pairs.items() if sum(pair) <= a + b + 1}
        self.pairs[a, b] = entries
        full = a + b == self.rules.cells
        larger = None if full else self.pairs[a + 1, b]
        smaller = None if full or a == b else self.pairs[a, b + 1]
        rules = self.rules.size, self.rules.line, self.rules.double_line == "wins"
        for _ in range(RUNS):
            first = self.random.randrange(entries.size)
            last = min(first + RUN_LENGTH, entries.size)
            checked, wrong = _verify.check(*rules, a, b, entries, larger, smaller, first, last, 1)
            self.checked += checked
            if wrong is not None:
                raise SystemExit(f"{self.rules}: pair {a}, {b}: {wrong}")


def solve(rules: Quixo, path: Path) -> None:
    solution = inarow.solve(rules, device="cuda")
    data = solution.to_json()
    del data["states"], data["by_plies"]  # follow from the classes
    data["classes"] = [
        {"x": c.x, "o": c.o, "draw": c.draw, "by_plies": c.by_plies} for c in solution.statistics.classes
    ]
    data["device"] = CudaDevice().name
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n")
    print(f"{rules}: {solution.start}, {solution.statistics.states}, {solution.seconds:.1f} s", flush=True)


def check(rules: Quixo, path: Path) -> None:
    began = time.perf_counter()
    sampler = Sampler(rules)
    solution = inarow.solve(rules, device="cuda", on_pair=sampler)
    found = [[c.x, c.o, c.draw, [list(row) for row in c.by_plies]] for c in solution.statistics.classes]
    if found != [[c["x"], c["o"], c["draw"], c["by_plies"]] for c in json.loads(path.read_text())["classes"]]:
        raise SystemExit(f"{rules}: other counts than in {path}")
    seconds = time.perf_counter() - began
    print(f"{rules}: the same counts; {sampler.checked:,} entries re-derived, {seconds:.1f} s", flush=True)


def main(folder: str, *arguments: str) -> None:
    work = check if "--check" in arguments else solve
    variants = [argument for argument in arguments if argument != "--check"]
    for variant in variants or [f"{line}:{rule}" for line in (5, 4, 3) for rule in ("loses", "wins")]:
        line, double_line = variant.split(":")
        rules = Quixo(5, int(line), double_line)  # type: ignore[arg-type]
        work(rules, Path(folder) / f"5x5-line{line}-{double_line}.json")


if __name__ == "__main__":
    main(*sys.argv[1:])
