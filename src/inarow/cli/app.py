"""The program's commands, its version and its shell completion."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import inarow
from inarow.cli import exit_codes
from inarow.cli.commands import Commands
from inarow.cli.failures import failures


class Root(Commands):
    """All commands; failures are reported here."""

    def invoke(self, ctx: Any) -> Any:
        with failures() as failure:
            value = super().invoke(ctx)
        if failure.exit_code:
            raise typer.Exit(failure.exit_code)
        return value


app = Root.app(
    "inarow.cli",
    "Solve, prove and play in-a-row games.",
    {
        "quixo": "Solve Quixo, look positions up, play, and check tables.",
        "dictionary": "Winning strategies as text: make, verify, shorten and play them.",
        "ultimate": "Play Ultimate Tic-Tac-Toe, and prove how long it takes.",
        "doctor": "Say what this machine offers, and what will be fast.",
        "serve": "Explore and play in the browser, or query over HTTP.",
        "site": "Write the explorer as files, which need no server.",
    },
    epilog=exit_codes.HELP,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"inarow {inarow.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
