"""`inarow quixo puzzle` and `puzzles`: solve a puzzle in the terminal; make puzzles, or check them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from inarow.cli.console import ask, fields_of, print_json, require_folder, stdout
from inarow.cli.exit_codes import CHECK_FAILED, NOT_PROVEN
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup, with_lookup
from inarow.cli.quixo.words import STYLES, board
from inarow.errors import InarowError
from inarow.quixo.puzzles import (
    Puzzle,
    Puzzles,
    make_puzzles,
    read_puzzles,
    result_line,
    shipped_puzzles,
    write_puzzles,
)
from inarow.verify.quixo.puzzles import verify_puzzles
from inarow.words import counted


def puzzle(
    size: options.SizeOption = options.DEFAULT_SIZE,
    daily: Annotated[bool, typer.Option("--daily", help="Today's puzzle, by the date in UTC.")] = False,
    number: Annotated[
        int | None, typer.Option("--id", metavar="N", help="The puzzle of this number; without it, any.")
    ] = None,
    file: Annotated[
        Path | None,
        path_option("--file", help="A file of puzzles, in place of those that come with inarow."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a puzzle: today's, or one by its number.

    You are X. There is one right move; try until you find it, or type 'show'. At the end there is a line
    to copy, which gives nothing away. With --json the puzzle is printed, with its answer.
    """
    if daily and number is not None:
        raise InarowError("--daily and --id: only one of them can choose the puzzle")
    rules = options.rules_of(*options.parse_size(size), None, None, {})
    found = shipped_puzzles(rules) if file is None else read_puzzles(file)
    day = datetime.now(UTC).date() if daily else None
    if day is not None:
        chosen = found.daily(day)
    else:
        try:
            chosen = found.numbered(number or SystemRandom().randint(1, len(found)))
        except ValueError as error:
            raise InarowError(str(error)) from None
    if as_json:
        print_json(chosen.to_json())
    else:
        _solve(chosen, day)


def _solve(puzzle: Puzzle, day: date | None) -> None:
    console = stdout()
    rules = puzzle.position.rules
    console.print(f"Puzzle {puzzle.number}, grade {puzzle.grade} of 5", style="bold")
    console.print()
    console.print(board(puzzle.position))
    console.print()
    console.print(puzzle.task)
    wrong = 0
    while True:
        words = ask("X> ", console)
        if words is None:
            return
        if words == "show":
            console.print(f"{rules.move_text(puzzle.move)}: {puzzle.outcome}")
            return
        try:
            move = rules.parse_move(words)
            puzzle.position.play(move)
        except ValueError as error:
            console.print(f"{error}", style="red")
            continue
        outcome = puzzle.outcomes[move]
        console.print(f"{words}: {outcome}", style=STYLES[outcome.value])
        if move == puzzle.move:
            console.print("Right!", style="bold")
            console.print(result_line(puzzle, wrong, day))
            return
        wrong += 1


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
