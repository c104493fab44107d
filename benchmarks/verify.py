"""Quixo tables checked, whole and in samples, against a plain checker in Python.

    python benchmarks/verify.py [--table DIR] [--device cuda]

The yardstick derives entries of the same table one at a time, with the rules of the package in Python and
a probe for each child. An incomplete table works too, such as the first layers of 5×5. Fails if something
is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from random import Random

from rows import Row, arguments, main, seconds, solved

import inarow
from inarow.verify import verify_sample, verify_table


def random_positions(rules: inarow.Quixo, marks: int, count: int) -> Iterator[inarow.Position]:
    """Positions with at least so many marks."""
    random = Random(1)
    for _ in range(count):
        cells = random.sample(range(rules.cells), random.randint(marks, rules.cells))
        x = sum(1 << cell for cell in cells if random.random() < 0.5)
        yield inarow.Position(rules, x, sum(1 << cell for cell in cells) - x)


def check_plainly(table: inarow.Table, positions: list[inarow.Position]) -> None:
    """Whether the value of each follows from those of the positions after it."""
    for position in positions:
        stored = table.probe(position)
        if position.is_over:
            assert stored.plies == 0
            continue
        after = [table.probe(position.play(move)) for move in position.legal_moves()]
        outcomes = {probe.value for probe in after}
        right = "win" if "loss" in outcomes else "draw" if "draw" in outcomes else "loss"
        assert stored.value == right, position
        if stored.plies is not None and right != "draw":
            plies = [probe.plies for probe in after if probe.value == ("loss" if right == "win" else "win")]
            known = [found for found in plies if found is not None]
            assert stored.plies == 1 + (min(known) if right == "win" else max(known)), position


def measure(options: argparse.Namespace) -> Iterator[Row]:
    with solved(inarow.Quixo(4), options.table) as folder, inarow.open_table(folder) as table:
        marks = min(pair.a + pair.b for pair in table.manifest.pairs)
        positions = list(random_positions(table.rules, marks, options.plain))
        plain = len(positions) / seconds(lambda: check_plainly(table, positions))
        unit, yardstick = "entries a second", "one by one, in Python"
        whole = verify_table(folder, device=options.device)
        sample = verify_sample(folder, options.sample, seed=1)
        assert "wrong" not in (whole.verdict, sample.verdict)
        yield Row("verify a table", whole.per_second, unit, yardstick, plain)
        yield Row("verify a sample of it", sample.per_second, unit, yardstick, plain)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--table", type=Path, metavar="DIR", help="to check instead of one of 4×4")
    parser.add_argument("--sample", type=int, default=100_000, help="entries of a sample (100,000)")
    parser.add_argument("--plain", type=int, default=100, help="positions that the yardstick checks (100)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of the whole check (cpu)")
    main(measure, parser)
