"""How inarow plays, as options of the commands that play Quixo."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from inarow.errors import InarowError
from inarow.quixo.player import LEVELS, Player
from inarow.quixo.prober import Prober


class Strength(StrEnum):
    BEST = "best"
    TRAP = "trap"
    WEAKER = "weaker"


LevelOption = Annotated[
    int | None,
    typer.Option(
        "--level",
        metavar="L",
        min=1,
        max=len(LEVELS),
        help=f"inarow sees few plies ahead: 1, the weakest, to {len(LEVELS)}.",
    ),
]


def player_of(prober: Prober, strength: Strength, level: int | None, seed: int | None) -> Player:
    """The player that the options ask for."""
    if level is None:
        return Player(prober, strength.value, seed)
    if strength is not Strength.BEST:
        raise InarowError(f"--level and {strength.value}: only one of them can choose how inarow plays")
    return Player(prober, "level", seed, level=level)
