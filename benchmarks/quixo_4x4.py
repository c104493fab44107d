"""Quixo 4×4 solved by inarow and by the published algorithms, on this machine, in one run.

The yardstick is paper_quixo.cpp, compiled here. Both sides are measured inside a process of their own, which
excludes starting it: for the yardstick it is the CPU time the program reports, from its first table to its
last position, for inarow time.process_time() around inarow.solve(). The latter includes counting the results,
the former does not.

Exits with 1 if the two do not count the same positions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("paper_quixo.cpp")
FLAGS = ("-O3", "-march=native", "-std=c++20")
COMMAND = ("quixo", "solve", "--size", "4")

OURS = "inarow, outcomes and plies"
YARDSTICK = {
    "outcomes": "paper, Algorithm 5 (outcomes only, no steps)",
    "steps": "paper, Algorithm 6 in Algorithm 2 (as printed)",
    "steps-parents": "paper, Algorithm 6 with the speed-ups of §4.2",
}


@dataclass(frozen=True, slots=True)
class Counts:
    """What a solver found; no rows of plies if it finds outcomes only."""

    states: dict[str, int]
    by_plies: list[list[int]] | None  # plies, wins, losses
    start: str


@dataclass(frozen=True, slots=True)
class Solve:
    cpu: float
    wall: float
    lanes: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class Command:
    wall: float
    peak_mib: float


# Only the child process imports inarow and numpy. On Linux the peak memory of a command is never less than
# the memory of the process that started it, so that one stays small.
def solve(threads: int, lanes: str) -> Solve:
    # The threads of NumPy's linear algebra, which we do not use, spin for a while after they start.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from inarow._native.quixo import Solver
    from inarow.quixo.rules import Quixo
    from inarow.quixo.solver.engines.cpu import PliesEngine
    from inarow.quixo.solver.schedule import solve_pairs
    from inarow.quixo.solver.solution import Solution
    from inarow.quixo.table.store import NoStore

    rules = Quixo(4)
    wall, cpu = time.perf_counter(), time.process_time()
    statistics = solve_pairs(rules, PliesEngine(rules, threads, lanes), NoStore())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    found = Solution(rules, statistics, wall).to_json()
    by_plies = [[row["plies"], row["win"], row["loss"]] for row in found["by_plies"]]
    used = Solver(rules.native, 1, lanes).lanes
    return Solve(cpu, wall, used, Counts(found["states"], by_plies, found["value"]))


def slower_than(lanes: str) -> tuple[str, ...]:
    """The other lanes that this machine has, too, slower ones last."""
    return {"avx512": ("avx2", "portable"), "portable": ()}.get(lanes, ("portable",))


def run_solve(threads: int, lanes: str) -> Solve:
    """`solve` in a fresh process."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(solve, threads, lanes).result()


