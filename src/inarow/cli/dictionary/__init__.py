"""`inarow dictionary`: strategies written down as positions and answers."""

from __future__ import annotations

import typer

from inarow.cli.dictionary import complete, compress, expand, make, play, prune, verify

# The \b keeps help from joining the lines.
HELP = """\b
Strategy dictionaries: positions and the first player's answers.
A dictionary is a text file, in either of two notations:
  OO..xX    the board cell by cell, the answer a capital X; capital O's
            stand for one position each (the blog's)
  o3x 5     numbers for runs of empty cells, then the cell of the answer
            (Patashnik's)
Games, as --game names them:
  qubic                four in a row in the cube of 4×4×4
  mnk:WxHxK            K in a row on a board of W columns and H rows
  polyomino:NAME:SIDE  an animal of Harary's on a square board; NAME is one
                       like v-tromino or snaky, or a drawing like xx/.x
"""

app = typer.Typer(help=HELP, rich_markup_mode=None)
app.command("make")(make.make)
app.command("expand")(expand.expand)
app.command("convert")(expand.convert)
app.command("compress")(compress.compress)
app.command("verify")(verify.verify)
app.command("prune")(prune.prune)
app.command("complete")(complete.complete)
app.command("make")(make.make)
app.command("play")(play.play)


@app.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
