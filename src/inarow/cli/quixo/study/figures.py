"""`inarow quixo study figures`: the positions of the figures of "Quixo Is Solved"."""

from __future__ import annotations

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
from inarow.quixo.study.figures import Figures, study_figures
from inarow.words import counted


def figures(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    marks: MarksOption = None,
    sample: SampleOption = None,
    seed: StudySeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Find the positions of Figures 7b, 7c and 9d of the paper.

    With --sample, those of 9d are looked for among so many positions of each class; the others have the
    fewest marks, and are found by looking at all.
    """
    found = study_figures(scope_of(size, line, double_line, table, marks, sample, seed))
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Figures) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    for figure, name in (
        (found.decided, "7b"),
        (found.balanced_loss, "7c"),
        (found.balanced_loss_from_blanks, "7b of the Japanese text"),
        (found.returning, "9d"),
    ):
        if figure is None:
            console.print(f"\nFigure {name}: no position looked at fits the caption.")
            continue
        with_marks = "" if figure.marks is None else f" with {counted(figure.marks, 'mark')}"
        console.print(f"\nFigure {name}: {figure.caption}.", style="bold")
        console.print(f"{counted(figure.count, 'position')}{with_marks} up to symmetry, X to move:\n")
        show_boards(console, [(position, "") for position in figure.positions])
