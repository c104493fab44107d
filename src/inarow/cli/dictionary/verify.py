"""`inarow dictionary verify`: does the dictionary win every game?"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, stdout
from inarow.cli.dictionary import common
from inarow.cli.dictionary.common import counted
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.errors import InarowError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from inarow.positional.dictionary.text import Dictionary
    from inarow.positional.rules import Game
    from inarow.verify.positional.dictionary import Counterexample, DictionaryReport

_SHOWN = 10  # pairs of lines

_RULES = {
    "win": "complete a line",
    "block": "block a line of O's",
    "dictionary": "from the dictionary",
    "forced": "force a win by threats",
    "failed": "none, or too late",
}


def verify(
    game: common.GameOption,
    file: common.OptionalFileArgument = None,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = common.Symmetry.FULL,
    assisted: common.AssistedOption = False,
    proof_only: Annotated[
        bool, typer.Option("--proof-only", help="Do not roll forced wins out to their end; needs --assisted.")
    ] = False,
    threads: options.ThreadsOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Roll out every game and see whether X wins it.

    Exit code 1: one is not won; it is shown. The checker is independent of what plays and searches.
    """
    if proof_only and not assisted:
        raise InarowError("--proof-only is about forced wins, which only an --assisted player finds")
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary, name = common.read_or_builtin(file, rules)
    from inarow.verify.positional.dictionary import verify_dictionary

    with common.counting("rolling out") as count:
        report = verify_dictionary(
            rules,
            dictionary,
            symmetry=symmetry.value,
            assisted=assisted,
            proof_only=proof_only,
            threads=threads,
            progress=count,
        )
    if as_json:
        print_json({**report.to_json(), "seconds": round(report.seconds, 3)})
    else:
        _show(stdout(), rules, dictionary, name, symmetry, report)
    if not report.exhaustive:
        raise typer.Exit(CHECK_FAILED)


def _show(
    console: Console,
    game: Game,
    dictionary: Dictionary,
    name: str,
    symmetry: common.Symmetry,
    report: DictionaryReport,
) -> None:
    from rich.table import Table

    console.print(common.describe(game), style="bold")
    console.print(f"{counted(len(dictionary.lines), 'line')} of {name}", soft_wrap=True)
    wrong = report.counterexample
    if wrong is None:
        console.print("The dictionary is exhaustive: X wins every game.", style="green")
    else:
        console.print("The dictionary is not exhaustive.", style="red")
        _show_counterexample(console, wrong)
    same = "one by one" if symmetry is common.Symmetry.NONE else f"up to {symmetry.value} symmetry"
    console.print(
        f"\n{counted(report.positions.total, 'position')} with X to move, {same}. X's moves there:\n"
    )
    table = Table(box=None, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for rule, text in _RULES.items():
        count = getattr(report.positions, rule)
        if count:
            table.add_row(text, f"{count:,}")
    console.print(table)
    console.print(f"\nThe longest game that X wins has {counted(report.longest_game_plies, 'ply')}.")
    if report.longest_forced_threats:
        console.print(f"The longest forced win makes {counted(report.longest_forced_threats, 'threat')}.")
    _show_remarks(console, len(dictionary.lines), report)
    console.print(f"Rolled out in {report.seconds:.2f} s.")


def _show_counterexample(console: Console, wrong: Counterexample) -> None:
    last = wrong.moves[-1] if wrong.moves else None
    console.print()
    console.print(wrong.position.ascii(last, numbers=True), soft_wrap=True)
    console.print()
    console.print(str(wrong), style="red", soft_wrap=True)


def _show_remarks(console: Console, lines: int, report: DictionaryReport) -> None:
    """What is not wrong, but nobody would have meant."""
    unused = report.unused_lines
    if unused:
        console.print(
            f"{counted(len(unused), 'line')} of {lines:,} never used: {_ranges(unused)}", style="yellow"
        )
    if report.conflicts:
        pairs = [f"{first} and {later}" for later, first in dict.fromkeys(report.conflicts)]
        more = f", and {len(pairs) - _SHOWN:,} more pairs" if len(pairs) > _SHOWN else ""
        console.print(
            f"{counted(len(report.conflicts), 'position')} answered differently by two lines: "
            f"{', '.join(pairs[:_SHOWN])}{more}. Both may be right; the first in the file counts.",
            style="yellow",
        )


def _ranges(numbers: Sequence[int]) -> str:
    """As in "3, 5–9, 12"."""
    parts = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    return ", ".join(parts)
