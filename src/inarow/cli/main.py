"""The program `inarow`. Nothing is imported at first, so that Ctrl-C works from the very beginning."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(args: Sequence[str]) -> int:
    """Run a command and return its exit code; whatever goes wrong is reported on stderr."""
    from inarow.cli.app import app
    from inarow.cli.failures import failures, usage_errors

    # A command reports its own failures; these are of what comes before it, such as help.
    with failures() as failure, usage_errors() as misuse:
        code = app(args=list(args) or ["--help"], prog_name="inarow", standalone_mode=False)
        return code if isinstance(code, int) else 0
    return failure.exit_code or misuse.exit_code


def run() -> None:
    """The entry point."""
    # No command needs NumPy's BLAS, whose threads take as long to start as NumPy itself.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _replace_bad_characters()
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print("inarow: interrupted", file=sys.stderr)
        code = 130
    sys.exit(code)


def _replace_bad_characters() -> None:
    """What a terminal cannot show, or is not valid text in a file, becomes a question mark, not an error."""
    from io import TextIOWrapper

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
