"""Quixo looked up and expanded: one at a time, at once, and over HTTP.

    python benchmarks/probe.py [--table DIR] [--only table arrays remote]

- table: CPU time of a position of a full table (of 4×4, unless one is named), in one call of
  `probe_many`, in a call for each, by `probe`, which also looks up every move, and with the records of
  its moves; and of a table of outcomes alone. The yardstick is the position's text, looked up in a
  dictionary.
- arrays: 4×4 positions in a CPU second that are listed, drawn, expanded, read and so on, one core; the
  yardstick is the same in Python, one at a time.
- remote: probes of that table over HTTP, from a server here that waits 0 or 50 ms before each answer and
  takes many ranges in a request, as nginx does, or one, as most buckets do. First, with nothing known;
  next, with the indexes known; again, from the cache; and many, for each position of a call. The
  yardstick is the same from disk, after the system was asked to forget the files.

Fails if two ways do not give the same.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rows import Row, arguments, cpu_seconds, main, seconds, solved

import inarow

RULES = inarow.Quixo(4)
VALUES = {"win": 1, "draw": 0, "loss": -1}
X, O = 5, 5  # noqa: E741 - the class whose positions are listed


# --- A table on disk ---


def ways(name: str, folder: Path, many: int, singly: int) -> Iterator[Row]:
    with inarow.open_table(folder) as table:
        words = table.sample(max(many, singly), seed=1).words
        few = words[:singly]
        positions = [table.rules.from_word(word) for word in few.tolist()]
        known = {position.text: None for position in positions}
        text = cpu_seconds(lambda: [known[position.text] for position in positions], 3)[0] / singly
        values, plies = table.probe_many(few)

        def single() -> list[tuple[int, int]]:
            answers = [table.probe_many(few[nth : nth + 1]) for nth in range(singly)]
            return [(int(value[0]), int(count[0])) for value, count in answers]

        def probes() -> list[inarow.Probe]:
            return [table.probe(position) for position in positions]

        rows = {
            "all in one call": cpu_seconds(lambda: table.probe_many(words), 3)[0] / words.size,
            "one word a call": cpu_seconds(single, 3)[0] / singly,
            "probe": cpu_seconds(probes, 3)[0] / singly,
            "probe, and its moves": cpu_seconds(lambda: [list(its.moves) for its in probes()], 3)[0] / singly,
        }
        assert single() == list(zip(values.tolist(), plies.tolist(), strict=True))
        assert [VALUES[str(its.value)] for its in probes()] == values.tolist()
        for way, took in rows.items():
            what = f"{table.rules.size_text}, {name}: {way}"
            yield Row(what, 1e6 * took, "CPU µs", "the text of a position in a dictionary", 1e6 * text)


# --- Arrays ---


def arrays(table: inarow.Table, count: int, singly: int) -> Iterator[Row]:
    many = table.sample(count, seed=1).words
    few = many[:singly]
    positions = [RULES.from_word(word) for word in few.tolist()]
    texts = [RULES.from_word(word).text for word in many.tolist()]
    signs = {"x": 1, "o": -1, ".": 0}

    def probed(words: list[int]) -> list[tuple[int, int, int]]:
        found = ((word, *table.probe_many([word])) for word in words)
        return [(word, int(values[0]), int(plies[0])) for word, values, plies in found]

    def columns(found: Any) -> list[tuple[int, int, int]]:
        return list(zip(*(column.tolist() for column in found), strict=True))

    # For each: what to call with a number of positions, the same in Python, and how the answers compare.
    work: dict[str, tuple[Callable[[int], Any], Callable[[int], Any], Callable[[Any], Any]]] = {
        "table.positions": (
            lambda n: table.positions(X, O, 0, n),
            lambda n: probed(table.positions(X, O, 0, n).words.tolist()),
            columns,
        ),
        "table.sample": (
            lambda n: table.sample(n, seed=1),
            lambda n: probed([RULES.from_word(word).mover_word for word in few[:n].tolist()]),
            columns,
        ),
        "moves_many": (
            lambda n: inarow.moves_many(RULES, many[:n]).words,
            lambda n: [p.play(move).mover_word for p in positions[:n] for move in p.legal_moves()],
            np.ndarray.tolist,
        ),
        "canonical_many": (
            lambda n: inarow.canonical_many(RULES, many[:n]),
            lambda n: [position.canonical().mover_word for position in positions[:n]],
            np.ndarray.tolist,
        ),
        "tiles_many": (
            lambda n: inarow.tiles_many(RULES, many[:n]),
            lambda n: [[signs[tile] for tile in p.text[:-2].replace("/", "")] for p in positions[:n]],
            np.ndarray.tolist,
        ),
        "parse_many": (
            lambda n: inarow.parse_many(RULES, texts[:n]),
            lambda n: [RULES.parse(text).mover_word for text in texts[:n]],
            np.ndarray.tolist,
        ),
    }
    for name, (at_once, one_by_one, as_list) in work.items():
        fast, _ = cpu_seconds(partial(at_once, count), 2)
        slow, found = cpu_seconds(partial(one_by_one, singly), 2)
        assert as_list(at_once(singly)) == found, name
        yield Row(name, count / fast, "positions a CPU second", "one by one, in Python", singly / slow)


# --- A table over HTTP ---


def serve(root: Path, latency: float, many_ranges: bool, said: Connection) -> None:
    """Serve the files of a folder, and send the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                path = root / head.split()[1].lstrip("/")
                found = [line for line in head.splitlines() if line.lower().startswith("range:")]
                await asyncio.sleep(latency)
                writer.write(response(path, found[0].partition("=")[2] if found else "", many_ranges))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=128)
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
        return f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode() + content
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


