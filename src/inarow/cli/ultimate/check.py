"""`inarow ultimate check`: does a certificate show what it claims?"""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli import exit_codes
from inarow.cli.console import activity, print_json, stdout
from inarow.cli.options import JsonOption, parse_path
from inarow.ultimate.certificate import shipped
from inarow.verify.ultimate.certificate import CertificateReport, check_certificate
from inarow.words import counted


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            parser=parse_path,
            help="A certificate that 'inarow ultimate prove' wrote; by default the two that come with "
            "inarow, which show that best play takes 43 plies.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate against every play of the other side.

    The checker has its own rules, and shares no code with the prover.

    Exit code 1: the certificate does not show its claim; 4: the file is damaged.
    """
    files: list[Path | Traversable] = [shipped("x"), shipped("o")] if file is None else [file]
    verdicts = []
    for each in files:
        with activity("checking") as show:
            report = check_certificate(
                each, lambda answers, ply: show(f"{counted(answers, 'position')}, ply {ply}")
            )
        if as_json:
            print_json(report.to_json())
        else:
            _show(report)
        verdicts.append(report.verdict)
    raise typer.Exit(exit_codes.of_verdicts(verdicts))


def _show(report: CertificateReport) -> None:
    console = stdout()
    console.print(f"Claim: {report.claim}.", style="bold", soft_wrap=True)
    if report.verdict == "proven":
        console.print("Proven.", style="green")
    else:
        console.print(f"Not shown: {report.reason}", style="red", soft_wrap=True)
    console.print(
        f"{counted(report.answered, 'position')} answered, every move followed in {report.opposed:,} more; "
        f"longest game {counted(report.longest_plies, 'ply')} ({report.seconds:.2f} s)",
        soft_wrap=True,
    )
