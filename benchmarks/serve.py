"""`inarow serve`: how fast and how steadily it answers probes of 4×4 positions, all different.

    python benchmarks/serve.py [--seconds N] [--rate N] [--slow N] [--idle N]

- One caller who waits for each answer, and the server's CPU time, beside the same probes in Python.
- Callers who send probes at fixed times: a wait counts from the time at which a probe was due. Alone, and
  then beside slow clients, who send headers or a body, or read a page, a byte a second, and idle ones,
  who say nothing; whenever the server closes their connections, they come back. Each client has an
  address of its own.
- The server's memory at the end, beside that after a third of the time.

Fails if a probe failed, or its answer was not the table's own.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rows import Row, arguments, main

import inarow

RULES = inarow.Quixo(4)
PATH = "/api/quixo/probe?position="
CALLERS = 16
SLOW = [
    b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /api/quixo/probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
    b"GET /quixo HTTP/1.1\r\nHost: localhost\r\n\r\n",
]


def random_positions(count: int) -> list[str]:
    """Different positions of random games, as addresses have them."""
    chance, found = random.Random(1), dict[str, None]()
    while len(found) < count:
        position = RULES.start()
        for _ in range(chance.randrange(25)):
            if position.is_over:
                break
            position = position.play(chance.choice(position.legal_moves()))
        found[position.url_text] = None
    return list(found)


# --- The server ---


class Server:
    def __init__(self, process: subprocess.Popen[str], host: str, port: int) -> None:
        self.process, self.host, self.port = process, host, port

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """In MiB."""
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1]) / 1024


@contextmanager
def started() -> Iterator[Server]:
    program = [sys.executable, "-c", "from inarow.cli.main import run; run()", "serve", "--port", "0"]
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", said)
        assert found is not None, f"the server did not start: {said}"
        yield Server(process, found[1], int(found[2]))
    finally:
        process.terminate()
        process.wait()


# --- One caller, and many ---


def one_caller(server: Server, prober: inarow.Prober, positions: list[str]) -> Iterator[Row]:
    connection = http.client.HTTPConnection(server.host, server.port)
    times, ours, answers, before = [], [], [], server.cpu_seconds
    for text in positions:
        began = time.perf_counter()
        connection.request("GET", PATH + text)
        answers.append(connection.getresponse().read())
        times.append(1000 * (time.perf_counter() - began))
    cpu = 1000 * (server.cpu_seconds - before) / len(positions)
    connection.close()
    began = time.process_time()
    for text in positions:
        ours.append(json.dumps(prober.with_replies(prober.probe(RULES.parse(text))).to_json()))
    plain = 1000 * (time.process_time() - began) / len(positions)
    for answer, expected in zip(map(json.loads, answers), map(json.loads, ours), strict=True):
        assert {key: answer[key] for key in expected} == expected, f"{answer}, not {expected}"
    yield Row("serve, a probe, one caller", statistics.median(times), "ms", "the same in Python", plain)
    yield Row("serve, a probe", cpu, "CPU ms", "the same in Python", plain)


# --- A steady rate, and a crowd ---


class Load:
    """Probes at a steady rate: how long each took, and those that failed."""

    def __init__(self, server: Server, positions: Sequence[str]) -> None:
        self.server, self.positions = server, positions
        self.failed: list[str] = []

    async def run(self, rate: float, seconds: float) -> list[float]:
        self.waits: list[float] = []
        begin = time.perf_counter() + 0.1
        times = [begin + nth / rate for nth in range(round(rate * seconds))]
        await asyncio.gather(*(self._call(nth, times[nth::CALLERS]) for nth in range(CALLERS)))
        return self.waits

    async def _call(self, nth: int, times: Sequence[float]) -> None:
        where: Any = {
            "host": self.server.host,
            "port": self.server.port,
            "local_addr": (f"127.0.2.{nth + 1}", 0),
        }
        reader, writer = await asyncio.open_connection(**where)
        for number, due in enumerate(times):
            await asyncio.sleep(max(0, due - time.perf_counter()))
            position = self.positions[(number * CALLERS + nth) % len(self.positions)]
            try:
                writer.write(f"GET {PATH}{position} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
                length = next(line for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:")
                await reader.readexactly(int(length[15:]))
                if not head.startswith(b"HTTP/1.1 200"):
                    self.failed.append(head.decode().splitlines()[0])
            except (OSError, EOFError, TimeoutError, StopIteration) as error:
                self.failed.append(repr(error))
                writer.close()
                reader, writer = await asyncio.open_connection(**where)
            self.waits.append(1000 * (time.perf_counter() - due))
        writer.close()


async def crowd(server: Server, slow: int, idle: int) -> None:
    """Comes back for ever."""

    async def come_back(nth: int, behave: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> None:
        while True:
            with suppress(OSError):
                # A small limit, so that what is not read stays with the server.
                where: Any = {"limit": 1024, "local_addr": (f"127.0.1.{nth % 250 + 1}", 0)}
                reader, writer = await asyncio.open_connection(server.host, server.port, **where)
                try:
                    await behave(reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(0.1)

    def trickle(begin: bytes) -> Callable[[Any, Any], Coroutine[Any, Any, None]]:
        async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(begin)
            while not writer.is_closing():
                if begin.endswith(b"\r\n\r\n") and begin.startswith(b"GET"):
                    if not await reader.read(1):
                        return
                else:
                    writer.write(b"a")
                    await writer.drain()
                await asyncio.sleep(1)

        return behave

    async def say_nothing(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with asyncio.TaskGroup() as group:
        for nth in range(slow):
            group.create_task(come_back(nth, trickle(SLOW[nth % len(SLOW)])))
        for nth in range(slow, slow + idle):
            group.create_task(come_back(nth, say_nothing))


async def steadily(load: Load, options: argparse.Namespace) -> list[Row]:
    alone = await load.run(options.rate, options.seconds / 3)
    beside = asyncio.create_task(crowd(load.server, options.slow, options.idle))
    await load.run(options.rate, options.seconds / 3)
    memory = load.server.memory
    crowded = await load.run(options.rate, 2 * options.seconds / 3)
    beside.cancel()
    await asyncio.gather(beside, return_exceptions=True)
    assert not load.failed, load.failed[:5]
    late = (statistics.quantiles(waits, n=100)[98] for waits in (crowded, alone))
    what = f"serve, {options.rate} probes a second beside a crowd"
    return [
        Row(f"{what}: 99% within", next(late), "ms", "without the crowd", next(late)),
        Row(f"{what}: memory", load.server.memory, "MiB", "after a third of the time", memory),
    ]


def measure(options: argparse.Namespace) -> Iterator[Row]:
    positions = random_positions(50_000)
    with started() as server, inarow.open_prober(RULES) as prober:
        list(one_caller(server, prober, positions[:20]))  # opens the table
        yield from one_caller(server, prober, positions[20:1020])
        yield from asyncio.run(steadily(Load(server, positions), options))


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--seconds", type=int, default=12, help="with the crowd (12)")
    parser.add_argument("--rate", type=int, default=200, help="probes a second (200)")
    parser.add_argument("--slow", type=int, default=100, help="slow clients (100)")
    parser.add_argument("--idle", type=int, default=100, help="idle clients (100)")
    main(measure, parser)
