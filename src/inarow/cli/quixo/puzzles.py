"""`inarow quixo puzzles`: make puzzles from a table, or check a file of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import fields_of, print_json, require_folder, stdout
from inarow.cli.exit_codes import CHECK_FAILED, NOT_PROVEN
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.quixo.puzzles import Puzzles, make_puzzles, write_puzzles
from inarow.verify.quixo.puzzles import verify_puzzles
from inarow.words import counted

MOST = 10_000


@with_lookup()
def puzzles(
    lookup: Lookup,
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", min=1, max=MOST, help="How many.")
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="The same seed gives the same puzzles.")
    ] = 1,
    out: Annotated[
        Path | None,
        path_option("--out", "-o", help="Write them to a file of JSON."),
    ] = None,
    check: Annotated[
        Path | None,
        path_option("--check", help="Check a file of puzzles, by code that shares nothing with the maker."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make puzzles from a table, or check a file of them.

    Of each position's moves one is right: the only one that wins, that holds the draw, or that holds out
    longest. Puzzles are graded from 1 to 5 by plies and by how tempting the wrong moves are.
    """
    if check is not None:
        _check(check, lookup, as_json)
        return
    if out is not None:
        require_folder(out.parent)
    found = make_puzzles(lookup.prober(lookup.rules), count, seed)
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


def _check(path: Path, lookup: Lookup, as_json: bool) -> None:
    report = verify_puzzles(path, lookup.location)
    if as_json:
        print_json(fields_of(report))
    elif report.wrong is None:
        proven = f"{report.by_table} by the table, {report.by_moves} by trying all moves"
        stdout().print(f"{report.verdict}: {counted(report.puzzles, 'puzzle')}, {proven}")
        if report.unproven:
            stdout().print(f"Not proven without a table: {', '.join(map(str, report.unproven))}")
    else:
        stdout().print(f"wrong: {report.wrong}")
    if report.verdict != "proven":
        raise typer.Exit(CHECK_FAILED if report.verdict == "wrong" else NOT_PROVEN)
