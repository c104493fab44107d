"""How `inarow serve` answers probes at a steady rate while slow and idle clients crowd it.

Callers send probes of 4×4 positions, all different, at fixed times: a wait counts from the time at which a
probe was due. Beside them slow clients send headers or a body, or read a page, a byte a second, and idle
ones say nothing; whenever the server closes their connections, they come back. Each client has an address of
its own. The yardstick is the same rate without the crowd.

Exits with 1 if a probe failed, or if the server's memory grew by more than a tenth after the first third.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from serve import PATH, cpu_seconds, random_positions, resident, server

CALLERS = 16
SLOW = [
    b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /api/quixo/probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n",
    b"GET /quixo HTTP/1.1\r\nHost: localhost\r\n\r\n",
]

Waits = list[float]


class Load:
    """Probes at a steady rate: how long each took, and those that failed."""

    def __init__(self, host: str, port: int, positions: Sequence[str]) -> None:
        self.host, self.port = host, port
        self.positions = positions
        self.waits: Waits = []
        self.failed: list[str] = []

    async def run(self, rate: float, seconds: float) -> None:
        self.waits, self.failed = [], []
        begin = time.perf_counter() + 0.1
        times = [begin + nth / rate for nth in range(round(rate * seconds))]
        await asyncio.gather(*(self._call(nth, times[nth::CALLERS]) for nth in range(CALLERS)))

    async def _call(self, nth: int, times: Sequence[float]) -> None:
        address = f"127.0.2.{nth + 1}"
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(address, 0))
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
                reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(address, 0))
            self.waits.append(1000 * (time.perf_counter() - due))
        writer.close()


async def crowd(host: str, port: int, slow: int, idle: int) -> None:
    """Comes back for ever."""

    async def come_back(nth: int, behave: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> None:
        while True:
            with suppress(OSError):
                local = (f"127.0.1.{nth % 250 + 1}", 0)
                # A small limit, so that what is not read stays with the server.
                reader, writer = await asyncio.open_connection(host, port, limit=1024, local_addr=local)
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


async def watch(process: subprocess.Popen[str], memory: list[float]) -> None:
    while True:
        memory.append(resident(process))
        await asyncio.sleep(1)


async def measure(process: subprocess.Popen[str], load: Load, options: argparse.Namespace) -> dict[str, Any]:
    await load.run(options.rate, 3)  # opens the table
    await load.run(options.rate, options.seconds / 6)
    alone, alone_failed = load.waits, load.failed
    memory: list[float] = []
    before = cpu_seconds(process)
    beside = [
        asyncio.create_task(crowd(load.host, load.port, options.slow, options.idle)),
        asyncio.create_task(watch(process, memory)),
    ]
    await load.run(options.rate, options.seconds)
    for task in beside:
        task.cancel()
    await asyncio.gather(*beside, return_exceptions=True)
    for failure in [*alone_failed, *load.failed][:5]:
        print(failure, file=sys.stderr)

    def late(waits: Waits) -> float:
        return round(statistics.quantiles(waits, n=100)[98], 1)

    return {
        "probes a second": options.rate,
        "probes": len(load.waits),
        "failed probes": len(load.failed) + len(alone_failed),
        "median ms": round(statistics.median(load.waits), 1),
        "99% within ms": late(load.waits),
        "99% without the crowd": late(alone),
        "ratio": round(late(load.waits) / late(alone), 2),
        "server's CPU ms a probe": round(1000 * (cpu_seconds(process) - before) / len(load.waits), 2),
        "memory after a third, MiB": round(memory[len(memory) // 3], 1),
        "memory at the end, MiB": round(memory[-1], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="with the crowd (60)")
    parser.add_argument("--rate", type=int, default=1000, help="probes a second (1000)")
    parser.add_argument("--slow", type=int, default=100, help="slow clients (100)")
    parser.add_argument("--idle", type=int, default=100, help="idle clients (100)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    positions = random_positions(50_000, 1)
    with server() as (process, host, port):
        result = asyncio.run(measure(process, Load(host, port, positions), options))
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:28} {value:>10}")
    grown = result["memory at the end, MiB"] > 1.1 * result["memory after a third, MiB"]
    if result["failed probes"] or grown:
        sys.exit(1)


if __name__ == "__main__":
    main()
