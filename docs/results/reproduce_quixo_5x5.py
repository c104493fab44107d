"""Solve 5×5 Quixo, and compare with what `inarow quixo results` shows.

    python docs/results/reproduce_quixo_5x5.py FOLDER [--device cuda] [LINE:RULE ...]

For each of the rules (all six, unless some are named as 4:wins), writes a table with plies to FOLDER,
compares the counts of all classes, and has 724,482 of its entries re-derived by the checker, which shares no
code with the solver. Of the official game it also follows the longest win: every position of that game takes
as long as the table says, and no position takes longer. A table of 5×5 takes up to 13 GB.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Literal

import inarow
from inarow.quixo.results import longest_win, results
from inarow.verify import verify_sample

SAMPLE = 724_482


def check(rules: inarow.Quixo, folder: Path, device: Literal["cpu", "cuda"]) -> None:
    began, expected = time.perf_counter(), results(rules)
    solution = inarow.solve(rules, folder, device=device)
    if solution.statistics != expected.statistics:
        raise SystemExit(f"{rules}: other counts than `inarow quixo results` shows")
    report = verify_sample(folder, SAMPLE, seed=5)
    if report.verdict == "wrong":
        raise SystemExit(f"{rules}: {report.reason}")
    if rules == inarow.Quixo(5):
        follow(folder, max(its["plies"] for its in solution.to_json()["by_plies"]))
    seconds = time.perf_counter() - began
    print(
        f"{rules}: {solution.start}, the same counts; {SAMPLE:,} entries re-derived, {seconds:.1f} s",
        flush=True,
    )


def follow(folder: Path, longest: int) -> None:
    game = longest_win()
    with inarow.open_table(folder) as table:
        for left, position in enumerate(reversed(game)):
            if not position.is_over and table.probe(position).plies != left:
                raise SystemExit(f"{position} does not take {left} plies")
    if len(game) - 1 != longest:
        raise SystemExit(f"the longest win takes {longest} plies, not {len(game) - 1}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("rules", nargs="*", metavar="LINE:RULE")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where to solve (cpu)")
    options = parser.parse_args()
    for name in options.rules or [f"{line}:{rule}" for line in (5, 4, 3) for rule in ("loses", "wins")]:
        line, double_line = name.split(":")
        rules = inarow.Quixo(5, line=int(line), double_line=double_line)
        check(rules, options.folder / rules.name, options.device)
