"""`inarow quixo study passing`: whether it is ever bad to have the move."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inarow.cli.quixo.study.command import show_boards, study_command
from inarow.quixo.study.passing import Passing, study_passing


@study_command(study_passing)
def passing(console: Console, found: Passing) -> None:
    """Where would passing be better than every move?

    Each position is compared with the same board and the other side to move.
    """
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
