"""`inarow quixo study blanks`: whether it is good to take blank tiles."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from itertools import groupby

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
)
from inarow.quixo.study.blanks import Blanks, study_blanks


def blanks(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    marks: MarksOption = None,
    sample: SampleOption = None,
    seed: StudySeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Is it good to take blank tiles?

    Of positions that are won or drawn, with blank tiles and own marks to take: the share of moves of each
    kind that keep the value, by the number of marks, and how often only one kind does.
    """
    found = study_blanks(scope_of(size, line, double_line, table, marks, sample, seed))
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Blanks) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
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
