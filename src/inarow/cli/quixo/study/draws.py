"""`inarow quixo study draws`: how hard it is to draw."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inarow.cli.quixo.study.command import show_boards, study_command
from inarow.quixo.study.draws import Draws, study_draws
from inarow.words import counted


@study_command(study_draws)
def draws(console: Console, found: Draws) -> None:
    """How hard is it to draw?

    Of drawn positions: the share of moves that keep the draw, and of replies that lose it; positions with a
    single saving move; and the longest sequences of such moves by both sides.
    """
    console.print(f"{counted(found.total('drawn'), 'drawn position')} looked at.")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("X", "O", "drawn", "moves that keep it", "replies that lose", "single saving move"):
        table.add_column(name, justify="right")
    for its in found.classes:
        if its.drawn:
            table.add_row(
                str(its.x),
                str(its.o),
                f"{its.drawn:,}",
                f"{its.kept / its.moves:.1%}",
                f"{its.losing / its.replies:.1%}",
                f"{its.single:,} ({its.single / its.drawn:.1%})",
            )
    console.print(table)
    if found.forced is None:
        return
    console.print("A single move saves the draw, with fewest marks, X to move:\n")
    show_boards(console, [(position, "") for position in found.single])
    console.print(f"Only moves by both sides for {counted(found.forced.plies, 'ply')}, at most, begin in:\n")
    show_boards(console, [(position, "") for position in found.forced.positions])
    if found.forced.repeating:
        console.print(
            f"{counted(found.forced.repeating, 'position')} up to symmetry are on loops of only moves, "
            "which nobody can leave:\n"
        )
        show_boards(
            console,
            [(position, f"a loop of {counted(plies, 'ply')}") for plies, position in found.forced.loops],
        )
