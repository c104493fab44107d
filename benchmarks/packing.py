"""How fast tables are packed into the compact form, and how large they are, layer by layer.

Packs the pieces of a table's largest pairs and unpacks them again, outcomes and the plies of losses, as
`solve` and `convert` do: in all threads, many pieces in one call. The yardsticks take one piece at a time on
one thread: zstd, which gives the same bytes, and zlib at its default level.

Exits with 1 if the ways to pack do not give the same bytes, or if these do not unpack to what they were.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.table import pieces
from inarow.quixo.table.compact import CompactFiles
from inarow.quixo.table.convert import convert
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.store import Run

AT_ONCE = 100  # runs of a small table, which has few pieces in each

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def some_runs(folder: Path, manifest: Manifest, most: int) -> tuple[list[Run], list[Run]]:
    """Pieces of the largest pairs: outcomes and plies, of so many entries in all."""
    files = CompactFiles(folder, manifest.rules, manifest.plies)
    values: list[Run] = []
    plies: list[Run] = []
    entries = 0
    for record in sorted(manifest.pairs, key=lambda record: -record.entries):
        for plane in range(record.planes):
            for outcomes, losses in files.plane_runs(record, plane):
                values.append(outcomes)
                plies.append(losses)
                entries += 4 * outcomes.data.size
                if entries >= most:
                    return joined(values), joined(plies)
    return joined(values), joined(plies)


def joined(runs: list[Run]) -> list[Run]:
    """Runs as long as those that a solver packs."""
    together = (runs[first : first + AT_ONCE] for first in range(0, len(runs), AT_ONCE))
    return [
        Run(np.concatenate([run.data for run in some]), np.concatenate([run.sizes for run in some]))
        for some in together
    ]


def single(run: Run) -> list[bytes]:
    """The pieces of a run, one by one."""
    data, ends = run.data.tobytes(), np.cumsum(run.sizes).tolist()
    return [data[begin:end] for begin, end in pairwise([0, *ends])]


def zstd_one_by_one(run: Run) -> bytes:
    compress = pieces._coders.compressor.compress
    return b"".join(
        piece[:1] if piece == piece[:1] * len(piece) else compress(piece) for piece in single(run)
    )


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces of one kind: bytes, and seconds to pack and unpack them."""

    kind: str
    nbytes: int
    packed: int  # bytes
    deflated: int  # bytes, by zlib
    seconds: float
    one_thread_seconds: float
    zstd_seconds: float  # one piece at a time
    zlib_seconds: float  # one piece at a time
    unpacking_seconds: float
    same: bool  # whether all ways agree


def measure(kind: str, runs: list[Run], threads: int) -> Row:
    packed, seconds = timed(lambda: [pieces._packed(run, threads) for run in runs])
    _, alone = timed(lambda: [pieces._packed(run, 1) for run in runs])
    ordinary, one_by_one = timed(lambda: [zstd_one_by_one(run) for run in runs])
    deflated, by_zlib = timed(lambda: sum(len(zlib.compress(piece)) for run in runs for piece in single(run)))
    unpacked, back = timed(
        lambda: [pieces._unpacked(done, run.sizes, threads) for done, run in zip(packed, runs, strict=True)]
    )
    same = all(done.data == other for done, other in zip(packed, ordinary, strict=True))
    same = same and all(np.array_equal(done, run.data) for done, run in zip(unpacked, runs, strict=True))
    size, small = sum(run.data.nbytes for run in runs), sum(len(done.data) for done in packed)
    return Row(kind, size, small, deflated, seconds, alone, one_by_one, by_zlib, back, same)


def show(row: Row, entries: int) -> None:
    seconds = row.seconds
    print(
        f"{row.kind:9} {row.nbytes / 1e6:8.1f} {row.packed / 1e6:8.1f} {row.deflated / 1e6:8.1f} "
        f"{row.nbytes / seconds / 1e6:9.0f} {entries / seconds / 1e6:10.0f} "
        f"{row.zstd_seconds / seconds:8.2f}× {row.zstd_seconds / row.one_thread_seconds:8.2f}× "
        f"{row.zlib_seconds / seconds:8.2f}× {row.nbytes / row.unpacking_seconds / 1e6:9.0f}"
    )


def show_sizes(manifest: Manifest) -> None:
    print(f"{'marks':>5} {'entries':>15} {'outcomes':>14} {'plies':>14} {'bits an entry':>13}")
    for marks in range(manifest.rules.cells, -1, -1):
        layer = [record for record in manifest.pairs if record.a + record.b == marks]
        if layer:
            entries, outcomes = (sum(of) for of in zip(*((r.entries, r.size) for r in layer), strict=True))
            plies = sum(record.plies.size for record in layer if record.plies)
            bits = 8 * (outcomes + plies) / entries
            print(f"{marks:5} {entries:15,} {outcomes:14,} {plies:14,} {bits:13.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure packing tables into the compact form.")
    parser.add_argument("--table", type=Path, help="a table of the compact form (default: solve 3x6)")
    parser.add_argument("--entries", type=int, default=100_000_000, help="to pack (default 100 million)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.table
        if folder is None:
            folder = Path(name) / "compact"
            inarow.solve(Quixo(3, 6), Path(name) / "plain")
            convert(Path(name) / "plain", folder)
        manifest = Manifest.load(folder)
        if manifest.form != "compact" or not manifest.plies:
            parser.error(f"{folder} is a {manifest.kind}; convert it to the compact form with plies")
        values, plies = some_runs(folder, manifest, options.entries)
        entries = 4 * sum(run.data.size for run in values)
        rows = [
            measure(kind, runs, options.threads) for kind, runs in (("outcomes", values), ("plies", plies))
        ]
    if options.json:
        print(json.dumps({"entries": entries, "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        print(
            f"{manifest.rules}: {entries:,} entries, {options.threads} threads, against one piece at a time"
        )
        print(
            f"{'':9} {'MB':>8} {'zstd MB':>8} {'zlib MB':>8} {'MB/s':>9} {'M entr./s':>10} "
            f"{'zstd':>9} {'1 thread':>9} {'zlib':>9} {'unp. MB/s':>9}"
        )
        for row in rows:
            show(row, entries)
        print()
        show_sizes(manifest)
    if not all(row.same for row in rows):
        print("THE BYTES DIFFER", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
