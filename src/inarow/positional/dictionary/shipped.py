"""The dictionaries that come with inarow: found by its own searches, for assisted players.

>>> from inarow.positional.rules import Game
>>> len(builtin_dictionary(Game.named("qubic")).lines) > 0
True
>>> builtin_dictionary(Game.named("mnk:3x3x3"))
Traceback (most recent call last):
    ...
inarow.positional.dictionary.shipped.NoDictionary: no dictionary for mnk:3x3x3, maker-maker, comes with inarow: name a file
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable

from inarow.errors import InarowError
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game

__all__ = ["NoDictionary", "builtin_dictionary"]


class NoDictionary(InarowError):
    """A game that no dictionary comes with inarow for."""


def builtin_dictionary(game: Game) -> Dictionary:
    """The dictionary that comes with inarow for a game.

    :raises NoDictionary: if there is none.
    """
    known = game.name.partition(":")[0] in _KINDS
    known = known and replace(game, maker_breaker=True) == replace(Game.named(game.name), maker_breaker=True)
    resource = files("inarow") / "data" / "dictionaries" / f"{game.name.replace(':', '-')}.txt"
    # Who wins while O may win too, wins as well when O only blocks: such a file is for both rules.
    if not known or not resource.is_file() or not (game.maker_breaker or _is_maker_maker(resource)):
        rule = "maker-breaker" if game.maker_breaker else "maker-maker"
        raise NoDictionary(f"no dictionary for {game.name}, {rule}, comes with inarow: name a file")
    with as_file(resource) as path:
        return Dictionary.read(path, game.cells)


def _is_maker_maker(resource: Traversable) -> bool:
    """A dictionary says so in its first line if it is for the other rule."""
    return "maker-breaker" not in resource.read_text().partition("\n")[0]


_KINDS = ("qubic", "mnk", "polyomino")
