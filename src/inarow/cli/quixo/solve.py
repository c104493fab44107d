"""`inarow solve`: find the value of every position, and write a table of them."""

from __future__ import annotations

import errno
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, progress, require_folder, stdout, tell
from inarow.cli.quixo.common import STYLES, describe, repair_hints, rules_of, start_text
from inarow.errors import InarowError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from inarow.quixo.solver.needs import Needs
    from inarow.quixo.solver.solve import Solution
    from inarow.quixo.statistics import ClassCounts, Statistics

# Told apart by shape too, for terminals without colours.
_BAR = (("win", "█"), ("draw", "▒"), ("loss", "░"))
_BAR_WIDTH = 24
_LONG = 20  # seconds that are worth a warning


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"


def solve(
    game: options.Game,
    size: options.SizeOption = options.DEFAULT_SIZE,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Write a table there; an interrupted run is continued there."
        ),
    ] = None,
    store: Annotated[
        bool,
        typer.Option(
            "--store/--no-store",
            help="--no-store writes no table to DIR, only the counts and a book of positions with few marks.",
        ),
    ] = True,
    stop_at: Annotated[
        int,
        typer.Option(
            metavar="N", help="Solve no positions with fewer marks than N; without it, a later run goes on."
        ),
    ] = 0,
    outcomes_only: Annotated[
        bool,
        typer.Option(
            "--outcomes-only", help="Find values and no plies: much faster, and the table is much smaller."
        ),
    ] = False,
    memory: options.MemoryOption = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Solve on the workers of this Dask scheduler, which all see DIR."
        ),
    ] = None,
    threads: options.ThreadsOption = None,
    device: Annotated[
        Device, typer.Option(help="Where to solve: the CPU, or a GPU (needs CuPy; much faster on 5×5).")
    ] = Device.CPU,
    classes: Annotated[
        bool, typer.Option("--classes", help="Show all classes of positions, not only balanced ones.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Find the value of every position, and its plies to the end."""
    rules = rules_of(size, line, double_line)
    if out is not None:
        require_folder(out.parent)
    elif not store:
        raise InarowError("--no-store keeps a book and counts in a folder: say which with --out DIR")
    elif outcomes_only or dask:
        raise InarowError("--outcomes-only and --dask write a table: say where with --out DIR")
    from inarow.quixo.solver.cpu import QUICK_SIZE
    from inarow.quixo.solver.needs import needs_of
    from inarow.quixo.solver.solve import solve
    from inarow.quixo.table.manifest import NAME as MANIFEST_NAME

    on_this_cpu = device is Device.CPU and dask is None
    if out is not None and store and on_this_cpu and rules.size > QUICK_SIZE:
        with repair_hints(out, rules):
            _tell(needs_of(rules, out, stop_at=stop_at, plies=not outcomes_only, threads=threads))
    try:
        with progress("solving") as report:
            if out is None:
                solution = solve(
                    rules, device=device.value, stop_at=stop_at, threads=threads, progress=report
                )
            else:
                with repair_hints(out, rules):
                    solution = solve(
                        rules,
                        out,
                        device=device.value,
                        store=store,
                        stop_at=stop_at,
                        outcomes_only=outcomes_only,
                        memory=memory,
                        dask=dask,
                        threads=threads,
                        progress=report,
                    )
    except (OSError, KeyboardInterrupt) as error:
        if out is not None and store and (out / MANIFEST_NAME).is_file():
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                left = needs_of(rules, out, stop_at=stop_at, plies=not outcomes_only, threads=threads).disk
                error.add_note(f"About {left:,} bytes more are needed.")
            error.add_note(f"What is finished is kept in {out}; the same command goes on from there.")
        raise
    if solution.repaired:
        tell(f"Damaged or missing, and solved anew: {', '.join(solution.repaired)}")
    if as_json:
        print_json(solution.to_json())
    else:
        show(stdout(), solution, classes)


def _tell(needs: Needs) -> None:
    """Say what it will take, where that is much."""
    if needs.seconds >= _LONG:
        tell(
            f"This takes about {_duration(needs.seconds)}, up to {needs.memory / 1e9:.1f} GB of memory, and "
            f"about {needs.disk / 1e9:.1f} GB of disk; {needs.free / 1e9:.0f} GB are free there."
        )


def _duration(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.0f} h"


def show(console: Console, solution: Solution, all_classes: bool) -> None:
    """The summary that a person reads."""
    from rich.columns import Columns

    statistics = solution.statistics
    states = statistics.states
    console.print(describe(solution.rules), style="bold")
    if solution.start is None:
        fewest = min(c.x + c.o for c in statistics.classes)
        console.print(f"Solved down to {fewest} marks: the value of the start is not known.")
    else:
        start = solution.start
        console.print(start_text(start.value, start.plies), style=STYLES[start.value])
    console.print(f"\n{sum(states.values()):,} states, counted with X to move:\n")
    console.print(_totals(statistics))
    console.print()
    tables = [_by_plies(statistics)] if statistics.by_plies else []
    console.print(Columns([*tables, _by_class(statistics, all_classes)], padding=(1, 5)))
    on = f" on one {solution.device}" if solution.device else ""
    console.print(f"\nSolved in {solution.seconds:.2f} s{on}.")
    if solution.timing:
        parts = (f"{part} {seconds:.1f}" for part, seconds in solution.timing.items() if seconds >= 0.05)
        console.print(f"Seconds by part: {', '.join(parts)}.")
    if solution.table is not None:
        console.print(f"The table is in {solution.table}", soft_wrap=True)


def _totals(statistics: Statistics) -> Table:
    from rich.table import Table

    states = statistics.states
    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for value in ("win", "loss", "draw"):
        share = states[value] / sum(states.values())
        table.add_row(value.capitalize(), f"{states[value]:,}", f"{share:.1%}", style=STYLES[value])
    return table


def _by_plies(statistics: Statistics) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="By plies to the end", title_justify="left", box=SIMPLE_HEAD)
    for name in ("Plies", "Win states", "Loss states"):
        table.add_column(name, justify="right")
    for plies, win, loss in statistics.by_plies:
        table.add_row(str(plies), f"{win:,}", f"{loss:,}")
    return table


def _by_class(statistics: Statistics, show_all: bool) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    chosen = [c for c in statistics.classes if show_all or abs(c.x - c.o) <= 1]
    title = "By the numbers of marks"
    caption = None if show_all else f"{len(statistics.classes)} classes in all: --classes shows them"
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    for name in ("X", "O", "States", "Win", "Draw", "Loss"):
        table.add_column(name, justify="right")
    table.add_column("".join(f"{sign} {value} " for value, sign in _BAR))
    for counts in reversed(chosen):
        shares = _shares(counts)
        table.add_row(
            str(counts.x),
            str(counts.o),
            f"{counts.win + counts.draw + counts.loss:,}",
            *(f"{100 * share:.0f}%" for share in shares),
            _bar(shares),
        )
    return table


def _shares(counts: ClassCounts) -> Sequence[float]:
    """Of wins, draws and losses, as the bar has them."""
    all_states = counts.win + counts.draw + counts.loss
    return [getattr(counts, value) / all_states for value, _ in _BAR]


def _bar(shares: Sequence[float]) -> Text:
    from itertools import accumulate

    from rich.text import Text

    # Ends are rounded, not lengths: so the parts always fill the bar.
    ends = [0, *(round(_BAR_WIDTH * end) for end in accumulate(shares))]
    bar = Text()
    for (value, sign), begin, end in zip(_BAR, ends, ends[1:], strict=False):
        bar.append(sign * (end - begin), STYLES[value])
    return bar
