"""Quixo solved and packed, against the published algorithms and against plain zstd.

    python benchmarks/quixo.py [--repeat N] [--stop-at MARKS] [--table DIR] [--lanes L] [--threads T]

- 4×4 on one thread, by the CPU time in a process of its own, against paper_quixo.cpp, which reports that
  from its first table to its last position; with the other instructions of this machine; on two threads.
- The whole command, in a fresh process each time, against Python that loads NumPy.
- With --stop-at, the values of 5×5 from full boards down to so many marks: CPU time of a stored state in
  each layer, against that of 4×4 with plies. It takes two minutes down to 21 marks, and 6 GB of memory.
- Packing the pieces of a table, of 3×6 unless one is named, as `solve` does, against zstd and zlib on one
  thread with one piece at a time; of a table that is named, also what each layer takes.

Fails if two do not find the same, or do not pack to the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rows import Row, arguments, compiled, cpu_seconds, main, seconds, solved

PAPER = Path(__file__).with_name("paper_quixo.cpp")
YARDSTICKS = {
    "outcomes": "paper, Algorithm 5 (outcomes only, no steps)",
    "steps": "paper, Algorithm 6 in Algorithm 2 (as printed)",
    "steps-parents": "paper, Algorithm 6 with the speed-ups of §4.2",
}
COMMAND = ("quixo", "solve", "--size", "4")
AT_ONCE = 100  # runs of a small table, which has few pieces in each


# --- 4×4 ---


def solve(threads: int, lanes: str) -> dict[str, Any]:
    """CPU and wall seconds, the instructions used, and what was counted."""
    # The threads of NumPy's linear algebra, which we do not use, spin for a while after they start.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from inarow.quixo.rules import Quixo
    from inarow.quixo.solver.engines.cpu import CpuEngine
    from inarow.quixo.solver.schedule import solve_pairs
    from inarow.quixo.table.store import NoStore

    rules = Quixo(4)
    wall, cpu = time.perf_counter(), time.process_time()
    engine = CpuEngine(rules, True, threads, lanes)
    statistics = solve_pairs(rules, engine, NoStore())
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
    for pairs in layers_of(rules, stop_at):
        layer, spent = {}, 0.0
        for a, b in pairs:
            sides = above and (above[a + 1, b][1], above[a, b + 1][0] if a > b else None)
            took, planes = cpu_seconds(lambda: solver.solve(a, b, False, lambda side: sides[side]))  # noqa: B023
            spent += took
            layer[a, b] = [(outcomes, None) for outcomes, _, _ in planes]
            for side, (_, _, (loss, draw, win)) in zip(((a, b), (b, a)), planes, strict=False):
                assert known[side] == (win, loss, draw), f"wrong counts of {side}"
        cost = spent / sum(entry_count(rules, a, b) for a, b in pairs)
        what = f"5×5, {sum(pairs[0])} marks, outcomes, {solver.lanes} code"
        yield Row(what, 1e9 * cost, "CPU ns a state", "4×4 with plies", 1e9 * unit)
        above = layer


# --- Packing ---


def packing(table: Path | None, most: int, threads: int) -> Iterator[Row]:
    import numpy as np

    from inarow.quixo.rules import Quixo
    from inarow.quixo.table import pieces
    from inarow.quixo.table.files import files_of, plane_runs
    from inarow.quixo.table.manifest import Manifest
    from inarow.quixo.table.pieces import Run

    def joined(runs: list[Run]) -> list[Run]:
        """Runs as long as those that a solver packs."""
        together = (runs[first : first + AT_ONCE] for first in range(0, len(runs), AT_ONCE))
        return [
            Run(*(np.concatenate(its) for its in zip(*((r.data, r.sizes) for r in some), strict=True)))
            for some in together
        ]

    def singly(run: Run, pack: Callable[[bytes], bytes]) -> bytes:
        data, ends = run.data.tobytes(), np.cumsum(run.sizes).tolist()
        some = (data[begin:end] for begin, end in pairwise([0, *ends]))
        return b"".join(piece[:1] if piece == piece[:1] * len(piece) else pack(piece) for piece in some)

    def packing_of(kind: str, runs: list[Run]) -> Iterator[Row]:
        megabytes, ours, zstd = sum(run.data.nbytes for run in runs) / 1e6, list[Any](), list[bytes]()
        compress = pieces._coders.compressor.compress
        took = seconds(lambda: ours.extend(pieces._packed(run, threads) for run in runs))
        by_zstd = seconds(lambda: zstd.extend(singly(run, compress) for run in runs))
        by_zlib = seconds(lambda: [singly(run, zlib.compress) for run in runs])
        assert [its.data for its in ours] == zstd, "other bytes"
        for name, theirs in (("zstd", by_zstd), ("zlib", by_zlib)):
            yardstick = f"{name}, one piece at a time"
            yield Row(f"pack {kind}", megabytes / took, "MB a second", yardstick, megabytes / theirs)

    with solved(Quixo(3, 6), table) as folder:
        manifest = Manifest.load(folder)
        files = files_of(folder, manifest)
        found: list[tuple[Run, Run]] = []
        for record in sorted(manifest.pairs, key=lambda record: -record.entries):
            for plane in range(record.planes):
                if sum(4 * values.data.size for values, _ in found) < most:
                    found += plane_runs(files, record, plane)
        for kind, runs in zip(("outcomes", "plies"), map(list, zip(*found, strict=True)), strict=True):
            if sum(run.data.nbytes for run in runs) > 1e6:  # less is too little to time
                yield from packing_of(kind, joined(runs))
        for marks in range(manifest.rules.cells, -1, -1) if table else ():
            if layer := [record for record in manifest.pairs if record.a + record.b == marks]:
                nbytes = sum(its.values.size + (its.plies.size if its.plies else 0) for its in layer)
                bits = 8 * nbytes / sum(record.entries for record in layer)
                yield Row(
                    f"{manifest.rules.size_text}, {marks} marks, packed",
                    bits,
                    "bits a state",
                    "two bytes",
                    16,
                )


def measure(options: argparse.Namespace) -> Iterator[Row]:
    if options.stop_at is not None:
        yield from outcomes(options.stop_at, options.threads, options.lanes)
        return
    if options.table is None:
        yield from solving(options.repeat)
        yield from whole_command(options.repeat)
    yield from packing(options.table, options.entries, os.cpu_count() or 1)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N (3)")
    parser.add_argument("--stop-at", type=int, metavar="MARKS", help="of 5×5, the fewest marks")
    parser.add_argument("--threads", type=int, default=1, metavar="T", help="for 5×5 (1)")
    parser.add_argument(
        "--lanes", default="auto", metavar="L", help="for 5×5: portable, avx2, avx512 or neon"
    )
    parser.add_argument("--table", type=Path, metavar="DIR", help="a full table, to pack its largest pairs")
    parser.add_argument("--entries", type=int, default=30_000_000, help="that are packed (30 million)")
    main(measure, parser)
