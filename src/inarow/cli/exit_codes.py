"""The exit codes of all commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarow.verify.verdict import Verdict

CHECK_FAILED = 1
MISSING = 3
SYSTEM_REFUSED = 5
NOT_PROVEN = 6
FAULT = 70
INTERRUPTED = 130
READER_GONE = 141  # what the shell reports for a program that SIGPIPE ended


# The \b keeps help from joining the lines.
HELP = """\b
Exit codes:
    0  success
    1  a check failed
    2  the command line is wrong, or asks for something impossible
    3  a table or file is missing
    4  a file is damaged
    5  the system refused: disk full, no permission, out of memory; or a
       server did not answer
    6  a check found nothing wrong, but does not prove everything right
   70  a fault in inarow itself; please report it
  130  interrupted (141: the reader of the output went away)
"""


def of_verdicts(verdicts: Iterable[Verdict]) -> int:
    """The exit code of checks with these verdicts: the worst one decides."""
    found = set(verdicts)
    return CHECK_FAILED if "wrong" in found else NOT_PROVEN if "consistent" in found else 0
