"""How tests call the command line."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

PROGRAM = [sys.executable, "-c", "from inarow.cli.main import run; run()"]


@dataclass(frozen=True)
class Result:
    out: str
    err: str


class Inarow(Protocol):
    """Calls a command in this process, and expects this exit code if it is not None."""

    def __call__(self, *args: str | Path, stdin: str = "", code: int | None = 0) -> Result: ...


@contextmanager
def serving(*args: str | Path, quiet: bool = True, **options: Any) -> Iterator[str]:
    """`inarow serve` on a port of its own: where it is, until it is interrupted."""
    command = [*PROGRAM, "serve", "--port", "0", *map(str, args)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options) as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        said = process.stderr.read()
        assert said == "inarow: interrupted\n" if quiet else len(said) < 4000


class Program(Protocol):
    """Runs a command as a process; the options are those of `subprocess.run`."""

    def __call__(self, *args: str | Path, **options: object) -> subprocess.CompletedProcess[str]: ...
