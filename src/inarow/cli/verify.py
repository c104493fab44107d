"""`inarow verify`: is every entry of a table what the rules make of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from inarow.cli import options
from inarow.cli.console import print_json, progress, stdout
from inarow.cli.quixo import board, describe, repair_hints

if TYPE_CHECKING:
    from inarow.games.quixo import Quixo
    from inarow.verify.quixo import Report

CHECK_FAILED = 1


def verify(
    folder: options.TableArgument, threads: options.ThreadsOption = None, as_json: options.JsonOption = False
) -> None:
    """Check every entry of a table against the rules.

    The checker is independent of the solver. Exit code 1: an entry is wrong; it is shown. 4: the files are
    damaged. 3: the table, or a part of it, is not there.
    """
    from inarow.tables.manifest import Manifest
    from inarow.verify.quixo import verify_table

    with repair_hints(folder):
        rules = Manifest.load(folder).rules
    with repair_hints(folder, rules), progress("verifying") as show:
        report = verify_table(folder, threads=threads, progress=show)
    if as_json:
        print_json(_to_json(rules, report))
    else:
        _show(rules, report)
    if not report.ok:
        raise typer.Exit(CHECK_FAILED)


def _to_json(rules: Quixo, report: Report) -> dict[str, object]:
    wrong = report.counterexample
    return {
        "game": "quixo",
        "size": rules.size,
        "line": rules.line,
        "double_line": rules.double_line,
        "ok": report.ok,
        "entries": report.entries,
        "positions": report.positions,
        "seconds": round(report.seconds, 3),
        "entries_per_second": round(report.per_second),
        "counterexample": None
        if wrong is None
        else {"position": wrong.position, "stored": wrong.stored, "expected": wrong.expected},
        "problem": report.problem,
    }


def _show(rules: Quixo, report: Report) -> None:
    console = stdout()
    console.print(describe(rules), style="bold")
    console.print(
        f"{report.entries:,} entries checked in {report.seconds:.2f} s, {report.per_second:,.0f} a second."
    )
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
    else:
        console.print(
            f"Every one is what the rules make of it: {report.positions:,} positions are right.",
            style="green",
        )
