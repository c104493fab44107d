"""`inarow ultimate`: what is proven about Ultimate Tic-Tac-Toe."""

from __future__ import annotations

import typer

from inarow.cli.ultimate import check, prove, verify

# The \b keeps help from joining the lines.
HELP = """\b
Ultimate Tic-Tac-Toe where a field that is won can still be played in.
The strategies are those of "At Most 43 Moves, At Least 29"
(arXiv:2006.02353). To play, see 'inarow play ultimate'.
"""

app = typer.Typer(help=HELP, rich_markup_mode=None)
app.command("verify")(verify.verify)
app.command("prove")(prove.prove)
app.command("check")(check.check)


@app.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
