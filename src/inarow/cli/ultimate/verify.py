"""`inarow ultimate verify`: do the strategies do what the paper says?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout
from inarow.cli.exit_codes import CHECK_FAILED

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from inarow.verify.ultimate.strategy import BlockReport, LbsReport, Wrong, XavierReport


class Claim(StrEnum):
    XAVIER = "xavier"
    LBS = "lbs"
    LEMMA6 = "lemma6"
    LEMMA7 = "lemma7"
    ALL = "all"


def verify(
    claim: Annotated[
        Claim, typer.Argument(metavar="xavier|lbs|lemma6|lemma7|all", help="Which strategy to check.")
    ],
    as_json: options.JsonOption = False,
) -> None:
    """Check a strategy against every play of the opponent.

    \b
    xavier  X wins within 43 plies; P1 to P6 hold in the endgame
    lbs     one X in each field after 18 plies, no win before ply 29
    lemma6  X begins with (i,j), not a double: no win before ply 49
    lemma7  X plays (i,i) and, after (i,j), not (j,i): not before ply 47

    Exit code 1: a claim does not hold; a game that shows it is printed.
    """
    from inarow.verify.ultimate.strategy import verify_lbs, verify_lemma6, verify_lemma7, verify_xavier

    checks: dict[Claim, Callable[[], XavierReport | LbsReport | BlockReport]] = {
        Claim.XAVIER: verify_xavier,
        Claim.LBS: verify_lbs,
        Claim.LEMMA6: verify_lemma6,
        Claim.LEMMA7: verify_lemma7,
    }
    found = {}
    holds = True
    for name, check in checks.items():
        if claim not in (name, Claim.ALL):
            continue
        report = check()
        holds = holds and report.holds
        found[name.value] = report.to_json()
        if not as_json:
            _show(stdout(), name, report)
    if as_json:
        print_json(found if claim is Claim.ALL else found[claim.value])
    if not holds:
        raise typer.Exit(CHECK_FAILED)


def _show(console: Console, name: Claim, report: XavierReport | LbsReport | BlockReport) -> None:
    from inarow.verify.ultimate.strategy import LbsReport, XavierReport

    if isinstance(report, XavierReport):
        _show_xavier(console, report)
    elif isinstance(report, LbsReport):
        _show_lbs(console, report)
    else:
        _show_block(console, name, report)
    console.print(f"Checked in {report.seconds:.2f} s.\n")


def _show_xavier(console: Console, report: XavierReport) -> None:
    from rich.table import Table

    console.print("Xavier's strategy", style="bold")
    if report.wrong:
        _show_wrong(console, report.wrong)
        return
    console.print("X wins every game.", style="green")
    table = Table("plies", "games", box=None)
    table.columns[0].justify = table.columns[1].justify = "right"
    for plies in sorted(report.lengths):
        table.add_row(str(plies), f"{report.lengths[plies]:,}")
    console.print(table)
    console.print(
        f"Positions: {report.xavier_to_move:,} with X to move, {report.olivia_to_move:,} with O to move, "
        f"{report.final:,} final."
    )
    if report.violations:
        wrong = ", ".join(f"{name} in {count:,}" for name, count in sorted(report.violations.items()))
        console.print(f"Of {report.endgame_rounds:,} rounds of the endgame, not: {wrong}.", style="red")
    else:
        console.print(f"P1 to P6 hold in all {report.endgame_rounds:,} rounds of the endgame.", style="green")


def _show_lbs(console: Console, report: LbsReport) -> None:
    console.print("LBS", style="bold")
    if report.wrong:
        _show_wrong(console, report.wrong)
        return
    console.print(
        f"There is one and only one X in each field after 18 plies: {report.states:,} states.", style="green"
    )
    console.print(f"X does not win before ply {report.no_win_before}.", style="green")


def _show_block(console: Console, name: Claim, report: BlockReport) -> None:
    console.print(f"The strategy of Lemma {name.value[-1]}", style="bold")
    if report.wrong:
        _show_wrong(console, report.wrong)
        return
    plies = " or ".join(map(str, sorted(report.blocked_plies)))
    console.print(
        f"X is kept in two fields until they are full, after ply {plies}; then he gets to each other one.",
        style="green",
    )
    for ply in sorted(report.no_win_before):
        count = report.no_win_before[ply]
        console.print(f"No win before ply {ply}: {count} of {report.openings} openings.", style="green")
    console.print(f"{report.states:,} states.")


def _show_wrong(console: Console, wrong: Wrong) -> None:
    console.print("The claim does not hold.", style="red")
    console.print()
    console.print(wrong.position.ascii())
    console.print()
    console.print(str(wrong), style="red", soft_wrap=True)
