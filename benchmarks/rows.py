"""What the benchmarks share: figures beside those of a yardstick, shown as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import inarow

T = TypeVar("T")

ROOT = Path(__file__).parents[1]


class Skipped(Exception):
    """What a benchmark needs and this machine lacks."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, and that of its yardstick in the same unit. Less is better, but of units "a second" more."""

    what: str
    figure: float
    unit: str
    yardstick: str
    yardstick_figure: float

    @property
    def ratio(self) -> float:
        return self.figure / self.yardstick_figure


def main(measure: Callable[[argparse.Namespace], Iterable[Row]], parser: argparse.ArgumentParser) -> None:
    """Print what is measured; exits with 1 if an assertion fails, as where two disagree, 3 if skipped."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        rows = list(measure(options))
    except Skipped as reason:
        print(reason, file=sys.stderr)
        sys.exit(3)
    if options.json:
        print(json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], ensure_ascii=False))
    else:
        show(rows)


def arguments(doc: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def number(figure: float) -> str:
    """Three digits that count, or all of a large number."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def show(rows: Sequence[Row], earlier: dict[str, float] | None = None) -> None:
    """A Markdown table; with the figures of an earlier run, the ratio to these."""
    cells = [["what", "figure", "unit", "yardstick", "its figure", "ratio", "÷ earlier"]]
    for row in rows:
        line = [row.what, number(row.figure), row.unit, row.yardstick, number(row.yardstick_figure)]
        before = (earlier or {}).get(f"{row.what} ({row.unit}, {row.yardstick})")
        cells.append([*line, number(row.ratio), number(row.figure / before) if before else "new"])
    if earlier is None:
        cells = [line[:-1] for line in cells]
    words = (0, 2, 3)  # columns of words are aligned to the left
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for nth, line in enumerate(cells):
        padded = (f"{cell:{'<' if at in words else '>'}{widths[at]}}" for at, cell in enumerate(line))
        print(f"| {' | '.join(padded)} |")
        if nth == 0:
            print(
                "|"
                + "|".join("-" * (w + 1) + ("-" if at in words else ":") for at, w in enumerate(widths))
                + "|"
            )


# --- Measuring ---


def cpu_seconds(work: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """The CPU seconds of the fastest run, and what it gave."""
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        found = work()
        best = min(best, time.process_time() - began)
    return best, found


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compiler() -> str:
    found = shutil.which(os.environ.get("CXX", "c++"))
    if found is None:
        raise Skipped("needs a C++ compiler: put c++ on the path or set CXX")
    return found


@contextmanager
def compiled(source: Path) -> Iterator[Path]:
    """A yardstick in C++, compiled for this machine."""
    with TemporaryDirectory() as folder:
        program = Path(folder) / source.stem
        subprocess.run([compiler(), "-O3", "-march=native", "-std=c++20", source, "-o", program], check=True)
        yield program


@contextmanager
def solved(rules: inarow.Quixo, table: Path | None = None) -> Iterator[Path]:
    """A full table: that which is given, or one that is made and thrown away."""
    if table:
        yield table
        return
    with TemporaryDirectory() as folder:
        inarow.solve(rules, folder)
        yield Path(folder)
