"""`inarow quixo reachable`: which positions games can reach."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.table import Table

from inarow.cli.console import print_json, progress, stdout, tell
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.words import board
from inarow.quixo.reachable import KINDS, MOST_CELLS, Reachability
from inarow.quixo.reachable import reachable as count_reachable
from inarow.quixo.solver.engines.cuda import CudaDevice
from inarow.quixo.solver.engines.gpu_reach import reachable_on

_SLOW_CELLS = 15


def reachable(
    size: options.SizeOption = options.DEFAULT_SIZE,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    device: Annotated[options.Device, typer.Option(help="The CPU, or a GPU for boards of any size.")] = (
        options.Device.CPU
    ),
    as_json: JsonOption = False,
) -> None:
    """Count the positions that games can reach.

    An example is shown of each kind of position that they cannot.
    """
    rules = options.rules_of(*options.parse_size(size), line, double_line)
    if device is options.Device.CUDA:
        with progress("walking through all positions") as report:
            found = reachable_on(CudaDevice(), rules, report)
    else:
        if _SLOW_CELLS <= rules.cells <= MOST_CELLS and sys.stderr.isatty():
            tell("Walking through all positions: this takes about ten seconds.")
        found = count_reachable(rules)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Reachability) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(
        f"{found.reachable:,} of {found.states:,} positions with X to move are reachable "
        f"({found.reachable / found.states:.1%}).",
        style="green",
    )
    if found.rules.name == "4x4-line4-loses":
        console.print('"Quixo Is Solved" says 41,252,106; two programs of ours agree on 41,252,115.')
    console.print("\nShare in % of each class, by its Xs (down) and Os (across); · is none:\n")
    console.print(_matrix(found))
    for kind, explanation in KINDS.items():
        count = sum(getattr(c, kind) for c in found.classes)
        if count:
            console.print(f"\n{count:,} are not: {explanation}. For example, with X to move:\n")
            console.print(board(found.examples[kind]))


def _matrix(found: Reachability) -> Table:
    cells = found.rules.cells
    share = {(c.x, c.o): c.reachable / c.states for c in found.classes}
    table = Table(box=None, padding=(0, 0, 0, 1), pad_edge=False, header_style="dim")
    table.add_column("", justify="right", style="dim")
    for o in range(cells + 1):
        table.add_column(str(o), justify="right", min_width=3 if cells > 9 else 4)
    for x in range(cells + 1):
        table.add_row(str(x), *(_percent(share[x, o]) for o in range(cells + 1 - x)))
    return table


def _percent(share: float) -> str:
    """Exactly all is 100 and exactly none is a dot; nothing else is rounded to these."""
    if share == 0:
        return "·"
    return str(min(99, max(1, round(100 * share)))) if share < 1 else "100"
