"""`inarow quixo study blanks`: whether it is good to take blank tiles."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inarow.cli.quixo.study.command import study_command
from inarow.quixo.study.blanks import Blanks, study_blanks


@study_command(study_blanks)
def blanks(console: Console, found: Blanks) -> None:
    """Is it good to take blank tiles?

    Of positions that are won or drawn, with blank tiles and own marks to take: the share of moves of each
    kind that keep the value, by the number of marks, and how often only one kind does.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("marks", "positions", "blank kept", "own kept", "only blanks keep", "only own keep"):
        table.add_column(name, justify="right")
    for marks, those in groupby(found.classes, key=lambda its: its.x + its.o):
        totals = Counter[str]()
        for its in those:
            totals.update(asdict(its))
        if totals["positions"]:
            table.add_row(
                str(marks),
                f"{totals['positions']:,}",
                f"{totals['blank_kept'] / totals['blank_moves']:.1%}",
                f"{totals['own_kept'] / totals['own_moves']:.1%}",
                f"{totals['only_blanks'] / totals['positions']:.1%}",
                f"{totals['only_own'] / totals['positions']:.2%}",
            )
    console.print(table)
