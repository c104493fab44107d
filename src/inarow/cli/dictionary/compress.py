"""`inarow dictionary compress`: the same positions in the fewest lines."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.console import tell
from inarow.cli.dictionary import common
from inarow.positional.dictionary.compress import Answers
from inarow.positional.dictionary.text import Dictionary
from inarow.words import counted

_ANSWERS = "Keep one answer to each position, or all of them."


def compress(
    file: common.FileArgument,
    game: common.GameOption,
    symmetry: common.SymmetryOption = "full",
    answers: Annotated[Answers, typer.Option("--answers", help=_ANSWERS)] = "any",
    method: common.MethodOption = "optimal",
    time_limit: common.TimeLimitOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write the same positions in the fewest lines.

    Positions that are equal up to symmetry are written once. If they have several answers, whichever
    saves lines is kept, even one that no game used: run `verify` on the result.
    """
    rules = common.game_of(game, None, symmetry)
    dictionary = Dictionary.read(file, rules.cells, balanced=False)
    found = common.compress(dictionary.entries(), rules, symmetry, method, time_limit, out, as_json, answers)
    common.summarise_compression(len(dictionary.lines), found, as_json, choices=found.choices)
    if found.choices and not as_json:
        tell(
            f"{counted(found.choices, 'position')} with several answers, one of which is kept: "
            "run `inarow dictionary verify` on the result"
        )
