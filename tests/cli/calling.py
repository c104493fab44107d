"""How tests call the command line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PROGRAM = [sys.executable, "-c", "from inarow.cli.main import run; run()"]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


class Inarow(Protocol):
    """Calls a command in this process."""

    def __call__(self, *args: str | Path, stdin: str = "") -> Result: ...


class Program(Protocol):
    """Runs a command as a process; the options are those of `subprocess.run`."""

    def __call__(self, *args: str | Path, **options: object) -> subprocess.CompletedProcess[str]: ...
