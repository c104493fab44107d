"""How long probes of a compact Quixo table take, against the plain form, and what it takes on disk.

A probe looks up a random position and all its moves. With plies it also looks up what follows the moves that
lose, as the plies of a win are not stored. The pieces that were unpacked last are remembered; on 4×4 these
are all, so probes are also timed without, as if on a table of which no piece is met twice.

Exits with 1 if the forms do not give the same answers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from math import comb
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow._native.quixo import Locator
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table import compact
from inarow.quixo.table.convert import convert
from inarow.quixo.table.info import table_info
from inarow.quixo.table.manifest import Manifest

Row = tuple[str, int, float, float]  # the form, its bytes, seconds of a probe and of each position of many


def random_words(manifest: Manifest, count: int, seed: int) -> NDArray[np.uint64]:
    """Of positions in which the game goes on; each entry of the table is as likely as any other."""
    rules, random = manifest.rules, Random(seed)
    locator = Locator(rules.native)
    words: list[int] = []
    while len(words) < count:
        (pair,) = random.choices(manifest.pairs, [pair.entries for pair in manifest.pairs])
        a, b = pair.a, pair.b
        block = random.randrange(locator.block_count(a))
        rank = random.randrange(comb(rules.cells - a, b))
        word = locator.word(a, b, random.randrange(pair.planes), block, rank)
        if not rules.from_word(word).is_over:
            words.append(word)
    return np.array(words, np.uint64)


def probe_time(table: inarow.Table, positions: list[Position]) -> float:
    """Seconds of a probe, in the middle of all of them."""
    times = []
    for position in positions:
        began = time.perf_counter()
        table.probe(position)
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def many_time(table: inarow.Table, words: NDArray[np.uint64]) -> float:
    """Seconds of a position, all in one call."""
    began = time.perf_counter()
    table.probe_many(words)
    return (time.perf_counter() - began) / words.size


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure probing a compact Quixo table.")
    parser.add_argument("--table", type=Path, help="a plain table, whole or in part (default: solve 4x4)")
    parser.add_argument("--probes", type=int, default=1_000, help="single probes (default 1,000)")
    parser.add_argument("--positions", type=int, default=100_000, help="for one call (default 100,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = options.table or folder / "plain"
        if options.table is None:
            inarow.solve(Quixo(4), plain)
        convert(plain, folder / "with plies")
        convert(plain, folder / "outcomes", plies=False)
        manifest = Manifest.load(plain)
        words = random_words(manifest, max(options.probes, options.positions), options.seed)
        positions = [manifest.rules.from_word(word) for word in words[: options.probes].tolist()]
        rows: list[Row] = []
        expected, same = inarow.open_table(plain).probe_many(words[: options.positions]), True
        kept = compact._KEPT
        for form in (plain, folder / "with plies", folder / "outcomes"):
            for remembered in (0, kept) if form != plain else (0,):
                compact._KEPT = remembered
                title = f"{form.name}{', pieces remembered' if remembered else ''}"
                with inarow.open_table(form) as table:
                    table.probe_many(words)  # files are opened, and in the cache of the system
                    single = probe_time(table, positions)
                    many = many_time(table, words[: options.positions])
                    rows.append((title, table_info(form).size, single, many))
                    values, plies = table.probe_many(words[: options.positions])
                    same &= np.array_equal(values, expected[0])
                    same &= not table.manifest.plies or np.array_equal(plies, expected[1])

    if options.json:
        names = ("form", "bytes", "probe_seconds", "many_seconds")
        print(json.dumps({"forms": [dict(zip(names, row, strict=True)) for row in rows]}, indent=2))
    else:
        show(rows)
    if not same:
        print("THE ANSWERS DIFFER", file=sys.stderr)
        return 1
    if not options.json:
        print(f"All give the same answers for {options.positions:,} positions.")
    return 0


def show(rows: Sequence[Row]) -> None:
    print(f"{'form':32}  {'bytes':>13}  {'a probe, ms':>11}  {'probe_many, µs each':>19}  slower by")
    for title, size, single, many in rows:
        slower = f"{single / rows[0][2]:.1f}×, {many / rows[0][3]:.0f}×"
        print(f"{title:32}  {size:13,}  {1000 * single:11.3f}  {1e6 * many:19.2f}  {slower}")


if __name__ == "__main__":
    sys.exit(main())
