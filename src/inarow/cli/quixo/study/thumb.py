"""`inarow quixo study thumb`: whether a draw can be kept by rules of thumb."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.study.command import (
    MarksOption,
    SampleOption,
    StudySeedOption,
    opened_scope,
    print_found,
    show_boards,
)
from inarow.quixo.study.thumb import MOST_PLIES, OPPONENTS, RULES, ClassThumb, Thumb, study_thumb
from inarow.words import counted

_MOST_GAMES = 100_000
_MOST_ROUNDS = 1000
_SHOWN = 6  # exceptions that are shown of the games against each opponent


def thumb(
    size: options.PositionSizeOption = None,
    line: options.LineOption = None,
    double_line: options.DoubleLineOption = None,
    table: options.TableOption = None,
    marks: MarksOption = None,
    sample: SampleOption = None,
    seed: StudySeedOption = 0,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            metavar="N",
            min=1,
            max=_MOST_GAMES,
            help="Games against each opponent, and in a round.",
        ),
    ] = 100,
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds",
            metavar="N",
            min=0,
            max=_MOST_ROUNDS,
            help="At most so many rounds of more games, with the exceptions so far learned.",
        ),
    ] = 4,
    as_json: JsonOption = False,
) -> None:
    """Can a draw be kept by rules of thumb?

    Each rule leaves some of the moves that the rules before it left, and in the end any of these is made.
    Shown is how often such a move loses a drawn position, by the number of marks; how long the second player
    holds the draw in games; and how many exceptions must be learned by heart.
    """
    with opened_scope(Lookup(table, line, double_line), size, marks, sample, seed) as scope:
        found = study_thumb(scope, games, rounds)
    print_found(found, as_json, _show)


def _show(console: Console, found: Thumb) -> None:
    console.print(f"{counted(found.drawn, 'drawn position')} looked at.")
    if not found.drawn:
        return
    _show_rules(console, found)
    console.print("The share of drawn positions that are lost after each rule:")
    _show_classes(console, found, "marks", lambda its: its.x + its.o)
    _show_classes(console, found, "more Os than Xs", lambda its: its.o - its.x)
    if not found.games:
        console.print(
            "No games are played: that needs all positions, without --marks, of a game that is a draw."
        )
        return
    _show_games(console, found)
    if found.rounds:
        _show_rounds(console, found)
    for its in found.games:
        if its.exceptions:
            console.print(
                f"Exceptions with fewest marks, X to move, if the opponent makes {OPPONENTS[its.opponent]}:\n"
            )
            show_boards(
                console,
                [
                    (example.position, f"saved by {_moves(example.saving)}")
                    for example in its.examples[:_SHOWN]
                ],
            )


def _moves(texts: tuple[str, ...]) -> str:
    return f"{', '.join(texts[:3])}" + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


def _show_rules(console: Console, found: Thumb) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("rule")
    for name in ("loses the draw", "no saving move left"):
        table.add_column(name, justify="right")
    names = ["any move", *(f"{nth}. {rule.text}" for nth, rule in enumerate(RULES, 1))]
    for name, fails, hopeless in zip(names, found.fails, found.hopeless, strict=True):
        table.add_row(name, f"{fails / found.drawn:.2%}", f"{hopeless / found.drawn:.2%}")
    console.print(table)


def _show_classes(console: Console, found: Thumb, name: str, key: Callable[[ClassThumb], int]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in (name, "drawn", "any move", *(f"{nth}." for nth in range(1, len(RULES) + 1))):
        table.add_column(column, justify="right")
    for value, those in groupby(sorted(found.classes, key=key), key=key):
        classes = list(those)
        drawn = sum(its.drawn for its in classes)
        if drawn:
            fails = map(sum, zip(*(its.fails for its in classes), strict=True))
            table.add_row(str(value), f"{drawn:,}", *(f"{count / drawn:.2%}" for count in fails))
    console.print(table)


def _show_games(console: Console, found: Thumb) -> None:
    console.print(f"The second player follows the rules, for up to {MOST_PLIES} plies:")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("the opponent makes")
    for name in ("games", "held", "won", "plies to failure", "exceptions"):
        table.add_column(name, justify="right")
    for its in found.games:
        table.add_row(
            OPPONENTS[its.opponent],
            f"{its.games:,}",
            f"{its.held:,} ({its.held / its.games:.1%})",
            f"{its.won:,}",
            _plies(its.plies),
            f"{its.exceptions:,}",
        )
    console.print(table)


def _show_rounds(console: Console, found: Thumb) -> None:
    console.print("Exceptions learned by heart, against the opponent who sets traps:")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("learned", "games", "held", "plies to failure"):
        table.add_column(name, justify="right")
    for its in found.rounds:
        table.add_row(
            f"{its.learned:,}",
            f"{its.games:,}",
            f"{its.held:,} ({its.held / its.games:.1%})",
            _plies(its.plies),
        )
    console.print(table)


def _plies(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"
