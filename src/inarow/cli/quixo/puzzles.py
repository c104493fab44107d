"""`inarow quixo puzzles`: make puzzles from a table, or check a file of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, require_folder, stdout
from inarow.cli.exit_codes import CHECK_FAILED, NOT_PROVEN
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.quixo.puzzles import Puzzles, make_puzzles, write_puzzles
from inarow.verify.quixo.puzzles import verify_puzzles
from inarow.words import counted

MOST = 10_000


@options.with_variants
def puzzles(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    variant: options.Variant = options.USUAL,
    table: options.TableOption = None,
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", min=1, max=MOST, help="How many.")
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="The same seed gives the same puzzles.")
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", parser=parse_path, help="Write them to a file of JSON."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            parser=parse_path,
            help="Have a file of puzzles checked by code that shares nothing with what makes them.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make puzzles from a table, or check a file of them.

    Of each position's moves one is right: the only one that wins, that holds the draw, or that holds out
    longest. Puzzles are graded from 1 to 5 by plies and by how tempting the wrong moves are.
    """
    if check is not None:
        _check(check, table, as_json)
        return
    if out is not None:
        require_folder(out.parent)
    lookup = Lookup(table, line, double_line, variant)
    rules = lookup.begin(None, size).rules
    found = make_puzzles(lookup.prober(rules), count, seed)
    if out is not None:
        write_puzzles(out, found)
    if as_json:
        print_json(found.to_json())
    elif out is not None:
        stdout().print(f"{counted(len(found), 'puzzle')} written to {out}", soft_wrap=True)
    else:
        _show(found)


def _show(found: Puzzles) -> None:
    console = stdout()
    for puzzle in found:
        console.print(f"{puzzle.number:4}  {puzzle.position}  {puzzle.kind:6}  {'★' * puzzle.grade}")
    kinds = Counter(puzzle.kind for puzzle in found)
    console.print(", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())), style="dim")


def _check(path: Path, table: str | None, as_json: bool) -> None:
    report = verify_puzzles(path, table)
    if as_json:
        print_json(
            {
                **report.rules.to_json(),
                "verdict": report.verdict,
                "puzzles": report.puzzles,
                "by_table": report.by_table,
                "by_moves": report.by_moves,
                "unproven": list(report.unproven),
                "wrong": report.wrong,
            }
        )
    elif report.wrong is None:
        proven = f"{report.by_table} by the table, {report.by_moves} by trying all moves"
        stdout().print(f"{report.verdict}: {counted(report.puzzles, 'puzzle')}, {proven}")
        if report.unproven:
            stdout().print(f"Not proven without a table: {', '.join(map(str, report.unproven))}")
    else:
        stdout().print(f"wrong: {report.wrong}")
    if report.verdict != "proven":
        raise typer.Exit(CHECK_FAILED if report.verdict == "wrong" else NOT_PROVEN)
