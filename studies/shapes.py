"""What is Quixo on other boards: every shape no higher than wide, every line, both rules for double lines?

    python studies/shapes.py --cells 16 --solve

Shows, from docs/results/quixo-shapes.json, the value of each game, how many positions with X to move are won,
drawn and lost, the longest win and loss, and how many positions are reachable. With --variants, shows misère,
wrapped and no-diagonal games and drawn double lines on boards of up to 16 cells, from quixo-variants.json.

With --solve, the games are solved, and the independent checker goes through their tables, on boards of more
than 22 cells through a sample; exits with 1 if anything differs from the file. With --json, the output has
the form of the file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from common import ROOT, main, progress
from reachable import reachable

import inarow
from inarow.quixo.rules import DoubleLine, shapes
from inarow.verify import verify_sample, verify_table

SHAPES = ROOT / "docs" / "results" / "quixo-shapes.json"
VARIED = ROOT / "docs" / "results" / "quixo-variants.json"
DOUBLE_LINES: tuple[DoubleLine, ...] = ("loses", "wins", "draws")
MOST_REACHABLE = 16  # cells of boards whose reachable positions are counted
MOST_CHECKED = 22  # cells of boards whose tables are checked as a whole: a larger one takes minutes
SAMPLE = 83_200


def games(most_cells: int = 25) -> Iterator[inarow.Quixo]:
    """Small boards first."""
    boards = [(rows, columns) for rows, columns in shapes(most_cells) if rows <= columns]
    for rows, columns in sorted(boards, key=lambda board: (board[0] * board[1], board)):
        for line in range(2, columns + 1):
            for double_line in DOUBLE_LINES[:2]:
                yield inarow.Quixo(rows, columns, line, double_line)


def variants(most_cells: int = 16) -> Iterator[inarow.Quixo]:
    """All other rules on these boards; of games with the same lines and ends, the first."""
    official = list(games(most_cells))
    seen = {(its.rows, its.columns, frozenset(its.lines), its.ends) for its in official}
    for shape, double_line in product(official[::2], DOUBLE_LINES):
        for misere, wrap, diagonals in product((False, True), repeat=3):
            args = shape.rows, shape.columns, shape.line, double_line
            rules = inarow.Quixo(*args, misere=misere, wrap=wrap, diagonals=diagonals)
            game = rules.rows, rules.columns, frozenset(rules.lines), rules.ends
            if game not in seen:
                seen.add(game)
                yield rules


def kept(file: Path = SHAPES) -> dict[inarow.Quixo, dict[str, Any]]:
    return {inarow.Quixo.from_json(its): its for its in json.loads(file.read_text())["games"]}


def row_of(solution: inarow.Solution) -> dict[str, Any]:
    rules, found = solution.rules, solution.to_json()
    plies = found["by_plies"]
    return {
        **rules.to_json(),
        "value": found["value"],
        "plies": found["plies"],
        **{value: found["states"][value] for value in ("win", "draw", "loss")},
        "longest_win": max((its["plies"] for its in plies if its["win"]), default=0),
        "longest_loss": max((its["plies"] for its in plies if its["loss"]), default=0),
        "reachable": _reachable(rules),
    }


def _reachable(rules: inarow.Quixo) -> int | None:
    official = inarow.Quixo(rules.rows, rules.columns, rules.line, rules.double_line)
    counted = rules == official and rules.double_line != "draws" and rules.cells <= MOST_REACHABLE
    return reachable(rules)["reachable"] if counted else None


def solved(rules: inarow.Quixo, device: Literal["cpu", "cuda"]) -> dict[str, Any]:
    """Solved, with a table that is checked and thrown away."""
    with TemporaryDirectory() as folder:
        row = row_of(inarow.solve(rules, folder, device=device, progress=progress))
        if rules.cells > MOST_CHECKED:
            verdict = verify_sample(folder, SAMPLE, seed=1).verdict
        else:
            on = device if rules.cells > 20 else "cpu"  # a GPU checks tables in the compact form
            verdict = verify_table(folder, device=on, progress=progress).verdict
    if verdict == "wrong":
        raise inarow.InarowError(f"the checker does not agree with the solver on {rules}")
    return {**row, "proven": verdict == "proven", "sampled": SAMPLE if rules.cells > MOST_CHECKED else 0}


def compared(
    those: Iterable[inarow.Quixo], file: Path, device: Literal["cpu", "cuda"] | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """The games, solved if there is a device, and what is wrong with the file."""
    found, wrong, known = [], [], kept(file)
    for rules in those:
        row = solved(rules, device) if device else known.get(rules)
        if row:
            found.append(row)
            if row != known.get(rules, row):
                wrong.append(f"{rules}: {row} is not what {file.name} has: {known[rules]}")
    return found, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cells", type=int, metavar="N", help="boards of up to N cells (25, or 16 for variants)"
    )
    parser.add_argument(
        "--variants", action="store_true", help="misère, wrapped and no-diagonal games, drawn lines"
    )
    parser.add_argument("--solve", action="store_true", help="solve the games, and compare with the file")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where to solve (cpu)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    wrong: list[str] = []

    def study() -> dict[str, Any]:
        those = variants(options.cells or 16) if options.variants else games(options.cells or 25)
        file = VARIED if options.variants else SHAPES
        found, differing = compared(those, file, options.device if options.solve else None)
        wrong.extend(differing)
        return {"games": found}

    main(study, options.json)
    if wrong:
        sys.exit("\n".join(wrong))
