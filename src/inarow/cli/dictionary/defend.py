"""`inarow dictionary defend` and `check`: answers with which the second player never loses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli import exit_codes, options
from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.dictionary import common
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.errors import DamagedFile
from inarow.positional.dictionary.defend import find_defence
from inarow.positional.dictionary.text import read_text
from inarow.positional.search import MEMORY
from inarow.verify.positional.defence import verify_defence
from inarow.verify.positional.text import UnreadableDictionary
from inarow.words import counted


def defend(
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    memory: common.SearchMemoryOption = MEMORY,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Find a defence of the second player and write it down.

    With it, X never completes a line. It is verified before it is written: `check` does
    that again. Under --maker-breaker, O makes no lines of its own; such a defence also
    holds under --maker-maker. Exit code 1: X wins.
    """
    rules = common.game_of(game, maker_breaker)
    with activity("looking for a defence") as report:

        def progress(nodes: int, kept: int) -> None:
            report(f"{counted(nodes, 'node')}, {counted(kept, 'position')} kept")

        found = find_defence(rules, out=out, memory=memory, progress=progress)
    if as_json:
        print_json(found.to_json())
    elif found.defends:
        sys.stdout.write("" if out else found.text())
        tell(found.describe())
    else:
        console = stdout()
        console.print(str(rules), style="bold")
        console.print(found.describe())
    if not found.defends:
        raise typer.Exit(CHECK_FAILED)


_DEFENCE = "A defence, as `defend` writes it."


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", parser=options.parse_path, help=_DEFENCE)],
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Play every move of X against a defence.

    Exit code 1: O does not hold a game, which is shown. The checker shares no code with
    what finds and writes defences.
    """
    rules = common.game_of(game, maker_breaker)
    text = read_text(file)
    try:
        with activity("checking") as report:
            found = verify_defence(rules, text, progress=lambda done: report(counted(done, "position")))
    except UnreadableDictionary as error:
        raise DamagedFile(f"{file}, {error}") from None
    if as_json:
        print_json(found.to_json())
    console = stdout(quiet=as_json)
    console.print(str(rules), style="bold")
    style = "green" if found.verdict == "proven" else "red"
    console.print(f"{found.verdict}: {found.reason}", style=style, soft_wrap=True)
    console.print(
        f"Positions with O to move, up to symmetry: {found.answered:,} answered, {found.paired:,} "
        f"closed by pairs, {found.forced:,} forced."
    )
    if found.unused_lines:
        console.print(f"{counted(len(found.unused_lines), 'line')} never used.", style="yellow")
    console.print(f"Checked in {found.seconds:.2f} s.")
    raise typer.Exit(exit_codes.of_verdicts([found.verdict]))
