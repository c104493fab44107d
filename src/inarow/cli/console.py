"""What all commands share: results on stdout, remarks and progress on stderr, questions to the user."""

from __future__ import annotations

import errno
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

_PATIENCE = 0.5  # seconds of silence before progress is worth showing


# --- Output ---


class _Results(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich would exit with the code of a failed check


def stdout() -> Console:
    """The console for results."""
    return _Results(highlight=False, markup=False, emoji=False)


def tell(message: str) -> None:
    """A remark that is not part of the results."""
    typer.echo(message, err=True)


def print_json(value: dict[str, Any]) -> None:
    """One line, so that many results make a stream."""
    print(json.dumps(value))


# --- Progress ---


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the work done and all the work.

    On a terminal it shows a bar and the time left, unless the work is quick.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return

    began = time.monotonic()
    bar: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - began >= _PATIENCE:
            bar = _start_bar(what)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


def _start_bar(what: str) -> Any:
    # Most runs never show a bar, and this takes as long to import as all else they need from Rich.
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600)
    bar.add_task(what)
    bar.start()
    return bar


@contextmanager
def activity(what: str) -> Iterator[Callable[[str], None]]:
    """A function to call with how far the work is, in words, where nobody knows how much is left.

    On a terminal the words are shown, unless the work is quick.
    """
    if not sys.stderr.isatty():
        yield lambda words: None
        return

    began = time.monotonic()
    status = Console(stderr=True).status(what)

    def report(words: str) -> None:
        if time.monotonic() - began >= _PATIENCE:
            status.start()
            status.update(f"{what}: {words}")

    try:
        yield report
    finally:
        status.stop()


# --- Input ---


def require_folder(path: Path) -> None:
    """Fail at once if the folder to write to does not exist, not after the work."""
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))


def ask(prompt: str) -> str | None:
    """The user's next words in lower case; None when they quit, or at the end of the input."""
    try:
        words = input(prompt).strip().lower()
    except EOFError:
        stdout().print()
        return None
    return None if words in ("quit", "q", "exit") else words
