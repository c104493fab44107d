"""What can go wrong outside the program, each with the exit code of the command line."""

from __future__ import annotations


class InarowError(Exception):
    """The common base: its text is what a person should read.

    >>> import inarow
    >>> try:
    ...     inarow.solve(inarow.Quixo(3), stop_at=10)
    ... except inarow.InarowError as error:
    ...     print(error.exit_code, error)
    2 a board of 3×3 has 0 to 9 marks; cannot stop at 10
    """

    exit_code = 2


class MissingTable(InarowError):
    """A table, or the part of it that is needed, is not there.

    >>> import inarow
    >>> try:
    ...     inarow.open_table("nowhere")
    ... except inarow.MissingTable as error:
    ...     print(error.exit_code)
    3
    """

    exit_code = 3


class DamagedFile(InarowError):
    """A file is not what it says it is: truncated, changed, or of another kind.

    >>> import inarow
    >>> from inarow.ultimate.certificate import read_certificate
    >>> try:
    ...     read_certificate(inarow.__file__)
    ... except inarow.DamagedFile as error:
    ...     print(error.exit_code, str(error).endswith("not a certificate for Ultimate Tic-Tac-Toe"))
    4 True
    """

    exit_code = 4


class Unreachable(InarowError):
    """A server does not answer, or not with what was asked for.

    >>> import inarow
    >>> try:
    ...     inarow.open_table("http://localhost:1/table")
    ... except inarow.Unreachable as error:
    ...     print(error.exit_code)
    5
    """

    exit_code = 5


class Stopped(InarowError):
    """The work was stopped before its end, by whoever had asked for it."""

    exit_code = 130


class WrongTable(InarowError):
    """A table is there, but of other rules than the ones asked for.

    >>> import inarow
    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> table = table_in_memory(inarow.Quixo(2))
    >>> try:
    ...     table.probe(inarow.Quixo(3).start())
    ... except inarow.WrongTable as error:
    ...     print(error.exit_code)
    2
    """


class OldTable(WrongTable):
    """A table is in a format that earlier releases wrote: it has to be solved again."""


class NotationError(ValueError):
    """Text that is not in the notation; its message points at the place.

    >>> print(NotationError("no column 'z'", "z1a4", 0))
    no column 'z'
      z1a4
      ^
    """

    exit_code = 2

    def __init__(self, reason: str, text: str, column: int) -> None:
        super().__init__(reason, text, column)
        self.reason = reason
        self.text = text
        self.column = column

    def __str__(self) -> str:
        # Text may come from anywhere: keep the caret aligned and the message short whatever it holds.
        first = max(0, self.column - 40)
        shown = "".join(c if c.isprintable() else "?" for c in self.text[first : first + 80])
        return f"{self.reason}\n  {shown}\n  {' ' * (self.column - first)}^"
