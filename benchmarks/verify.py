"""How fast Quixo tables are checked, whole and in samples, against a plain checker in Python.

The yardstick derives entries of the same table one at a time, with the rules of the package in Python and a
probe for each child. An incomplete table works too, such as the first layers of 5×5.

Exits with 1 if something is found to be wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import inarow
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.convert import convert
from inarow.verify import verify_sample, verify_table


def random_positions(rules: Quixo, marks: int, count: int, seed: int) -> list[Position]:
    """Positions with at least so many marks."""
    random = Random(seed)
    found = []
    for _ in range(count):
        cells = random.sample(range(rules.cells), random.randint(marks, rules.cells))
        x = sum(1 << cell for cell in cells if random.random() < 0.5)
        found.append(Position(rules, x, sum(1 << cell for cell in cells) - x))
    return found


def check_plainly(table: inarow.Table, positions: list[Position]) -> int:
    """How many positions have a value that does not follow from those of the positions after them."""
    wrong = 0
    for position in positions:
        stored = table.probe(position)
        if position.is_over:
            wrong += stored.plies != 0
            continue
        after = [table.probe(position.play(move)) for move in position.legal_moves()]
        outcomes = {probe.value for probe in after}
        right = "win" if "loss" in outcomes else "draw" if "draw" in outcomes else "loss"
        wrong += stored.value != right
        if stored.plies is not None and right != "draw":
            plies = [probe.plies for probe in after if probe.value == ("loss" if right == "win" else "win")]
            known = [found for found in plies if found is not None]
            wrong += stored.plies != 1 + (min(known) if right == "win" else max(known))
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, help="a table to check instead of one of 4×4")
    parser.add_argument("--sample", type=int, default=100_000, help="entries of a sample")
    parser.add_argument("--plain", type=int, default=300, help="positions that the yardstick checks")
    parser.add_argument("--threads", type=int, help="by default all processors")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where the whole check runs")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.table or _compact_table(Path(scratch))
        began = time.process_time(), time.perf_counter()
        whole = verify_table(folder, threads=arguments.threads, device=arguments.device)
        cpu, wall = time.process_time() - began[0], time.perf_counter() - began[1]
        sample = verify_sample(folder, arguments.sample, seed=1, threads=arguments.threads)
        with inarow.open_table(folder) as table:
            marks = min(pair.a + pair.b for pair in table.manifest.pairs)
            positions = random_positions(table.rules, marks, arguments.plain, seed=1)
            began = time.process_time(), time.perf_counter()
            wrong = check_plainly(table, positions)
            plain = (time.perf_counter() - began[1]) / len(positions)
    figures = {
        "entries": whole.entries,
        "seconds": round(wall, 2),
        "entries_per_second": round(whole.entries / wall),
        "cpu_ns_per_entry": round(cpu / whole.entries * 1e9, 1),
        "sample": sample.entries,
        "sampled_per_second": round(sample.per_second),
        "plain_per_second": round(1 / plain, 1),
        "ratio_whole": round(whole.entries / wall * plain),
        "ratio_sampled": round(sample.per_second * plain, 1),
    }
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name.replace('_', ' '):20} {figure:>16,}")
    return 1 if wrong or "wrong" in (whole.verdict, sample.verdict) else 0


def _compact_table(scratch: Path) -> Path:
    inarow.solve(Quixo(4), scratch / "plain")
    convert(scratch / "plain", scratch / "compact")
    return scratch / "compact"


if __name__ == "__main__":
    sys.exit(main())
