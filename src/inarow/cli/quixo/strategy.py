"""`inarow quixo strategy`: positions with one answer each, with which the first player wins."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, require_folder, stdout
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.quixo.strategy import Strategy, make_strategy, read_strategy, write_strategy
from inarow.verify.quixo.strategy import verify_strategy
from inarow.words import counted

MOST_SEEN = 9


class ResistanceChoice(StrEnum):
    ANY = "any"
    PERFECT = "perfect"


@options.with_variants
def strategy(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    variant: options.Variant = options.USUAL,
    table: options.TableOption = None,
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
        typer.Option("--out", "-o", metavar="FILE", parser=parse_path, help="Write it to a file."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            parser=parse_path,
            help="Have a strategy checked by code that shares nothing with what makes it.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find few answers with which the first player wins.

    These are positions with one answer each. 'inarow quixo play --dictionary FILE' plays by the file.
    """
    lookup = Lookup(table, line, double_line, variant)
    if check is not None:
        _check(check, lookup, as_json)
        return
    if out is not None:
        require_folder(out.parent)
    found = make_strategy(lookup.table(size), resistance.value, sees)
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
        rules = written.rules
        table = str(lookup.table(f"{rules.rows}x{rules.columns}").path)
    report = verify_strategy(path, table)
    if as_json:
        print_json(
            {
                "game": "quixo",
                **report.rules.to_json(),
                "resistance": report.resistance,
                "sees": report.sees,
                "verdict": report.verdict,
                "positions": report.positions,
                "used": report.used,
                "replies": report.replies,
                "seen": report.seen,
                "wrong": report.wrong,
            }
        )
    elif report.wrong is None:
        stdout().print(
            f"{report.verdict}: {counted(report.positions, 'position')}, {counted(report.replies, 'reply')} "
            f"tried; {counted(report.seen, 'position')} more are won within {counted(report.sees, 'ply')}."
        )
    else:
        stdout().print(f"wrong: {report.wrong}", soft_wrap=True)
    if report.verdict != "proven":
        raise typer.Exit(CHECK_FAILED)
