"""What can go wrong outside the program, each with the exit code of the command line."""

from __future__ import annotations


class InarowError(Exception):
    """The common base: its text is what a person should read."""

    exit_code = 2


class MissingTable(InarowError):
    """A table, or the part of it that is needed, is not there."""

    exit_code = 3


class DamagedFile(InarowError):
    """A file is not what it says it is: truncated, changed, or of another kind."""

    exit_code = 4


class WrongTable(InarowError):
    """A table is there, but of other rules than the ones asked for."""
