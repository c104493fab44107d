"""`inarow quixo probe`: the value of a position, and of each of its moves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from inarow.cli.console import print_json, stdout, tell
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.words import STYLES, board, moves_table, position_text, source_text
from inarow.errors import DamagedFile, InarowError, Unreachable
from inarow.quixo.probe import Probe
from inarow.quixo.threats import threats_of
from inarow.words import counted


@with_lookup(size=False)
def probe(
    lookup: Lookup,
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            help="As '..../..../..../.... x': rows from the top, then the side to move ('_' may replace "
            "the space). Without it, or with '-', positions are read from standard input, one per line.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Look a position up: its value, and its moves, best first.

    A line of standard input that cannot be looked up is reported, and the others are answered; the exit code
    is then 1.
    """
    show = _printer(as_json)
    if position not in (None, "-"):
        show(_look_up(lookup, position))
        return
    if sys.stdin.isatty():
        tell("One position per line; Ctrl-D ends.")
    wrong = 0
    for number, text in enumerate(sys.stdin, start=1):
        if not text.strip():
            continue
        try:
            found = _look_up(lookup, text.strip())
        except (DamagedFile, Unreachable) as error:  # the next line would fare no better
            error.add_note(f"That was line {number}.")
            raise
        except InarowError as error:
            tell("\n".join([f"line {number}: {error}", *getattr(error, "__notes__", ())]))
            wrong += 1
            continue
        show(found)
        sys.stdout.flush()  # a program that waits for each answer gets it
    if wrong:
        tell(f"{counted(wrong, 'line')} could not be looked up.")
        raise typer.Exit(CHECK_FAILED)


def _look_up(lookup: Lookup, text: str) -> Probe:
    position = lookup.parse(text)
    prober = lookup.prober(position.rules)
    return prober.with_replies(prober.probe(position))


def _printer(as_json: bool) -> Callable[[Probe], None]:
    if as_json:
        return lambda found: print_json(found.to_json())
    console = stdout()

    def show(found: Probe) -> None:
        console.print(board(found.position))
        console.print()
        console.print(position_text(found), style=STYLES[found.value])
        if source := source_text(found):
            console.print(source, style="dim")
        for sentence in threats_of(found.position).sentences():
            console.print(sentence)
        if found.moves:
            console.print(moves_table(found.moves))

    return show