@contextmanager
def served(root: Path, latency: float, many_ranges: bool) -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(root, latency, many_ranges, theirs), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/"
    finally:
        process.terminate()
        process.join()


def timed(
    where: str | Path, forget: Callable[[], None], positions: list[inarow.Position], words: Any
) -> tuple[dict[str, float], Any]:
    """Milliseconds of probes, and what many of them say."""

    def first(position: inarow.Position) -> None:
        with inarow.open_table(where) as table:
            table.probe(position)

    half, times = len(positions) // 2, dict[str, float]()
    firsts = []
    for position in positions[:5]:
        forget()
        firsts.append(1e3 * seconds(partial(first, position)))
    times["first probe"] = median(firsts)
    forget()
    with inarow.open_table(where) as table:
        for position in positions[:half]:
            table.probe(position)  # makes the indexes known
        times["next probe"] = 1e3 * median(seconds(partial(table.probe, it)) for it in positions[half:])
    with inarow.open_table(where) as table:
        times["again"] = 1e3 * median(seconds(partial(table.probe, it)) for it in positions[half:])
    forget()
    with inarow.open_table(where) as table:
        times["many, each"] = 1e3 * seconds(partial(table.probe_many, words)) / words.size
        return times, np.stack(table.probe_many(words))


def remote(folder: Path, probes: int, many: int) -> Iterator[Row]:
    def forget_files() -> None:
        for path in folder.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    with inarow.open_table(folder) as table, TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        words = table.sample(max(probes, many), seed=2).words
        positions = [table.rules.from_word(word) for word in words[:probes].tolist()]
        disk, expected = timed(folder, forget_files, positions, words[:many])
        for latency in (0.0, 0.05):
            for many_ranges in (True, False):
                with served(folder, latency, many_ranges) as url:
                    forget = partial(shutil.rmtree, Path(cache) / "inarow", ignore_errors=True)
                    times, found = timed(url, forget, positions, words[:many])
                assert np.array_equal(found, expected), "other answers"
                ranges = "many ranges" if many_ranges else "one range"
                for what, took in times.items():
                    name = f"HTTP, {1000 * latency:.0f} ms, {ranges}: {what}"
                    yield Row(name, took, "ms", "disk", disk[what])


def measure(options: argparse.Namespace) -> Iterator[Row]:
    with solved(RULES, options.table) as folder, TemporaryDirectory() as small:
        if "table" in options.only:
            yield from ways("full table", folder, options.positions, options.singly)
            if options.table is None:
                inarow.solve(RULES, small, outcomes_only=True)
                yield from ways("outcomes alone", Path(small), options.positions, options.singly)
        if "arrays" in options.only and options.table is None:
            with inarow.open_table(folder) as table:
                yield from arrays(table, options.positions, options.singly)
        if "remote" in options.only:
            yield from remote(folder, options.probes, options.many)


if __name__ == "__main__":
    parts = ("table", "arrays", "remote")
    parser = arguments(__doc__)
    parser.add_argument("--table", type=Path, metavar="DIR", help="a full table (default: solve 4×4)")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="(all)")
    parser.add_argument("--positions", type=int, default=300_000, metavar="N", help="for one call (300,000)")
    parser.add_argument("--singly", type=int, default=1_000, metavar="N", help="for one at a time (1,000)")
    parser.add_argument("--probes", type=int, default=20, metavar="N", help="over HTTP (20)")
    parser.add_argument("--many", type=int, default=300, metavar="N", help="over HTTP, in a call (300)")
    main(measure, parser)
