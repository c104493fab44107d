"""`inarow quixo study survey`: one look at every move of every position, on a GPU."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inarow.cli.console import print_json, progress, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.study.command import show_boards
from inarow.quixo.study.survey import Sequences, Survey
from inarow.quixo.study.survey import survey as look_at_all
from inarow.words import counted

_FIELDS = (
    *("with_choice", "blank_kept", "blank_moves"),
    *("own_kept", "own_moves", "only_blanks", "only_own"),
)


def survey(
    size: options.SizeOption = options.DEFAULT_SIZE,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    sequences: Annotated[
        bool, typer.Option(help="Find sequences of only moves, which takes as long again.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Look at every move of every position, on a GPU.

    Solves the game, keeps nothing, and counts on the way what the studies of passing, blank tiles, draws and
    figures count one by one: on 5×5 they would take too long.
    """
    rules = options.rules_of(*options.parse_size(size), line, double_line)
    with progress("solving and looking at positions") as report:
        found = look_at_all(rules, report, sequences=sequences)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Survey) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    console.print(
        f"In {found.total('better'):,} of {found.total('unfinished'):,} positions that are not over, passing "
        f"would be better than every move: {found.better_count:,} up to symmetry."
    )
    show_boards(console, [(position, "") for position in found.better[:6]])
    drawn, kept, single = (found.total(field) for field in ("drawn", "kept", "single"))
    if drawn:
        console.print(
            f"{counted(drawn, 'position')} are drawn. Of their moves {kept / found.total('moves'):.1%} keep "
            f"the draw; in {single:,} ({single / drawn:.1%}) a single move does."
        )
        console.print(
            f"To {found.total('returning'):,} of them the other side can always return: "
            f"{found.returning_count:,} up to symmetry.\n"
        )
        show_boards(console, [(position, "") for position in found.returning[:6]])
        if found.sequences:
            _show_sequences(console, found.sequences)
    console.print(_blanks(found))


def _show_sequences(console: Console, found: Sequences) -> None:
    if found.longest:
        plies = counted(len(found.by_plies), "ply")
        console.print(f"Only moves by both sides for {plies}, at most if they end, begin in:\n")
        show_boards(console, [(position, "") for position in found.longest[:6]])
    if found.endless:
        console.print(f"From {counted(found.endless, 'position')} they never end. With fewest marks:\n")
        show_boards(console, [(position, "") for position in found.repeating[:6]])


def _blanks(found: Survey) -> Table:
    """What to take, by marks on the board."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("marks", "positions", "blank tiles keep", "own marks keep", "only blank tiles", "only own"):
        table.add_column(name, justify="right")
    for marks in range(found.rules.cells + 1):
        layer = [its for its in found.classes if its.x + its.o == marks]
        total = {name: sum(getattr(its, name) for its in layer) for name in _FIELDS}
        if total["with_choice"]:
            table.add_row(
                str(marks),
                f"{total['with_choice']:,}",
                f"{total['blank_kept'] / total['blank_moves']:.1%}",
                f"{total['own_kept'] / total['own_moves']:.1%}",
                f"{total['only_blanks'] / total['with_choice']:.1%}",
                f"{total['only_own'] / total['with_choice']:.2%}",
            )
    return table
