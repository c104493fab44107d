"""`inarow dictionary verify`: check that the dictionary wins every game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console

from inarow.cli import exit_codes, options
from inarow.cli.console import print_json, stdout
from inarow.cli.dictionary import common
from inarow.errors import InarowError
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.verify.positional.dictionary import DictionaryReport, verify_dictionary
from inarow.words import counted

_PROOF = "Do not roll out forced wins to their end; needs --assisted."
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
    symmetry: common.SymmetryOption = "full",
    assisted: common.AssistedOption = False,
    proof_only: Annotated[bool, typer.Option("--proof-only", help=_PROOF)] = False,
    threads: options.ThreadsOption = None,
    memory: options.MemoryOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Roll out every game and check that X wins it.

    Exit code 1: X does not win a game, which is shown. The checker shares no code with
    what finds, writes and plays dictionaries.
    """
    if proof_only and not assisted:
        raise InarowError("--proof-only concerns forced wins, which only an --assisted player finds")
    rules = common.game_of(game, maker_breaker, symmetry)
    # The checker reads the text for itself; reading it here says what is wrong with a file.
    text, dictionary, name = common.opened(file, rules)
    limits = {"symmetry": symmetry, "threads": threads, "memory": memory}
    report = common.rolled_out(
        verify_dictionary, rules, text, assisted=assisted, proof_only=proof_only, **limits
    )
    if as_json:
        print_json(report.to_json())
    else:
        _show(rules, len(dictionary.lines), name, symmetry, report)
    raise typer.Exit(exit_codes.of_verdicts([report.verdict]))


def _show(game: Game, lines: int, name: str, symmetry: SymmetryKind, report: DictionaryReport) -> None:
    console = stdout()
    console.print(str(game), style="bold")
    console.print(f"{counted(lines, 'line')} of {name}", soft_wrap=True)
    wrong = report.counterexample
    if wrong is None:
        console.print(f"The dictionary is exhaustive: {report.reason}.", style="green", soft_wrap=True)
    else:
        last = wrong.moves[-1] if wrong.moves else None
        console.print("The dictionary is not exhaustive.\n", style="red")
        console.print(game.parse(wrong.position).ascii(last, numbers=True), soft_wrap=True)
        console.print(f"\n{wrong}", style="red", soft_wrap=True)
    same = "without symmetry" if symmetry == "none" else f"up to {symmetry} symmetry"
    console.print(
        f"\n{counted(report.positions.total, 'position')} with X to move, {same}. X's moves there:\n"
    )
    counts = {text: f"{getattr(report.positions, rule):,}" for rule, text in _RULES.items()}
    counts = {text: count for text, count in counts.items() if count != "0"}
    width, digits = max(map(len, counts)), max(map(len, counts.values()))
    console.print("\n".join(f"{text:<{width}}  {count:>{digits}}" for text, count in counts.items()))
    longest = "With forced wins played as found, the" if report.proof_only else "The"
    plies = counted(report.longest_game_plies, "ply")
    console.print(f"\n{longest} longest game that X wins has {plies}.")
    if report.longest_forced_threats:
        console.print(f"The longest forced win makes {counted(report.longest_forced_threats, 'threat')}.")
    _show_remarks(console, lines, report)
    console.print(f"Rolled out in {report.seconds:.2f} s.")


def _show_remarks(console: Console, lines: int, report: DictionaryReport) -> None:
    """Print what is not wrong, but hardly intended."""
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
    """For example "3, 5–9, 12"."""
    parts = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    return ", ".join(parts)
