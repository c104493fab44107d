"""The commands of inarow 0.1, and what they are called now."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_NAMED_A_GAME = ("solve", "probe", "line", "play", "results")
_QUIXO_ONLY = ("verify", "check", "info")
_WITH_A_PATH = ("--out", "-o", "--table")  # what follows these is no game, whatever it is called


def new_form(args: Sequence[str]) -> str | None:
    """The command line that does today what `args` did in 0.1; None if they are no command of 0.1.

    >>> new_form(["solve", "quixo", "--size", "4"])
    'inarow quixo solve --size 4'
    >>> new_form(["play", "--as", "o", "ultimate"])
    'inarow ultimate play --as o'
    """
    command, *rest = args
    game = "quixo"
    if command in _NAMED_A_GAME:
        games = ("quixo", "ultimate") if command == "play" else ("quixo",)
        for number, word in enumerate(rest):
            if word in games and args[number] not in _WITH_A_PATH:
                game = rest.pop(number)
                break
    elif command not in _QUIXO_ONLY:
        return None
    return shlex.join(["inarow", game, command, *rest])
