"""Turns what goes wrong into a message on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import typer

import inarow
from inarow.cli import exit_codes
from inarow.errors import InarowError, NotationError
from inarow.files import TEMPORARY_PREFIX

# New versions of Typer bring their own copy of Click: this finds the class in either.
_ClickError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[2])


@dataclass(slots=True)
class Failure:
    exit_code: int = 0


@contextmanager
def failures() -> Iterator[Failure]:
    """Reports any failure, and keeps its exit code: what a user can cause or meet, and faults of inarow's."""
    failure = Failure()
    try:
        with _flushed_stdout():
            yield failure
    except (_ClickError, typer.Exit, typer.Abort):
        raise
    except (InarowError, NotationError) as error:
        failure.exit_code = _report(str(error), error, error.exit_code)
    except BrokenPipeError:
        _silence_stdout()
        failure.exit_code = exit_codes.READER_GONE
    except FileNotFoundError as error:
        failure.exit_code = _report(_explain(error), error, exit_codes.MISSING)
    except OSError as error:
        _drop_stdout_if_full(error)
        failure.exit_code = _report(_explain(error), error, exit_codes.SYSTEM_REFUSED)
    except MemoryError as error:
        failure.exit_code = _report("out of memory", error, exit_codes.SYSTEM_REFUSED)
    except KeyboardInterrupt as error:
        failure.exit_code = _report("interrupted", error, exit_codes.INTERRUPTED)
    except Exception as error:
        failure.exit_code = _report(_unforeseen(error), error, exit_codes.FAULT)


@contextmanager
def usage_errors() -> Iterator[Failure]:
    """Reports what is wrong with the arguments of a command, in two lines."""
    failure = Failure()
    try:
        yield failure
    except _ClickError as error:
        context = error.ctx
        hint = f"\nTry '{context.command_path} --help'." if context else ""
        failure.exit_code = _report(f"{error.format_message()}{hint}", error, error.exit_code)


@contextmanager
def _flushed_stdout() -> Iterator[None]:
    """Lets a full disk or a closed pipe be noticed before the program exits."""
    try:
        yield
    except typer.Exit:
        sys.stdout.flush()
        raise
    sys.stdout.flush()


def _report(message: str, error: BaseException, code: int) -> int:
    prefix = typer.style("inarow:", fg="red", bold=True)
    with suppress(OSError):  # nobody may be left to read it
        for line in (f"{prefix} {message}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
    return code


def _unforeseen(error: Exception) -> str:
    """What to say of a fault of inarow's own, whose traceback goes to a file."""
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
    said = f"a fault in inarow itself: {what[:200]}"
    details = [
        f"inarow {inarow.__version__}, Python {platform.python_version()}, {platform.platform()}\n",
        f"{sys.argv}\n",
        *traceback.format_exception(error),
    ]
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="inarow-fault-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.writelines(details)
    except OSError:
        return f"{said}\nPlease report it, with this:\n{''.join(details)}"
    return f"{said}\nPlease report it, and attach {file.name}"


def _explain(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return reason
    path = Path(os.fsdecode(error.filename))
    # The name of a temporary file means nothing to a user; the folder it was to be in does.
    path = path.parent if path.name.startswith(TEMPORARY_PREFIX) else path
    return f"{path}: {reason}"


def _drop_stdout_if_full(error: OSError) -> None:
    """Without this, the interpreter would try to write the rest again as it exits, and fail loudly."""
    if error.errno == errno.ENOSPC:
        if error.filename is None:  # errors about files have their names
            error.filename = "standard output"
        try:
            sys.stdout.flush()
        except OSError:
            _silence_stdout()


def _silence_stdout() -> None:
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
