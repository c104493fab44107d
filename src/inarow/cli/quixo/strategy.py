"""`inarow quixo strategy`: positions with one answer each, with which the first player wins."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import fields_of, print_json, require_folder, stdout
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.quixo.strategy import Strategy, make_strategy, read_strategy, write_strategy
from inarow.verify.quixo.strategy import verify_strategy
from inarow.words import counted

MOST_SEEN = 9


class ResistanceChoice(StrEnum):
    ANY = "any"
    PERFECT = "perfect"


@with_lookup()
def strategy(
    lookup: Lookup,
    resistance: Annotated[
        ResistanceChoice,
        typer.Option("--resistance", help="What it wins against: every reply, or those that last longest."),
    ] = ResistanceChoice.ANY,
    sees: Annotated[
        int,
        typer.Option(
            "--sees",
            metavar="N",
            min=1,
            max=MOST_SEEN,
            help="Who plays by it sees wins within so many plies, and needs no answer there.",
        ),
    ] = 1,
    out: Annotated[
        Path | None,
        path_option("--out", "-o", help="Write it to a file."),
    ] = None,
    check: Annotated[
        Path | None,
        path_option("--check", help="Check a strategy, by code that shares nothing with the maker."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find few answers with which the first player wins.

    These are positions with one answer each. 'inarow quixo play --dictionary FILE' plays by the file.
    """
    if check is not None:
        _check(check, lookup, as_json)
        return
    if out is not None:
        require_folder(out.parent)
    found = make_strategy(lookup.table(), resistance.value, sees)
    if out is not None:
        write_strategy(out, found)
    if as_json:
        print_json(
            {
                "game": "quixo",
                **found.rules.to_json(),
                "resistance": found.resistance,
                "sees": found.sees,
                "positions": len(found.answers),
                "bound": found.bound,
            }
        )
    else:
        _show(found, out)


def _show(found: Strategy, out: Path | None) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(
        f"{counted(len(found.answers), 'position')} with an answer each win against {found.resistance} "
        f"resistance; no fewer than {found.bound:,} can."
    )
    if out is not None:
        console.print(f"Written to {out}", soft_wrap=True)
        return
    for word, move in found.answers.items():
        console.print(f"{found.rules.from_word(word)}  {found.rules.move_text(move)}")


def _check(path: Path, lookup: Lookup, as_json: bool) -> None:
    written = read_strategy(path)
    table = None
    if written.resistance == "perfect":
        table = str(lookup.table(written.rules).path)
    report = verify_strategy(path, table)
    if as_json:
        print_json({"game": "quixo", **fields_of(report)})
    elif report.wrong is None:
        stdout().print(
            f"{report.verdict}: {counted(report.positions, 'position')}, {counted(report.replies, 'reply')} "
            f"tried; {counted(report.seen, 'position')} more are won within {counted(report.sees, 'ply')}."
        )
    else:
        stdout().print(f"wrong: {report.wrong}", soft_wrap=True)
    if report.verdict != "proven":
        raise typer.Exit(CHECK_FAILED)
