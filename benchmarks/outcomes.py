"""What finding the values of 5×5 Quixo costs, layer by layer, down to some number of marks.

    python benchmarks/outcomes.py [--stop-at 21] [--threads 1] [--lanes auto] [--json]

Prints CPU nanoseconds for each stored state of every layer, outcomes only, and for each pair with many; the
yardstick is 4×4 solved with plies in the same process, whose time for a state is 1.00. Reading and writing
files is not counted. Exits with 1 if the counts are not those that come with inarow.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

from inarow._native.quixo import OutcomeSolver
from inarow.quixo.results import results
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import PliesEngine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.entries import Packed
from inarow.quixo.table.pairs import entry_count, layers_of, pairs_of
from inarow.quixo.table.store import NoStore

_MANY = 10**8  # entries of a pair that is shown


def yardstick(threads: int, lanes: str) -> float:
    """CPU seconds for a stored state of 4×4 with plies."""
    rules = Quixo(4)
    began = time.process_time()
    solve_pairs(rules, PliesEngine(rules, threads, lanes), NoStore())
    return (time.process_time() - began) / sum(entry_count(rules, a, b) for a, b in pairs_of(rules))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stop-at", type=int, default=21, metavar="N", help="the fewest marks")
    parser.add_argument("--threads", type=int, default=1, metavar="T")
    parser.add_argument("--lanes", default="auto", metavar="L", help="portable, avx2, avx512, neon or auto")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    rules = Quixo(5)
    known = {(c.x, c.o): (c.win, c.loss, c.draw) for c in results(rules).statistics.classes}
    try:
        solver = OutcomeSolver(rules.native, options.threads, options.lanes)
    except ValueError as error:  # no such lanes, or not on this machine
        parser.error(str(error))
    unit = yardstick(options.threads, options.lanes)
    say: Callable[[str], None] = (lambda text: None) if options.json else print
    say(f"4×4 with plies: {unit * 1e9:.1f} ns of CPU a state ({solver.lanes}, {options.threads} threads)")
    above: dict[tuple[int, int], list[Packed]] = {}
    costs = []
    for pairs in layers_of(rules, options.stop_at):
        layer, spent, states = {}, 0.0, 0
        for a, b in pairs:
            larger = above[a + 1, b][1] if above else None
            smaller = above[a, b + 1][0] if above and a > b else None
            began = time.process_time()
            layer[a, b], counts = solver.solve(a, b, larger, smaller)
            seconds = time.process_time() - began
            for side, found in zip(((a, b), (b, a)), counts, strict=False):
                if known[side] != found:
                    print(f"wrong counts of {side}: {found}, not {known[side]}", file=sys.stderr)
                    return 1
            entries = entry_count(rules, a, b)
            if entries > _MANY:
                say(f"    {{{a}, {b}}}: {entries:,} states, {seconds / entries * 1e9:.1f} ns")
            spent += seconds
            states += entries
        cost = spent / states
        marks = sum(pairs[0])
        say(f"{marks} marks: {states:,} states, {cost * 1e9:.1f} ns, {cost / unit:.2f} of the yardstick")
        costs.append({"marks": marks, "states": states, "cpu_ns": cost * 1e9})
        above = layer
    if options.json:
        print(json.dumps({"yardstick_cpu_ns": unit * 1e9, "lanes": solver.lanes, "layers": costs}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
