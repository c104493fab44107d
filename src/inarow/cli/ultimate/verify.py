"""`inarow ultimate verify`: do the strategies do what the paper says?"""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from inarow.cli import exit_codes
from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.ultimate import claims
from inarow.ultimate.rules import Ultimate
from inarow.verify.ultimate.rules import moves_text
from inarow.verify.ultimate.strategies import LbsReport, XavierReport
from inarow.words import counted


def verify(
    claim: Annotated[
        Literal["xavier", "lbs", "lemma6", "lemma7", "all"],
        typer.Argument(metavar="xavier|lbs|lemma6|lemma7|all", help="Which strategy to check."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Check a strategy against every play of the opponent.

    \b
    xavier  X wins within 43 plies; P1 to P6 hold in the endgame
    lbs     one X in each field after 18 plies, no win before ply 29
    lemma6  X begins with (i,j), not a double: no win before ply 49
    lemma7  X plays (i,i) and, after (i,j), not (j,i): not before ply 47

    Exit code 1: a claim is wrong; what shows it is printed.
    """
    reports: dict[str, claims.ClaimReport] = {}
    for name in claims.CLAIMS if claim == "all" else (claim,):
        reports[name] = claims.verify_claim(name)
        if not as_json:
            _show(stdout(), name, reports[name])
    if as_json:
        found = {name: report.to_json() for name, report in reports.items()}
        print_json(found if claim == "all" else found[claim])
    raise typer.Exit(exit_codes.of_verdicts(report.verdict for report in reports.values()))


def _show(console: Console, name: claims.ClaimName, report: claims.ClaimReport) -> None:
    title = {"xavier": "Xavier's strategy", "lbs": "LBS"}.get(name, f"The strategy of Lemma {name[-1]}")
    console.print(title, style="bold")
    if report.wrong is not None:
        if report.wrong.moves is not None:
            console.print(f"\n{Ultimate().parse(moves_text(report.wrong.moves)).ascii()}\n")
    elif isinstance(report, XavierReport):
        _show_xavier(console, report)
    elif isinstance(report, LbsReport):
        cases = counted(report.cases, "case")
        console.print(f"There is one and only one X in each field after 18 plies: {cases}.")
    else:
        plies = " or ".join(map(str, sorted(report.blocked_plies)))
        kept = f"X is kept in two fields until they are full, after ply {plies}"
        console.print(f"{kept}; then he gets to each other one: {counted(report.cases, 'case')}.")
        for ply, count in sorted(report.no_win_before.items()):
            console.print(f"No win before ply {ply}: {count} of {report.openings} openings.")
    if report.verdict == "proven":
        console.print(f"Proven: {report.reason}.", style="green")
    else:
        console.print(f"Wrong: {report.reason}.", style="red", soft_wrap=True)
    console.print(f"Checked in {report.seconds:.2f} s.\n")


def _show_xavier(console: Console, report: XavierReport) -> None:
    table = Table("plies", "games", box=None)
    table.columns[0].justify = table.columns[1].justify = "right"
    for plies, games in sorted(report.lengths.items()):
        table.add_row(str(plies), f"{games:,}")
    console.print(table)
    console.print(
        f"Positions: {report.xavier_to_move:,} with X to move, {report.olivia_to_move:,} with O to move, "
        f"{report.final:,} final."
    )
    if not report.violations:
        console.print(f"P1 to P6 hold in all {report.endgame_rounds:,} rounds of the endgame.")
