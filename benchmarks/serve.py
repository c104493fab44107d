"""How fast and how steadily `inarow serve` answers probes of 4×4 positions on this machine.

First one caller who waits for each answer: the time a probe takes. Then many callers at once, with wrk, each
position another: the probes a second, errors, and the server's memory over the time. Needs wrk.

Exits with 1 if an answer is not the table's own, or if a request failed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.user_table import ensure_table

RULES = Quixo(4)
PATH = "/api/quixo/probe?position="

# Callers take the positions by turns, each from a place of its own.
WRK_SCRIPT = """
local positions = {%s}
local at = math.random(#positions)
request = function()
  at = at %% #positions + 1
  return wrk.format("GET", "%s" .. positions[at])
end
"""


def random_positions(count: int, seed: int) -> list[str]:
    """Different positions of random games, as addresses have them."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        position = RULES.start()
        for _ in range(chance.randrange(25)):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(chance.choice(moves))
        found[position.url_text] = None
    return list(found)


@contextmanager
def server() -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """The program, with its host and port."""
    program = [sys.executable, "-c", "from inarow.cli.main import run; run()", "serve", "--port", "0"]
    process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", said)
        if found is None:
            sys.exit(f"the server did not start: {said}")
        yield process, found[1], int(found[2])
    finally:
        process.terminate()
        process.wait()


def latencies(host: str, port: int, positions: list[str]) -> list[float]:
    """Milliseconds of probes, one after the other on one connection; all answers are checked."""
    connection = http.client.HTTPConnection(host, port)
    times = []
    with inarow.open_table(ensure_table(RULES)) as table:
        for text in positions:
            began = time.perf_counter()
            connection.request("GET", PATH + text)
            answer = connection.getresponse().read()
            times.append(1000 * (time.perf_counter() - began))
            record = json.loads(answer)
            expected = table.probe(RULES.parse(text)).to_json()
            if {key: record[key] for key in expected} != expected:
                sys.exit(f"{text}: the server says {record}, the table {expected}")
    connection.close()
    return times


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """The CPU time that the server has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: subprocess.Popen[str]) -> float:
    """The server's memory in MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def storm(address: str, positions: list[str], seconds: int, connections: int) -> str:
    """What wrk prints."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(WRK_SCRIPT % (",".join(f'"{text}"' for text in positions), PATH))
        script.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script.name, address]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="of many callers at once (60)")
    parser.add_argument("--connections", type=int, default=16, help="callers at once (16)")
    parser.add_argument("--positions", type=int, default=50_000, help="different ones to ask for (50000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed (apt-get install wrk)")

    positions = random_positions(options.positions, options.seed)
    memory: list[float] = []
    with server() as (process, host, port):
        alone = latencies(host, port, positions[:20])  # the first opens the table
        alone = latencies(host, port, positions[20:1020])
        over = threading.Event()

        def watch() -> None:
            while not over.wait(1):
                memory.append(resident(process))

        watcher = threading.Thread(target=watch)
        watcher.start()
        before = cpu_seconds(process)
        printed = storm(f"http://{host}:{port}", positions, options.seconds, options.connections)
        cpu = cpu_seconds(process) - before
        over.set()
        watcher.join()

    result = report(alone, printed, memory, cpu)
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:28} {value:>10}")
    if result["failed requests"]:
        sys.exit(1)


def report(alone: list[float], printed: str, memory: list[float], cpu: float) -> dict[str, Any]:
    rate = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    count = re.search(r"(\d+) requests in", printed)
    late = re.search(r"99%\s+([\d.]+\w+)", printed)
    if rate is None or late is None or count is None:
        sys.exit(f"wrk printed what is not understood:\n{printed}")
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", printed)
    failed = int(refused[1]) if refused else 0
    failed += sum(map(int, broken.groups())) if broken else 0
    early = memory[min(5, len(memory) - 1)]
    return {
        "one probe, median ms": round(statistics.median(alone), 2),
        "one probe, 99% ms": round(statistics.quantiles(alone, n=100)[98], 2),
        "probes a second": round(float(rate[1])),
        "99% within": late[1],
        "failed requests": failed,
        "server's CPU ms a probe": round(1000 * cpu / int(count[1]), 2),
        "memory after 5 s, MiB": round(early, 1),
        "memory at the end, MiB": round(memory[-1], 1),
    }


if __name__ == "__main__":
    main()
