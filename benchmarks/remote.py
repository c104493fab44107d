"""How long probes of a compact Quixo table take over HTTP, against the same table on disk.

A probe looks up a random position and all its moves. A server of this program's own, in a process of its own,
waits a while before each answer, as a distant one does. It answers several ranges in one request, as nginx
does, or only one, as most buckets do.

- *first*: a table is opened, and nothing is known of it;
- *next*: the indexes are known, the pieces are not (on a small board many are);
- *again*: the same positions in a table that is opened anew: everything is in the cache on disk;
- *many*: one call of `probe_many` in such a table, for each position; first without the cache, then with it.

On disk, *first* and *next* are measured after the system was asked to forget the files.

Exits with 1 if the answers are not those of the table on disk.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from compact import random_words
from numpy.typing import NDArray

import inarow
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.convert import convert
from inarow.quixo.table.manifest import Manifest

# --- The server ---


def serve(root: Path, latency: float, many_ranges: bool, said: Connection) -> None:
    """Serve the files of a folder; sends the port, and then on request how often and how much it answered."""
    requests = sent = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests, sent
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                requests += 1
                path = root / head.split()[1].lstrip("/")
                found = [line for line in head.splitlines() if line.lower().startswith("range:")]
                body = response(path, found[0].partition("=")[2] if found else "", many_ranges)
                sent += len(body)
                await asyncio.sleep(latency)
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    def reply() -> None:
        said.recv()
        said.send((requests, sent))

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=128)
        asyncio.get_running_loop().add_reader(said.fileno(), reply)
        said.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def response(path: Path, ranges: str, many_ranges: bool) -> bytes:
    if not path.is_file():
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    size = path.stat().st_size
    spans = [tuple(map(int, span.split("-"))) for span in ranges.split(",")] if ranges else []
    if not spans or (len(spans) > 1 and not many_ranges):
        content = path.read_bytes() if not spans else b""  # who asks for ranges hangs up on a whole file
        length = f"Content-Length: {size}\r\n\r\n"
        return f"HTTP/1.1 200 OK\r\n{length}".encode() + content
    with path.open("rb") as file:
        parts = [(first, last, os.pread(file.fileno(), last + 1 - first, first)) for first, last in spans]
    if len(parts) == 1:
        first, last, body = parts[0]
        head = f"Content-Range: bytes {first}-{last}/{size}\r\n"
    else:
        body = b"".join(
            f"\r\n--X\r\nContent-Range: bytes {first}-{last}/{size}\r\n\r\n".encode() + part
            for first, last, part in parts
        )
        body += b"\r\n--X--\r\n"
        head = "Content-Type: multipart/byteranges; boundary=X\r\n"
    return f"HTTP/1.1 206 Partial Content\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


HEADS = ("first", "next", "again", "many", "many again", "requests", "KB")


class Served(NamedTuple):
    url: str
    counts: Callable[[], tuple[int, int]]  # requests and bytes so far


@contextmanager
def served(root: Path, latency: float, many_ranges: bool) -> Iterator[Served]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(root, latency, many_ranges, theirs), daemon=True)
    process.start()

    def counts() -> tuple[int, int]:
        ours.send(None)
        found: tuple[int, int] = ours.recv()
        return found

    try:
        yield Served(f"http://127.0.0.1:{ours.recv()}/", counts)
    finally:
        process.terminate()
        process.join()


# --- Measuring ---


class Row(NamedTuple):
    title: str
    first: float
    next: float
    again: float
    many: float
    many_again: float
    requests: float = 0.0  # of a next probe
    sent: float = 0.0  # bytes for a next probe


def timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def measure(
    title: str,
    open_table: Callable[[], inarow.Table],
    forget: Callable[[], None],
    positions: Sequence[Position],
    words: NDArray[np.uint64],
    counts: Callable[[], tuple[int, int]] = lambda: (0, 0),
) -> tuple[Row, NDArray[np.int32]]:
    """The times of a table, and what it answers."""
    firsts = []
    for position in positions[:5]:
        forget()
        began = time.perf_counter()
        with open_table() as table:
            table.probe(position)
        firsts.append(time.perf_counter() - began)
    forget()
    with open_table() as table:
        for position in positions[: len(positions) // 2]:
            table.probe(position)  # makes the indexes known
        before = counts()
        rest = positions[len(positions) // 2 :]
        nexts = [timed(partial(table.probe, position)) for position in rest]
        after = counts()
    with open_table() as table:
        agains = [timed(partial(table.probe, position)) for position in rest]
    forget()
    many = []
    for _ in range(2):
        with open_table() as table:
            many.append(timed(partial(table.probe_many, words)) / words.size)
            values, plies = table.probe_many(words)
    traffic = [(late - early) / len(rest) for early, late in zip(before, after, strict=True)]
    row = Row(title, median(firsts), median(nexts), median(agains), *many, *traffic)
    return row, np.stack([values.astype(np.int32), plies])


def forget_files(folder: Path) -> None:
    """Ask the system to drop the files of a folder from its cache."""
    for path in folder.iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure probing a compact Quixo table over HTTP.")
    parser.add_argument("--table", type=Path, help="a compact table (default: solve 4x4)")
    parser.add_argument("--probes", type=int, default=60, help="single probes (default 60)")
    parser.add_argument(
        "--positions",
        type=int,
        default=2_000,
        help="for one call (default 2,000; a position of 5x5 takes hundreds of pieces)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        path = options.table or folder / "compact"
        if options.table is None:
            inarow.solve(Quixo(4), folder / "plain")
            convert(folder / "plain", path)
        manifest = Manifest.load(path)
        words = random_words(manifest, max(options.probes, options.positions), options.seed)
        positions = [manifest.rules.from_word(word) for word in words[: options.probes].tolist()]
        words = words[: options.positions]

        def forget_cache() -> None:
            shutil.rmtree(folder / "cache", ignore_errors=True)

        if not options.json:
            print(
                f"{manifest.rules}, {manifest.kind}; medians of probes in ms, probe_many in µs a position\n"
            )
            print(f"{'':26}" + "".join(f"{head:>12}" for head in HEADS), flush=True)

        row, expected = measure(
            "disk", lambda: inarow.open_table(path), lambda: forget_files(path), positions, words
        )
        rows, same = [row], True
        if not options.json:
            show(row)
        for latency in (0.0, 0.05):
            for many_ranges in (True, False):
                with served(path, latency, many_ranges) as server:
                    ranges = "many ranges" if many_ranges else "one range"
                    title = f"HTTP, {1000 * latency:.0f} ms, {ranges}"
                    row, found = measure(
                        title,
                        partial(inarow.open_table, server.url),
                        forget_cache,
                        positions,
                        words,
                        server.counts,
                    )
                rows.append(row)
                same &= np.array_equal(found, expected)
                if not options.json:
                    show(row)

    if options.json:
        print(json.dumps({"rows": [row._asdict() for row in rows]}, indent=2))
    else:
        compare(rows)
    if not same:
        print("THE ANSWERS DIFFER", file=sys.stderr)
        return 1
    if not options.json:
        print(f"\nAll give the same answers for {words.size:,} positions.")
    return 0


def show(row: Row) -> None:
    times = [1e3 * row.first, 1e3 * row.next, 1e3 * row.again, 1e6 * row.many, 1e6 * row.many_again]
    shown = "".join(f"{value:12.2f}" for value in [*times, row.requests, row.sent / 1000])
    print(f"{row.title:26}{shown}", flush=True)


def compare(rows: Sequence[Row]) -> None:
    print("\nTimes those of the disk:")
    for row in rows[1:]:
        shown = "".join(f"{mine / disk:12.1f}" for mine, disk in zip(row[1:6], rows[0][1:6], strict=True))
        print(f"{row.title:26}{shown}")


if __name__ == "__main__":
    sys.exit(main())
