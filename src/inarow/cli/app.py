"""The commands, their help and their exit codes."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli import dictionary, play, serve, ultimate
from inarow.cli.console import Commands
from inarow.cli.quixo import check, convert, info, line, probe, reachable, results, solve, verify

# The \b keeps help from joining the lines.
EXIT_CODES = """\b
Exit codes:
    0  fine
    1  a check failed
    2  the command was not understood, or asks for what cannot be done
    3  a table or file is missing
    4  a file is damaged
    5  the system refused: disk full, no permission, no memory
  130  interrupted (141: the reader of the output went away)
"""

app = typer.Typer(
    cls=Commands,
    help="Solve, prove and play in-a-row games.",
    epilog=EXIT_CODES,
    add_completion=False,
    rich_markup_mode=None,  # plain help needs no Rich, and is there at once
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("solve")(solve.solve)
app.command("check")(check.check)
app.command("verify")(verify.verify)
app.command("info")(info.info)
app.command("convert")(convert.convert)
app.command("probe")(probe.probe)
app.command("line")(line.line)
app.command("play")(play.play)
app.command("reachable")(reachable.reachable)
app.command("results")(results.results)
app.command("serve")(serve.serve)
app.add_typer(
    dictionary.app,
    name="dictionary",
    short_help="Strategies as text: shorten, prove, complete and play them.",
)
app.add_typer(
    ultimate.app,
    name="ultimate",
    short_help="Ultimate Tic-Tac-Toe: check what is claimed of it.",
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"inarow {version('inarow')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
