"""`inarow quixo study figures`: the positions of the figures of "Quixo Is Solved"."""

from __future__ import annotations

from rich.console import Console

from inarow.cli.quixo.study.command import show_boards, study_command
from inarow.quixo.study.figures import Figures, study_figures
from inarow.words import counted


@study_command(study_figures)
def figures(console: Console, found: Figures) -> None:
    """Find the positions of Figures 7b, 7c and 9d of the paper.

    With --sample, those of 9d are looked for among so many positions of each class; the others have the
    fewest marks, and are found by looking at all.
    """
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
