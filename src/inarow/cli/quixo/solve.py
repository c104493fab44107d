"""`inarow quixo solve`: find the value of every position, and write a table."""

from __future__ import annotations

import errno
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, progress, require_folder, stdout, tell
from inarow.cli.options import JsonOption, MemoryOption, ThreadsOption, parse_memory, parse_path
from inarow.cli.quixo import options
from inarow.cli.quixo.options import repair_hints
from inarow.cli.quixo.results import show
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.plan import QUICK_CELLS, Plan
from inarow.quixo.solver.solve import solve_planned
from inarow.quixo.table.manifest import MANIFEST_NAME
from inarow.words import size_text

_LONG = 20  # seconds that deserve a warning


@options.with_rules(options.DEFAULT_SIZE)
def solve(
    rules: Quixo,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            parser=parse_path,
            help="Write a table there; an interrupted run resumes there.",
        ),
    ] = None,
    store: Annotated[
        bool,
        typer.Option(
            "--store/--no-store",
            help="--no-store writes only counts and a book of positions with few marks to DIR, no table.",
        ),
    ] = True,
    stop_at: Annotated[
        int,
        typer.Option(
            metavar="N", help="Solve only positions with N marks or more; a later run can do the rest."
        ),
    ] = 0,
    outcomes_only: Annotated[
        bool,
        typer.Option(
            "--outcomes-only",
            help="Find values, and plies of nearly full boards only: much faster, a much smaller table.",
        ),
    ] = False,
    memory: MemoryOption = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Solve on the workers of this Dask scheduler; all need access to DIR."
        ),
    ] = None,
    threads: ThreadsOption = None,
    device: Annotated[
        options.Device,
        typer.Option(help="Where to solve: the CPU, or a GPU (needs CuPy; much faster on 5×5)."),
    ] = options.Device.CPU,
    gpu_memory: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            parser=parse_memory,
            help="The most memory of the GPU to use, as in 22G; by default all that is free. With too little "
            "for everything, solved positions wait in this machine's memory.",
        ),
    ] = None,
    classes: options.ClassesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the value of every position, and write a table.

    The value says whether the side to move wins, loses or draws with best play, and in how many plies (moves
    of either side). Without --out, only a summary is shown.
    """
    rules.require_solvable()
    if out is not None:
        require_folder(out.parent)
    plan = Plan(
        rules,
        out,
        plies=not outcomes_only,
        book=not store,
        stop_at=stop_at,
        device=device.value,
        threads=threads,
        memory=memory,
        gpu_memory=gpu_memory,
        dask=dask,
    )
    table = out if store else None
    try:
        with repair_hints(out, rules) if out else nullcontext():
            if table and not dask and rules.cells > QUICK_CELLS:
                needs = plan.needs()
                if needs.seconds >= _LONG:
                    tell(f"Estimate: {needs} ({size_text(needs.free)} free).")
            with progress("solving") as report:
                solution = solve_planned(plan, report)
    except (OSError, KeyboardInterrupt) as error:
        if table and (table / MANIFEST_NAME).is_file():
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                error.add_note(f"About {plan.needs().disk:,} bytes more are needed.")
            error.add_note(f"What is finished is kept in {table}; the same command resumes there.")
        raise
    if solution.repaired:
        tell(f"Damaged or missing, and solved again: {', '.join(solution.repaired)}")
    if as_json:
        print_json(solution.to_json())
    else:
        show(stdout(), solution, classes)
