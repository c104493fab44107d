"""Quixo solved, against the published algorithms.

    python benchmarks/quixo.py [--repeat N] [--stop-at MARKS] [--lanes L] [--threads T]

- 4×4 on one thread, by the CPU time in a process of its own, against paper_quixo.cpp, which reports that
  from its first table to its last position; with the other instructions of this machine; on two threads.
- The whole command, in a fresh process each time, against Python that loads NumPy.
- With --stop-at, the values of 5×5 from full boards down to so many marks: CPU time of a stored state in
  each layer, against that of 4×4 with plies. It takes two minutes down to 21 marks, and 6 GB of memory.

Fails if two do not find the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rows import Row, arguments, compiled, cpu_seconds, main

PAPER = Path(__file__).with_name("paper_quixo.cpp")
YARDSTICKS = {
    "outcomes": "paper, Algorithm 5 (outcomes only, no steps)",
    "steps": "paper, Algorithm 6 in Algorithm 2 (as printed)",
    "steps-parents": "paper, Algorithm 6 with the speed-ups of §4.2",
}
COMMAND = ("quixo", "solve", "--size", "4")


# --- 4×4 ---


def solve(threads: int, lanes: str) -> dict[str, Any]:
    """CPU and wall seconds, the instructions used, and what was counted."""
    # The threads of NumPy's linear algebra, which we do not use, spin for a while after they start.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from inarow.quixo.rules import Quixo
    from inarow.quixo.solver.engines.cpu import CpuEngine
    from inarow.quixo.solver.schedule import solve_pairs
    from inarow.quixo.table.store import Store

    rules = Quixo(4)
    wall, cpu = time.perf_counter(), time.process_time()
    engine = CpuEngine(rules, True, threads, lanes)
    statistics = solve_pairs(rules, engine, Store())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    counts = statistics.states, [list(row) for row in statistics.by_plies]
    return {"cpu": cpu, "wall": wall, "lanes": engine.lanes, "counts": counts}


def in_its_own_process(threads: int, lanes: str = "auto") -> dict[str, Any]:
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(solve, threads, lanes).result()


def by_the_paper(program: Path, mode: str) -> dict[str, Any]:
    done = subprocess.run([program, "4", mode], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    states = {value: found[value] for value in ("win", "loss", "draw")}
    return {"cpu": found["cpu_seconds"], "counts": (states, found.get("by_plies"))}


def solving(repeat: int) -> Iterator[Row]:
    runs: dict[str, list[dict[str, Any]]] = {}
    with compiled(PAPER) as program:
        # One of each in turn, so that a machine that slows down does so for all of them.
        for _ in range(repeat):
            runs.setdefault("one", []).append(in_its_own_process(1))
            runs.setdefault("two", []).append(in_its_own_process(2))
            lanes = runs["one"][0]["lanes"]
            for other in {"avx512": ("avx2", "portable"), "portable": ()}.get(lanes, ("portable",)):
                runs.setdefault(other, []).append(in_its_own_process(1, other))
            for mode in YARDSTICKS:
                runs.setdefault(mode, []).append(by_the_paper(program, mode))
    states, by_plies = runs["one"][0]["counts"]
    for name, found in runs.items():
        for its in found:
            assert its["counts"] in ((states, by_plies), (states, None)), f"{name}: other counts"
    best = {name: min(its["cpu"] for its in found) for name, found in runs.items()}
    for mode, name in YARDSTICKS.items():
        yield Row("solve 4×4 with plies, one thread", best["one"], "CPU s", name, best[mode])
    for other in ("avx2", "portable"):
        if other in best:
            yield Row(f"the same, {other} code", best[other], "CPU s", f"{lanes} code", best["one"])
    one, two = (min(its["wall"] for its in runs[name]) for name in ("one", "two"))
    yield Row("solve 4×4 with plies, two threads", two, "s", "one thread", one)


def whole_command(repeat: int) -> Iterator[Row]:
    def run(*command: str) -> tuple[float, float]:
        """Wall seconds, and peak memory in MiB."""
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, f"{command} failed"
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # of ru_maxrss, per MiB
        return time.perf_counter() - began, usage.ru_maxrss / unit

    ours = [run(sys.executable, "-m", "inarow", *COMMAND) for _ in range(repeat)]
    python = [run(sys.executable, "-c", "import numpy") for _ in range(repeat)]
    what, yardstick = f"command inarow {' '.join(COMMAND)}", "Python that loads NumPy"
    for nth, (name, unit) in enumerate((("best", "s"), ("peak", "MiB"))):
        figures = (min(its[nth] for its in runs) for runs in (ours, python))
        yield Row(f"{what}, {name}", next(figures), unit, yardstick, next(figures))


# --- 5×5 ---


def outcomes(stop_at: int, threads: int, lanes: str) -> Iterator[Row]:
    from inarow._native.quixo import Solver
    from inarow.quixo.results import results
    from inarow.quixo.rules import Quixo
    from inarow.quixo.table.pairs import entry_count, layers_of, pairs_of

    small = Quixo(4)
    unit = solve(threads, lanes)["cpu"] / sum(entry_count(small, a, b) for a, b in pairs_of(small))
    rules = Quixo(5)
    known = {(c.x, c.o): (c.win, c.loss, c.draw) for c in results(rules).statistics.classes}
    solver = Solver(rules.native, threads, lanes)
    above: dict[tuple[int, int], Any] = {}
    layer: dict[tuple[int, int], Any]
    for pairs in layers_of(rules, stop_at):
        layer, spent = {}, 0.0
        for a, b in pairs:
            sides = [above[a + 1, b][1], *([above[a, b + 1][0]] if a > b else [])] if above else []
            took, planes = cpu_seconds(lambda: solver.solve(a, b, False, sides.__getitem__))  # noqa: B023
            spent += took
            layer[a, b] = [(outcomes, None) for outcomes, _, _ in planes]
            for side, (_, _, (loss, draw, win)) in zip(((a, b), (b, a)), planes, strict=False):
                assert known[side] == (win, loss, draw), f"wrong counts of {side}"
        cost = spent / sum(entry_count(rules, a, b) for a, b in pairs)
        what = f"5×5, {sum(pairs[0])} marks, outcomes, {solver.lanes} code"
        yield Row(what, 1e9 * cost, "CPU ns a state", "4×4 with plies", 1e9 * unit)
        above = layer


def measure(options: argparse.Namespace) -> Iterator[Row]:
    if options.stop_at is not None:
        yield from outcomes(options.stop_at, options.threads, options.lanes)
    else:
        yield from solving(options.repeat)
        yield from whole_command(options.repeat)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N (3)")
    parser.add_argument("--stop-at", type=int, metavar="MARKS", help="of 5×5, the fewest marks")
    parser.add_argument("--threads", type=int, default=1, metavar="T", help="for 5×5 (1)")
    parser.add_argument(
        "--lanes", default="auto", metavar="L", help="for 5×5: portable, avx2, avx512 or neon"
    )
    main(measure, parser)
