"""`inarow quixo verify`: does every entry of a table follow from the rules?"""

from __future__ import annotations

from pathlib import Path
from secrets import randbits
from typing import Annotated

import typer

from inarow.cli import exit_codes
from inarow.cli.console import print_json, progress, stdout
from inarow.cli.options import JsonOption, MemoryOption, ThreadsOption
from inarow.cli.quixo.options import Device, TableArgument, repair_hints
from inarow.cli.quixo.words import board
from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.table.location import NEARLY_FULL
from inarow.quixo.table.manifest import MANIFEST_NAME
from inarow.verify import TableReport, verify_sample, verify_table

_STYLES = {"proven": "green", "consistent": "yellow", "wrong": "red"}


def verify(
    folder: TableArgument,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="Check only N entries, drawn at random."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="Which entries a sample draws: the same for the same seed."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Skip what an interrupted check recorded, unless files have changed."),
    ] = False,
    derive: Annotated[
        bool | None,
        typer.Option(
            "--derive/--no-derive",
            help="Derive wins and losses without plies from the end of the game.",
            show_default="on boards of up to 20 cells",
        ),
    ] = None,
    device: Annotated[
        Device,
        typer.Option(help="Where to check: the CPU, or a GPU (needs CuPy)."),
    ] = Device.CPU,
    threads: ThreadsOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every entry of a table against the rules.

    The checker is independent of the solver. What it has checked is recorded in DIR, in verified.json, so
    that an interrupted check can resume. --sample tries tables that are too large to check as a whole.

    A table is proven if every entry follows from the rules and from the entries of the positions after it.
    Without plies, wins and losses could still follow from each other in a circle; to rule that out they are
    derived from the end of the game, or the draws of each class are compared with the results shipped with
    inarow.

    Exit code 0: every entry present is proven. 6: nothing is wrong, but not everything is proven. 1:
    something is wrong; it is shown. 4: the files are damaged. 3: the table, or a file of it, is missing.
    """
    if sample is None and seed is not None:
        raise InarowError("--seed goes with --sample")
    if sample is not None and device is not Device.CPU:
        raise InarowError("a sample is checked on the CPU: --device does not go with --sample")
    # A table of outcomes may have the plies of nearly full boards beside it, as a table of its own.
    nearly_full = Path(folder) / NEARLY_FULL
    folders = [folder, nearly_full] if (nearly_full / MANIFEST_NAME).exists() else [folder]
    seed = randbits(32) if sample is not None and seed is None else seed
    reports: list[TableReport] = []
    try:
        for part in folders:
            with repair_hints(part), progress("verifying") as show:
                if sample is not None and seed is not None:
                    reports.append(verify_sample(part, sample, seed, threads=threads, progress=show))
                else:
                    reports.append(
                        verify_table(
                            part,
                            threads=threads,
                            progress=show,
                            derive=derive,
                            remember=True,
                            resume=resume,
                            memory=memory,
                            device=device.value,
                        )
                    )
    except KeyboardInterrupt as error:
        if sample is None:
            error.add_note(
                "What was checked is recorded: the same command with --resume continues from there."
            )
        raise
    first, *rest = reports
    if as_json:
        drawn = None if sample is None else {"count": sample, "seed": seed}
        plies = rest[0].to_json() if rest else None
        print_json({"game": "quixo", **first.to_json(), "sample": drawn, "nearly_full": plies})
    else:
        _show(first)
        for report in rest:
            stdout().print("\nThe plies of nearly full boards:")
            _show(report)
    raise typer.Exit(exit_codes.of_verdicts([report.verdict for report in reports]))


def _show(report: TableReport) -> None:
    console, rules = stdout(), Quixo.from_json(report.rules.to_json())
    console.print(str(rules), style="bold")
    speed = f"{report.seconds:.2f} s, {report.per_second:,.0f} per second"
    console.print(f"{report.entries:,} entries checked in {speed}.")
    if report.remembered:
        console.print(f"{report.remembered:,} entries skipped, as verified.json records them as checked.")
    wrong = report.counterexample
    if wrong is not None:
        console.print()
        console.print(board(rules.parse(wrong.position)))
        console.print(f"\nX to move: stored {wrong.stored}, expected {wrong.expected}\n")
    text = f"{report.verdict.capitalize()}: {report.reason}."
    console.print(text, style=_STYLES[report.verdict], soft_wrap=True, markup=False)
