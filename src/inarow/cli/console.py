"""What all commands share: results on stdout, remarks and progress on stderr, questions to the user."""

from __future__ import annotations

import errno
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

_PATIENCE = 0.5  # seconds of silence before progress is worth showing


# --- Output ---


class _Results(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # Rich would exit with the code of a failed check


def stdout(*, quiet: bool = False) -> Console:
    """The console for results; a quiet one shows nothing, where JSON is printed instead."""
    return _Results(highlight=False, markup=False, emoji=False, quiet=quiet)


def tell(message: str) -> None:
    """A remark that is not part of the results."""
    typer.echo(message, err=True)


def print_json(value: dict[str, Any], *, now: bool = False) -> None:
    """One line, so that many results make a stream; a program that waits for it gets it `now`."""
    print(json.dumps(value), flush=now)


def fields_of(record: Any) -> dict[str, Any]:
    """The fields of a report for JSON; the rules that it is about come first."""
    found = {field.name: getattr(record, field.name) for field in fields(record)}
    return {**found.pop("rules").to_json(), **found}


# --- Progress ---


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the work done and all the work.

    On a terminal it shows a bar, the time taken and the time left, unless the work is quick.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return

    with _shown_late(partial(_bar, what)) as show:

        def report(done: int, total: int) -> None:
            if bar := show():
                bar.update(bar.task_ids[0], completed=done, total=total)

        yield report


def _bar(what: str) -> Any:
    # Most runs never show a bar, and this takes as long to import as all else they need from Rich.
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    # What is done is known from time to time only: the spinner and the clock move meanwhile.
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=600,
    )
    bar.add_task(what, total=None)
    return bar


@contextmanager
def activity(what: str) -> Iterator[Callable[[str], None]]:
    """A function to call with how far the work is, in words, where nobody knows how much is left.

    On a terminal the words are shown, unless the work is quick.
    """
    if not sys.stderr.isatty():
        yield lambda words: None
        return

    with _shown_late(lambda: Console(stderr=True).status(what)) as show:

        def report(words: str) -> None:
            if status := show():
                status.update(f"{what}: {words}")

        yield report


@contextmanager
def _shown_late(make: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """A function that gives what `make` made, once it is shown, and None before.

    It is shown when the work has taken a while, whether the work has reported anything or not.
    """
    began = time.monotonic()
    lock = threading.Lock()
    shown: list[Any] = []
    ended = False

    def start() -> None:
        with lock:
            if not shown and not ended:
                display = make()
                display.start()
                shown.append(display)

    def show() -> Any:
        if time.monotonic() - began >= _PATIENCE:
            start()
        return shown[0] if shown else None

    timer = threading.Timer(_PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield show
    finally:
        timer.cancel()
        with lock:
            ended = True
        for display in shown:
            display.stop()


# --- Input ---


def require_folder(path: Path) -> None:
    """Fail at once if the folder to write to does not exist, not after the work."""
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))


def ask(prompt: str, console: Console) -> str | None:
    """The user's next words in lower case; None when they quit, or at the end of the input."""
    try:
        words = input("" if console.quiet else prompt).strip().lower()
    except EOFError:
        console.print()
        return None
    return None if words in ("quit", "q", "exit") else words
