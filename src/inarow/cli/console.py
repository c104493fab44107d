"""What all commands share: the two streams, progress, and the border that errors do not cross."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer
from typer.core import TyperGroup

from inarow.errors import InarowError

if TYPE_CHECKING:
    from rich.console import Console

SYSTEM_REFUSED = 5
INTERRUPTED = 130
READER_GONE = 141  # as the shell reports a program that SIGPIPE has ended

_PATIENCE = 0.5  # seconds of silence before a progress bar is worth its lines

# New versions of Typer bring their own copy of Click: this way the class is found in either.
_ClickError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[2])


# --- Output ---


def stdout() -> Console:
    """The console for results."""
    from rich.console import Console

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would leave with the exit code of a failed check

    return Results(highlight=False, markup=False, emoji=False)


def tell(message: str) -> None:
    """A remark that is not part of the results."""
    typer.echo(message, err=True)


def print_json(value: dict[str, Any]) -> None:
    """One line, so that many results make a stream."""
    print(json.dumps(value))


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the work done and all the work: shows a bar if it takes long on a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return

    began = time.monotonic()
    bar: Any = None
    task: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - began < _PATIENCE:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
            )
            bar = Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600)
            task = bar.add_task(what, total=total)
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


# --- Errors ---


def require_folder(path: Path) -> None:
    """What is to be written must have a folder to be in: better known before the work than after it."""
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))


@dataclass(slots=True)
class Failure:
    exit_code: int = 0


class Commands(TyperGroup):
    """The commands, with what the world does wrong turned into messages and exit codes."""

    def invoke(self, ctx: Any) -> Any:
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()  # so that a full disk or a closed pipe is noticed here
            return value
        except InarowError as error:
            code = _complain(str(error), error, error.exit_code)
        except BrokenPipeError:
            _silence_stdout()
            code = READER_GONE
        except FileNotFoundError as error:
            code = _complain(_explain(error), error, 3)
        except OSError as error:
            _drop_stdout_if_full(error)
            code = _complain(_explain(error), error, SYSTEM_REFUSED)
        except MemoryError as error:
            code = _complain("out of memory", error, SYSTEM_REFUSED)
        except KeyboardInterrupt as error:
            code = _complain("interrupted", error, INTERRUPTED)
        raise typer.Exit(code)


@contextmanager
def usage_errors() -> Iterator[Failure]:
    """Tells what is wrong with the arguments of a command, in two lines."""
    failure = Failure()
    try:
        yield failure
    except _ClickError as error:
        context = error.ctx
        hint = f"\nTry '{context.command_path} --help'." if context else ""
        failure.exit_code = _complain(f"{error.format_message()}{hint}", error, error.exit_code)


def _complain(message: str, error: BaseException, code: int) -> int:
    prefix = typer.style("inarow:", fg="red", bold=True)
    with suppress(OSError):  # nobody may be left to read it
        for line in (f"{prefix} {message}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
    return code


def _explain(error: OSError) -> str:
    from inarow.files import TEMPORARY_PREFIX

    reason = error.strerror or str(error)
    if error.filename is None:
        return reason
    path = Path(os.fsdecode(error.filename))
    # The name of a temporary file says nothing to a person; the folder it was to be in does.
    path = path.parent if path.name.startswith(TEMPORARY_PREFIX) else path
    return f"{path}: {reason}"


def _drop_stdout_if_full(error: OSError) -> None:
    """Without this, the interpreter would try to write the rest once more as it ends, and fail loudly."""
    if error.errno == errno.ENOSPC:
        try:
            sys.stdout.flush()
        except OSError:
            _silence_stdout()


def _silence_stdout() -> None:
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def ask(prompt: str) -> str | None:
    """A person's next words in lower case; None when they leave, with a word or with the end of input."""
    try:
        words = input(prompt).strip().lower()
    except EOFError:
        stdout().print()
        return None
    return None if words in ("quit", "q", "exit") else words
