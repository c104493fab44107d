"""`inarow quixo study passing`: whether it is ever bad to have the move."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.study.options import (
    MarksOption,
    SampleOption,
    StudySeedOption,
    scope_of,
    show_boards,
)
from inarow.quixo.study.passing import Passing, study_passing


def passing(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    marks: MarksOption = None,
    sample: SampleOption = None,
    seed: StudySeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Where would passing be better than every move?

    Each position is compared with the same board and the other side to move.
    """
    found = study_passing(scope_of(size, line, double_line, table, marks, sample, seed))
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Passing) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(
        f"In {found.total('better'):,} of {found.total('unfinished'):,} positions that are not over, "
        "passing would be better than every move."
    )
    rows = [its for its in found.classes if its.better]
    if not rows:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("X", "O", "positions", "looked at", "loss → draw", "loss → win", "draw → win"):
        table.add_column(name, justify="right")
    for its in rows:
        counts = its.states, its.looked_at, its.loss_to_draw, its.loss_to_win, its.draw_to_win
        table.add_row(str(its.x), str(its.o), *(f"{count:,}" for count in counts))
    console.print(table)
    console.print("Up to symmetry, with X to move:\n")
    show_boards(
        console, [(its.position, f"{its.value}, after passing {its.passing}") for its in found.examples]
    )
