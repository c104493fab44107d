"""`inarow quixo puzzle`: solve a puzzle in the terminal."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from inarow.cli.console import ask, print_json, stdout
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.words import STYLES, board
from inarow.errors import InarowError
from inarow.quixo.puzzles import Puzzle, read_puzzles, result_line, shipped_puzzles


def puzzle(
    size: options.SizeOption = options.DEFAULT_SIZE,
    daily: Annotated[bool, typer.Option("--daily", help="Today's puzzle, by the date in UTC.")] = False,
    number: Annotated[
        int | None, typer.Option("--id", metavar="N", help="The puzzle of this number; without it, any.")
    ] = None,
    file: Annotated[
        Path | None,
        path_option("--file", help="A file of puzzles, in place of those that come with inarow."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a puzzle: today's, or one by its number.

    You are X. There is one right move; try until you find it, or type 'show'. At the end there is a line
    to copy, which gives nothing away. With --json the puzzle is printed, with its answer.
    """
    if daily and number is not None:
        raise InarowError("--daily and --id: only one of them can choose the puzzle")
    rules = options.rules_of(*options.parse_size(size), None, None)
    found = shipped_puzzles(rules) if file is None else read_puzzles(file)
    day = datetime.now(UTC).date() if daily else None
    if day is not None:
        chosen = found.daily(day)
    else:
        try:
            chosen = found.numbered(number or SystemRandom().randint(1, len(found)))
        except ValueError as error:
            raise InarowError(str(error)) from None
    if as_json:
        print_json(chosen.to_json())
    else:
        _solve(chosen, day)


def _solve(puzzle: Puzzle, day: date | None) -> None:
    console = stdout()
    rules = puzzle.position.rules
    console.print(f"Puzzle {puzzle.number}, grade {puzzle.grade} of 5", style="bold")
    console.print()
    console.print(board(puzzle.position))
    console.print()
    console.print(puzzle.task)
    wrong = 0
    while True:
        words = ask("X> ", console)
        if words is None:
            return
        if words == "show":
            console.print(f"{rules.move_text(puzzle.move)}: {puzzle.outcome}")
            return
        try:
            move = rules.parse_move(words)
            puzzle.position.play(move)
        except ValueError as error:
            console.print(f"{error}", style="red")
            continue
        outcome = puzzle.outcomes[move]
        console.print(f"{words}: {outcome}", style=STYLES[outcome.value])
        if move == puzzle.move:
            console.print("Right!", style="bold")
            console.print(result_line(puzzle, wrong, day))
            return
        wrong += 1
