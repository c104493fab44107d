"""`inarow quixo verify`: does every entry of a table follow from the rules?"""

from __future__ import annotations

from secrets import randbits
from typing import Annotated

import typer

from inarow.cli.console import print_json, progress, stdout
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption, ThreadsOption
from inarow.cli.quixo.lookup import repair_hints
from inarow.cli.quixo.options import TableArgument
from inarow.cli.quixo.words import board
from inarow.errors import InarowError
from inarow.quixo.results import results
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import QUICK_CELLS
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.manifest import Manifest
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import Report, verify_table


def verify(
    folder: TableArgument,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="Check N entries drawn at random, and no more."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="Which ones: those of a seed are always the same."),
    ] = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every entry of a table against the rules.

    The checker is independent of the solver. A check that was interrupted goes on where it was: what is found
    right is remembered in DIR, in verified.json. With --sample, tables too large to check whole are tried.

    Outcomes without plies prove their draws; wins and losses could still hold each other up in a circle. The
    number of draws of each class rules that out: it is compared with what the solver counted, on 5×5 with
    the results that come with inarow.

    Exit code 1: an entry is wrong; it is shown. 4: the files are damaged. 3: the table, or a part of it, is
    not there.
    """
    if sample is None and seed is not None:
        raise InarowError("--seed goes with --sample")
    with repair_hints(folder):
        manifest = Manifest.load(folder)
    rules = manifest.rules
    try:
        with repair_hints(folder, rules), progress("verifying") as show:
            if sample is not None:
                seed = randbits(32) if seed is None else seed
                report = verify_sample(folder, sample, seed, progress=show)
            else:
                known = None if manifest.plies or not manifest.complete else _known_draws(rules)
                report = verify_table(
                    folder, threads=threads, progress=show, known_draws=known, remember=True
                )
    except KeyboardInterrupt as error:
        if sample is None:
            error.add_note("What was found right is remembered; the same command goes on from there.")
        raise
    drawn = None if sample is None or seed is None else (sample, seed)
    if as_json:
        print_json(_to_json(rules, report, drawn))
    else:
        _show(rules, report, drawn)
    if not report.ok:
        raise typer.Exit(CHECK_FAILED)


def _known_draws(rules: Quixo) -> dict[tuple[int, int], int]:
    """The draws of each class that the solver counted: here and now if that takes no time."""
    solution = solve(rules) if rules.cells <= QUICK_CELLS else results(rules)
    return {(counts.x, counts.o): counts.draw for counts in solution.statistics.classes}


def _to_json(rules: Quixo, report: Report, drawn: tuple[int, int] | None) -> dict[str, object]:
    wrong = report.counterexample
    return {
        "game": "quixo",
        **rules.to_json(),
        "ok": report.ok,
        "sample": None if drawn is None else {"count": drawn[0], "seed": drawn[1]},
        "has_plies": report.plies,
        "draws_compared": report.draws_compared,
        "entries": report.entries,
        "remembered": report.remembered,
        "positions": report.positions,
        "seconds": round(report.seconds, 3),
        "entries_per_second": round(report.per_second),
        "counterexample": None
        if wrong is None
        else {"position": wrong.position, "stored": wrong.stored, "expected": wrong.expected},
        "problem": report.problem,
    }


def _show(rules: Quixo, report: Report, drawn: tuple[int, int] | None) -> None:
    console = stdout()
    console.print(str(rules), style="bold")
    console.print(
        f"{report.entries:,} entries checked in {report.seconds:.2f} s, {report.per_second:,.0f} a second."
    )
    if report.remembered:
        console.print(f"{report.remembered:,} more were found right before, by a check that was interrupted.")
    wrong = report.counterexample
    if wrong is not None:
        console.print(
            "\nThis entry does not follow from the entries of the positions after it:\n", style="red"
        )
        console.print(board(rules.parse(wrong.position)))
        console.print(f"\nX to move: stored {wrong.stored}, expected {wrong.expected}")
        console.print(str(wrong), soft_wrap=True)
    elif report.problem is not None:
        console.print(f"The table is wrong: {report.problem}", style="red", soft_wrap=True)
    elif drawn is not None:
        count, seed = drawn
        console.print(
            f"Every one of {count:,} entries, drawn with seed {seed}, is what the rules make of it.",
            style="green",
        )
    elif report.plies:
        console.print(
            f"Every one is what the rules make of it: {report.positions:,} positions are right.",
            style="green",
        )
    else:
        console.print(
            "Every one is what the rules make of it, and each class has as many draws as the solver counted: "
            f"{report.positions:,} positions are right.",
            style="green",
        )