def run_yardstick(program: Path, mode: str) -> tuple[float, Counts]:
    """The CPU seconds the yardstick reports, and its counts."""
    done = subprocess.run([program, "4", mode], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    states = {value: found[value] for value in ("win", "loss", "draw")}
    return found["cpu_seconds"], Counts(states, found.get("by_plies"), found["start"])


def run_command(program: Path) -> Command:
    """Wall seconds and peak memory of the command line, interpreter included."""
    began = time.perf_counter()
    process = subprocess.Popen([program, *COMMAND], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{program.name} {' '.join(COMMAND)} failed with status {process.returncode}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # of ru_maxrss, per MiB
    return Command(wall, usage.ru_maxrss / unit)


def compiler() -> str:
    found = shutil.which(os.environ.get("CXX", "c++"))
    if found is None:
        raise SystemExit("no C++ compiler: put c++ on the path or set CXX")
    return found


def first_line(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.partition("\n")[0]


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def agree(all_counts: dict[str, Counts]) -> bool:
    """Whether all found the same, as far as each looked."""
    plies = [counts.by_plies for counts in all_counts.values() if counts.by_plies is not None]
    outcomes = [(counts.states, counts.start) for counts in all_counts.values()]
    return all(found == outcomes[0] for found in outcomes) and all(rows == plies[0] for rows in plies)


def measure(repeat: int, note: Callable[[str], None]) -> dict[str, Any]:
    cxx = compiler()
    entry = Path(sys.executable).with_name("inarow")
    if not entry.exists():
        raise SystemExit("inarow is not installed for this Python: pip install inarow")
    cpu: dict[str, list[float]] = {}
    solves: dict[int, list[Solve]] = {1: [], 2: []}  # by threads
    all_counts: dict[str, Counts] = {}
    commands: list[Command] = []
    lanes = ""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "paper_quixo"
        subprocess.run([cxx, *FLAGS, str(SOURCE), "-o", str(program)], check=True)
        # One of each in turn, so that a machine that slows down does so for all of them.
        for nth in range(1, repeat + 1):
            note(f"round {nth} of {repeat}")
            for mode, name in YARDSTICK.items():
                seconds, all_counts[name] = run_yardstick(program, mode)
                cpu.setdefault(name, []).append(seconds)
            for threads in solves:
                run = run_solve(threads, "auto")
                lanes = run.lanes
                name = f"{OURS} ({lanes} lanes)"
                all_counts[f"{name}, {threads} threads"] = run.counts
                solves[threads].append(run)
                if threads == 1:
                    cpu.setdefault(name, []).append(run.cpu)
            for other in slower_than(lanes):
                run = run_solve(1, other)
                name = f"{OURS} ({other} lanes)"
                all_counts[name] = run.counts
                cpu.setdefault(name, []).append(run.cpu)
            commands.append(run_command(entry))
    best = {name: min(seconds) for name, seconds in cpu.items()}
    ours = best[f"{OURS} ({lanes} lanes)"]
    one, two = (min(runs, key=lambda run: run.wall) for runs in solves.values())
    return {
        "cpu": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "compiler": first_line(cxx, "--version"),
        "flags": " ".join(FLAGS),
        "python": platform.python_version(),
        "load_before": load,
        "repeat": repeat,
        "lanes": lanes,
        "solve_cpu_seconds": best,
        "ratio_to_inarow": {name: seconds / ours for name, seconds in best.items()},
        "one_thread_wall_seconds": one.wall,
        "two_threads_wall_seconds": two.wall,
        "two_threads_speedup": one.wall / two.wall,
        "two_threads_cores_used": two.cpu / two.wall,
        "command": " ".join((entry.name, *COMMAND)),
        "command_wall_seconds": [run.wall for run in commands],
        "command_peak_mib": max(run.peak_mib for run in commands),
        "counts_agree": agree(all_counts),
        "counts": {name: asdict(counts) for name, counts in all_counts.items()},
    }


def show(found: dict[str, Any]) -> None:
    print(f"CPU       {found['cpu']}, {found['cpus']} to use")
    print(f"compiler  {found['compiler']}, {found['flags']} (yardstick)")
    print(f"Python    {found['python']}")
    print(f"load      {found['load_before']:.2f} before the first run; wall times need a machine at rest")
    print()
    times: dict[str, float] = found["solve_cpu_seconds"]
    ours = f"{OURS} ({found['lanes']} lanes)"
    width = max(len(name) for name in times)
    print(f"{'Solving 4×4 on one thread, best of ' + str(found['repeat']):{width}}   CPU s  ÷ inarow")
    for name in sorted(times, key=lambda name: (name != ours, times[name])):
        print(f"{name:{width}}  {times[name]:6.3f}  {found['ratio_to_inarow'][name]:8.2f}")
    print(f"(÷ inarow: CPU seconds of the row ÷ CPU seconds of '{ours}')")
    print()
    one, two = found["one_thread_wall_seconds"], found["two_threads_wall_seconds"]
    print(f"inarow on two threads: {two:.3f} s of wall time; on one: {one:.3f} s. One ÷ two: {one / two:.2f}")
    print(f"  the two threads had {found['two_threads_cores_used']:.2f} cores: CPU seconds ÷ wall seconds")
    walls: list[float] = found["command_wall_seconds"]
    print(f"{found['command']}, a fresh process each time, interpreter included:")
    print(
        f"  wall time: first {walls[0]:.2f} s, best {min(walls):.2f} s, "
        f"median {statistics.median(walls):.2f} s, worst {max(walls):.2f} s"
    )
    print(f"  peak memory: {found['command_peak_mib']:.0f} MiB")
    print()
    if found["counts_agree"]:
        print("All count the same wins, losses and draws, by plies where they have them.")
    else:
        print("THE COUNTS DIFFER:")
        for name, counts in found["counts"].items():
            print(f"  {name}: start {counts['start']}, {counts['states']}, {counts['by_plies']}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure solving Quixo 4x4 against published algorithms.")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    found = measure(options.repeat, lambda text: print(text, file=sys.stderr, flush=True))
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)
    return 0 if found["counts_agree"] else 1


if __name__ == "__main__":
    sys.exit(main())
