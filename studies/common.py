"""What the studies share: games, positions and their values, programs in C++, and how results are shown."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow.quixo.arrays import Moves

Words: TypeAlias = NDArray[np.uint64]
Chosen: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]

EXAMPLES = 24
HALF = np.uint64(32)
ROOT = Path(__file__).parents[1]
_AT_ONCE = 1 << 20  # positions of a class that are listed together


# --- The game, and where its values are from ---


def arguments(doc: str | None, table: bool = True) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--size", default="4", metavar="RxC", help="rows and columns; 4 is 4x4 (4)")
    parser.add_argument("--line", type=int, metavar="K", help="how many in a row win (the longer side)")
    parser.add_argument("--double-line", choices=("loses", "wins"), default="loses", help="(loses)")
    if table:
        parser.add_argument(
            "--table", metavar="DIR", help="without it, boards of up to 16 cells are solved; 5x5 has a book"
        )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def rules_of(options: argparse.Namespace) -> inarow.Quixo:
    return inarow.Quixo(*inarow.Quixo.parse_size(options.size), options.line, options.double_line)


def opened(options: argparse.Namespace) -> inarow.Prober:
    return inarow.open_prober(rules_of(options), [options.table] if options.table else [])


def whole(prober: inarow.Prober) -> inarow.Table:
    """The table that knows the value and the plies of all positions."""
    if not prober.knows_everything:
        raise inarow.MissingTable(f"{prober.rules}: name a complete table with plies with --table")
    return prober.tables[0]


def values(prober: inarow.Prober, words: Words) -> NDArray[np.int8]:
    """1 win, 0 draw, −1 loss, for the side to move; `MissingTable` if one is not known."""
    found = prober.values(words)
    if unknown := np.flatnonzero(np.abs(found) > 1).tolist():
        position = prober.rules.from_word(int(words[unknown[0]]))
        raise inarow.MissingTable(
            f"the value of {position}, with {sum(position.counts)} marks, is not known: "
            "name a table with --table, or look at fewer marks"
        )
    return found


# --- Positions ---


def positions(rules: inarow.Quixo, x: int, o: int) -> Iterator[tuple[Words, Counts]]:
    """All positions of a class, some at a time, and how many each stands for.

    They come as a table stores them, see docs/tablebase-format.md: one image of the larger side's marks, with
    all marks of the other.
    """
    a, b, free = max(x, o), min(x, o), rules.cells - max(x, o)
    masks = _with_marks(rules.cells, a) << HALF
    larger, images = np.unique(inarow.canonical_many(rules, masks) >> HALF, return_counts=True)
    bits = (_with_marks(free, b)[:, None] >> np.arange(free, dtype=np.uint64) & np.uint64(1)).astype(float)
    step = max(1, _AT_ONCE // len(bits))
    for first in range(0, larger.size, step):
        some = larger[first : first + step]
        blank = some[:, None] >> np.arange(rules.cells, dtype=np.uint64) & np.uint64(1) == 0
        cells = np.nonzero(blank)[1].reshape(some.size, free)
        smaller = (np.exp2(cells) @ bits.T).astype(np.uint64)  # exact: sums of powers of two
        words = some[:, None] << HALF | smaller if x >= o else smaller << HALF | some[:, None]
        yield words.ravel(), np.repeat(images[first : first + step], len(bits))


def _with_marks(cells: int, marks: int) -> Words:
    """The masks with so many marks, in ascending order."""
    count = np.zeros(1, np.uint8)
    for _ in range(cells):
        count = np.concatenate([count, count + 1])
    masks: Words = np.flatnonzero(count == marks).astype(np.uint64)
    return masks


def sampled(rules: inarow.Quixo, x: int, o: int, count: int, random: np.random.Generator) -> Words:
    """So many positions of a class, drawn at random."""
    cells = np.uint64(1) << random.random((count, rules.cells)).argsort(axis=1).astype(np.uint64)
    mover, other = (its.sum(axis=1, dtype=np.uint64) for its in (cells[:, :x], cells[:, x : x + o]))
    found: Words = mover << HALF | other
    return found


def canonical(rules: inarow.Quixo, words: Words, weights: Counts) -> tuple[Words, Counts]:
    """Each position once up to symmetry, sorted, and how many it stands for."""
    found, which = np.unique(inarow.canonical_many(rules, words), return_inverse=True)
    return found, np.bincount(which, weights, found.size).astype(np.int64)


def rows_of(moves: Moves) -> Counts:
    """Of each move, which position it is of."""
    return np.repeat(np.arange(moves.offsets.size - 1), np.diff(moves.offsets))


def totals(moves: Moves, chosen: Chosen) -> Counts:
    """How many of the moves of each position are chosen."""
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen, dtype=np.int64)])
    return np.diff(sums[moves.offsets])


def any_of(random: np.random.Generator, rows: Counts, count: int) -> Counts:
    """Where one entry of each row is, at random; `rows` has every row below `count`, in order."""
    order = np.lexsort((random.random(rows.size), rows))
    found: Counts = order[np.searchsorted(rows, np.arange(count), "right") - 1]
    return found


def swapped(words: Words) -> Words:
    """The same boards with the other side to move."""
    return words >> HALF | words << HALF


def texts(rules: inarow.Quixo, words: Any, count: int | None = EXAMPLES) -> list[str]:
    return [str(rules.from_word(int(word))) for word in words[:count]]


# --- Programs, progress and results ---


def compiled(name: str) -> Path:
    """A C++ source of this folder, as a program."""
    source, program = ROOT / "studies" / f"{name}.cpp", ROOT / "build" / "studies" / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        flags = ("-O2", "-march=native", "-std=c++20", "-fopenmp", "-Wall", "-Wextra", f"-I{ROOT / 'native'}")
        made = program.with_suffix(f".{os.getpid()}")  # others may be compiling it too
        subprocess.run([os.environ.get("CXX", "g++"), *flags, source, "-o", made], check=True)
        made.replace(program)
    return program


def progress(done: float, total: float) -> None:
    if sys.stderr.isatty() and time.monotonic() > progress.next:  # type: ignore[attr-defined]
        progress.next = time.monotonic() + 1  # type: ignore[attr-defined]
        print(f"\r{done / total:.1%} ", end="\r" if done >= total else "", file=sys.stderr, flush=True)


progress.next = 0.0  # type: ignore[attr-defined]


def main(study: Callable[[], dict[str, Any]], as_json: bool) -> None:
    """Print what a study finds, or in one line what is wrong."""
    try:
        found = study()
    except (inarow.InarowError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    print(json.dumps(found, ensure_ascii=False) if as_json else _shown(found))


def _shown(found: dict[str, Any]) -> str:
    lines = []
    for name, value in found.items():
        title = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [f"{title}:", *("  " + line for line in _shown(value).splitlines())]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            cells = [list(value[0]), *([_cell(its) for its in row.values()] for row in value)]
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            lines += [f"{title}:"]
            lines += [
                "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
                for row in cells
            ]
        else:
            lines.append(f"{title}: {_cell(value)}")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    return (
        f"{value:,}"
        if isinstance(value, int) and value is not True
        else (f"{value:,.3f}" if isinstance(value, float) and value > 1e-3 else f"{value}")
    )
