"""`inarow dictionary make`: find a win from nothing but the rules, and write it down."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.console import require_folder
from inarow.cli.dictionary import common
from inarow.cli.dictionary.make_qubic import make_qubic
from inarow.errors import InarowError

_GIGABYTE = 1_000_000_000


def make(
    game: common.GameOption,
    memory: Annotated[
        float, typer.Option("--memory", metavar="GB", min=0.01, help="For positions kept while searching.")
    ] = 4.0,
    effort: Annotated[
        int | None,
        typer.Option("--effort", metavar="N", min=0, help="Rounds of making the dictionary smaller."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of the random choices.")] = 1,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Find a win of the first player and write it in few lines.

    It is verified before it is written. With --out, a search that is interrupted goes on when it is called
    again.
    """
    if out is not None:
        require_folder(out.parent)
    rules = common.game_of(game, None)
    if rules.name != "qubic":
        raise InarowError(f"game {rules.name!r}: there is no search for it")
    make_qubic(int(memory * _GIGABYTE), effort, seed, out, as_json)
