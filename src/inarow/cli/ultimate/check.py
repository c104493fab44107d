"""`inarow ultimate check`: does a certificate show what it claims?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout
from inarow.cli.dictionary.common import counted, counting
from inarow.cli.exit_codes import CHECK_FAILED


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A certificate that 'ultimate prove' wrote; unless named, the two that come with inarow "
            "and show that best play takes 43 plies.",
        ),
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Check a certificate against every play of the other side.

    With rules of its own. Exit code 1: the claim does not hold; 4: the file is damaged.
    """
    if file is not None:
        holds = _check(file, as_json)
    else:
        from importlib.resources import as_file

        from inarow.ultimate.certificate import shipped

        with as_file(shipped("x")) as win, as_file(shipped("o")) as defence:
            holds = _check(win, as_json) & _check(defence, as_json)
    if not holds:
        raise typer.Exit(CHECK_FAILED)


def _check(file: Path, as_json: bool) -> bool:
    from inarow.verify.ultimate.certificate import check_certificate

    with counting("checking") as report:
        found = check_certificate(file, report)
    if as_json:
        print_json(found.to_json())
    else:
        console = stdout()
        console.print(f"Claim: {found.claim}.", style="bold", soft_wrap=True)
        if found.holds:
            console.print("It holds.", style="green")
        else:
            console.print(f"It does not hold: {found.failure}", style="red", soft_wrap=True)
        console.print(
            f"{counted(found.answered, 'position')} answered, every move followed in {found.opposed:,} more; "
            f"longest game {counted(found.longest_plies, 'ply')} ({found.seconds:.2f} s)",
            soft_wrap=True,
        )
    return found.holds
