"""The benchmarks of this folder one after the other, with small settings, in one table.

    python benchmarks/all.py [--only NAME …] [--json FILE] [--compare FILE]

Each runs in a process of its own and has a yardstick beside it; the ratio is the figure divided by that of
the yardstick. `--json` writes the same to a file, and `--compare` adds the ratio to the figures of such a
file: of an earlier release, on the same machine. What cannot run here is listed with the reason.

Exits with 1 if a benchmark fails, as where two ways to the same answer disagree.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from quixo_4x4 import OURS, YARDSTICK, compiler, cpu_model, first_line

from inarow.diagnosis import diagnose
from inarow.words import size_text

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, and that of its yardstick in the same unit. Less is better, but of units "a second" more."""

    what: str
    figure: float
    unit: str
    yardstick: str = ""
    yardstick_figure: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.yardstick_figure and self.figure / self.yardstick_figure


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A program of this folder, what to call it with, and how its JSON becomes rows."""

    name: str
    arguments: Sequence[str]
    rows: Callable[[list[Any]], Iterator[Row]]
    missing: Callable[[], str | None] = lambda: None  # what it needs and this machine lacks


# --- What is measured ---


def quixo_4x4(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    cpu, unit = of["solve_cpu_seconds"], "CPU s"
    ours = f"{OURS} ({of['lanes']} lanes)"
    for mode in ("steps", "steps-parents"):
        name = YARDSTICK[mode]
        yield Row("solve 4×4 with plies, one thread", cpu[ours], unit, name, cpu[name])
    for lanes in ("avx2", "portable"):
        other = f"{OURS} ({lanes} lanes)"
        if other in cpu and other != ours:
            yield Row(f"the same, {lanes} code", cpu[other], unit, f"{of['lanes']} code", cpu[ours])
    one, two = of["one_thread_wall_seconds"], of["two_threads_wall_seconds"]
    yield Row("solve 4×4 with plies, two threads", two, "s", "one thread", one)
    yield Row(f"command {of['command']}, best", min(of["command_wall_seconds"]), "s")
    yield Row(f"command {of['command']}, peak", of["command_peak_mib"], "MiB")


def probe_many(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    (yardstick, plain), *ways = ((way, 1e6 / row["per_second"]) for way, row in of.items())
    for way, microseconds in ways:
        yield Row(f"4×4 table, {way}", microseconds, "CPU µs", yardstick, plain)


def arrays(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    for name, row in of.items():
        rates = row["at_once_per_second"], row["one_by_one_per_second"]
        yield Row(name, rates[0], "positions a CPU second", "one by one, in Python", rates[1])


def compact(found: list[Any]) -> Iterator[Row]:
    plain, *forms = found[0]["forms"]
    for form in forms:
        for what, key in (("a probe", "probe_seconds"), ("probe_many, a position", "many_seconds")):
            yield Row(f"compact, {form['form']}: {what}", 1e6 * form[key], "µs", "plain", 1e6 * plain[key])
        if "remembered" not in form["form"]:
            yield Row(f"compact, {form['form']}: size", form["bytes"], "bytes", "plain", plain["bytes"])


def remote(found: list[Any]) -> Iterator[Row]:
    disk, *others = found[0]["rows"]
    for row in others:
        for what, key in (("first probe", "first"), ("next probe", "next")):
            yield Row(f"{row['title']}: {what}", 1e3 * row[key], "ms", "disk", 1e3 * disk[key])


def packing(found: list[Any]) -> Iterator[Row]:
    for row in found[0]["rows"]:
        if row["nbytes"] < 1e6:  # too little to time
            continue
        ours, plain = (row["nbytes"] / row[key] / 1e6 for key in ("seconds", "zstd_seconds"))
        yield Row(f"pack {row['kind']}", ours, "MB a second", "zstd, one piece at a time", plain)


def verify(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    unit, plain = "entries a second", "one by one, in Python"
    yield Row("verify a compact table", of["entries_per_second"], unit, plain, of["plain_per_second"])
    yield Row("verify a sample of it", of["sampled_per_second"], unit, plain, of["plain_per_second"])


def wasm(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    yield Row(
        "solve 4×4 in WebAssembly", of["wasm_seconds"], "s", "native, portable code", of["native_seconds"]
    )


def dictionaries(found: list[Any]) -> Iterator[Row]:
    for what, row in found[0].items():
        yield Row(
            what, row["native_per_second"], "a CPU second", "the same in Python", row["python_per_second"]
        )


def search(found: list[Any]) -> Iterator[Row]:
    for what, row in found[0].items():
        yield Row(what, row["seconds"], "CPU s")


def qubic(found: list[Any]) -> Iterator[Row]:
    for row in found[0]["proofs"]:
        yield Row(f"Qubic, won position {row['name']}", row["seconds"], "CPU s")


def ultimate_prove(found: list[Any]) -> Iterator[Row]:
    for row in found:
        what = f"Ultimate, no win by ply {row['plies']}"
        yield Row(what, row["seconds"], "CPU s", "plain search", row["plain_seconds"])


def ultimate_mcts(found: list[Any]) -> Iterator[Row]:
    for row in found:
        name = f"Ultimate, {row['name']} against {row['opponent']}"
        yield Row(f"{name}: points", row["points"], "of 1")
        ours, other = 1e3 * row["seconds_a_move"], 1e3 * row["opponent_seconds_a_move"]
        yield Row(f"{name}: a move", ours, "ms", row["opponent"], other)


def serve_crowd(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    what = f"serve, {of['probes a second']} probes a second beside a crowd: 99% within"
    yield Row(what, of["99% within ms"], "ms", "without the crowd", of["99% without the crowd"])
    yield Row("serve, a probe", of["server's CPU ms a probe"], "CPU ms")


def serve(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    yield Row("serve, many callers", of["probes a second"], "probes a second")


def ultimate_openspiel(found: list[Any]) -> Iterator[Row]:
    (of,) = found
    yield Row("Ultimate, against OpenSpiel's MCTS: points", of["points"], "of 1")


def no_rows(found: list[Any]) -> Iterator[Row]:
    return iter(())


def _needs(program: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(program) else f"needs {program}"


def _needs_module(module: str, package: str) -> Callable[[], str | None]:
    return lambda: None if find_spec(module) else f"needs {package}"


_LONG = "takes minutes and gigabytes before its figure means anything: run it by itself"
_TABLE = "needs a table of 5×5 to be worth its while: run it by itself"
_PLAY = "plays games for many minutes and measures no speed: run it by itself"

BENCHMARKS = (
    Benchmark("quixo_4x4", ["--repeat", "2"], quixo_4x4),
    Benchmark("probe_many", ["--singly", "1000", "--positions", "300000"], probe_many),
    Benchmark("arrays", ["--singly", "1000", "--positions", "300000", "--repeat", "2"], arrays),
    Benchmark("compact", ["--probes", "500"], compact),
    Benchmark("remote", ["--probes", "20", "--positions", "300"], remote),
    Benchmark("packing", ["--entries", "30000000"], packing),
    Benchmark("verify", ["--plain", "100"], verify),
    Benchmark("wasm", [], wasm, _needs("node")),
    Benchmark("dictionaries", ["--positions", "10000"], dictionaries),
    Benchmark("search", [], search),
    Benchmark("qubic", [], qubic),
    Benchmark("ultimate_prove", [], ultimate_prove),
    Benchmark("ultimate_mcts", ["--games", "10", "--playouts", "1000", "--depth", "4"], ultimate_mcts),
    Benchmark(
        "ultimate_openspiel", ["--games", "20"], ultimate_openspiel, _needs_module("pyspiel", "OpenSpiel")
    ),
    Benchmark("serve", ["--seconds", "10", "--positions", "5000"], serve, _needs("wrk")),
    Benchmark("serve_crowd", ["--seconds", "12", "--rate", "200"], serve_crowd),
    Benchmark("outcomes", [], no_rows, lambda: _LONG),
    Benchmark("quixo_play", [], no_rows, lambda: _TABLE),
    Benchmark("quixo_search", [], no_rows, lambda: _TABLE),
    Benchmark("quixo_levels", [], no_rows, lambda: _PLAY),
)


# --- Running and showing ---


def run(benchmark: Benchmark) -> tuple[list[Row], str]:
    """The rows of a benchmark, and what went wrong."""
    command = [sys.executable, str(FOLDER / f"{benchmark.name}.py"), *benchmark.arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return [], (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return list(benchmark.rows(list(documents(done.stdout)))), ""


def documents(text: str) -> Iterator[Any]:
    """One JSON value after the other."""
    decoder = json.JSONDecoder()
    while text := text.strip():
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:]


def machine() -> dict[str, str]:
    """What the figures depend on."""
    found = diagnose()
    return {
        "CPU": f"{cpu_model()}, {found.threads} to use, {found.instructions} code",
        "memory": size_text(found.memory) if found.memory else "not known",
        "GPU": found.gpu.name if found.gpu else "none",
        "system": found.system,
        "compiler": first_line(compiler(), "--version"),
        "Python": found.python,
        "inarow": found.inarow,
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "load": f"{os.getloadavg()[0]:.2f} before the first run"
        if hasattr(os, "getloadavg")
        else "not known",
    }


def number(figure: float) -> str:
    """Three digits that count, or all of a large number."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def show(rows: Sequence[Row], earlier: dict[str, float] | None) -> None:
    heads = [
        "what",
        "figure",
        "unit",
        "yardstick",
        "its figure",
        "ratio",
        *(["÷ earlier"] if earlier else []),
    ]
    cells = []
    for row in rows:
        line = [row.what, number(row.figure), row.unit, row.yardstick]
        line += ["" if of is None else number(of) for of in (row.yardstick_figure, row.ratio)]
        if earlier:
            before = earlier.get(f"{row.what} ({row.unit})")
            line.append(number(row.figure / before) if before else "new")
        cells.append(line)
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    left = (0, 2, 3)  # columns of words

    def line_of(texts: Sequence[str]) -> str:
        padded = (
            f"{text:<{width}}" if nth in left else f"{text:>{width}}"
            for nth, (text, width) in enumerate(zip(texts, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    print(line_of(heads))
    print(
        "|"
        + "|".join("-" * (width + 1) + (":" if nth not in left else "-") for nth, width in enumerate(widths))
        + "|"
    )
    for line in cells:
        print(line_of(line))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="run these alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="figures of an earlier run")
    options = parser.parse_args()
    earlier = None
    if options.compare:
        before = json.loads(options.compare.read_text())
        earlier = {f"{row['what']} ({row['unit']})": row["figure"] for row in before["rows"]}

    described = machine()
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    failed: dict[str, str] = {}
    for benchmark in BENCHMARKS:
        if options.only and benchmark.name not in options.only:
            continue
        if reason := benchmark.missing():
            skipped[benchmark.name] = reason
            continue
        began = time.perf_counter()
        found, wrong = run(benchmark)
        print(f"{benchmark.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        rows += found
        if wrong:
            failed[benchmark.name] = wrong

    for what, of in described.items():
        print(f"{what:10}{of}")
    if earlier is not None:
        print(f"{'earlier':10}{before['machine']['inarow']}, {before['machine']['date']}, {options.compare}")
    print()
    show(rows, earlier)
    for title, reasons in (("Skipped", skipped), ("Failed", failed)):
        if reasons:
            print(f"\n{title}:")
            for name, reason in reasons.items():
                print(f"- {name}: {reason}")
    if options.json:
        figures = [{**asdict(row), "ratio": row.ratio} for row in rows]
        data = {"machine": described, "rows": figures, "skipped": skipped, "failed": failed}
        options.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
