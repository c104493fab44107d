"""The program `inarow`. Nothing is imported at first, so that Ctrl-C is heard from the very beginning."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(args: Sequence[str]) -> int:
    """Run a command and return its exit code; whatever goes wrong is told on stderr."""
    from inarow.cli.app import app
    from inarow.cli.console import usage_errors

    with usage_errors() as failure:
        code = app(args=list(args) or ["--help"], prog_name="inarow", standalone_mode=False)
        return code if isinstance(code, int) else 0
    return failure.exit_code


def run() -> None:
    """The entry point."""
    try:
        _forgive_encodings()
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print("inarow: interrupted", file=sys.stderr)
        code = 130
    sys.exit(code)


def _forgive_encodings() -> None:
    """What a terminal cannot show, or a file does not hold, becomes a question mark and not an error."""
    from io import TextIOWrapper

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
