"""The dictionaries that come with inarow: found by its own searches, for assisted players.

>>> from inarow.games.positional import Game
>>> len(builtin_dictionary(Game.named("qubic")).lines) > 0
True
>>> builtin_dictionary(Game.named("mnk:3x3x3"))
Traceback (most recent call last):
    ...
inarow.strategy.builtin.NoDictionary: no dictionary for mnk:3x3x3, maker-maker, comes with inarow: name a file
"""

from __future__ import annotations

from importlib.resources import as_file, files

from inarow.errors import InarowError
from inarow.games.positional import Game
from inarow.strategy.dictionary import Dictionary

__all__ = ["NoDictionary", "builtin_dictionary"]


class NoDictionary(InarowError):
    """A game that no dictionary comes with inarow for."""


def builtin_dictionary(game: Game) -> Dictionary:
    """The dictionary that comes with inarow for a game.

    :raises NoDictionary: if there is none.
    """
    # A name stands for the usual one of the two rules; so do the files.
    usual = game == Game.named(game.name) if game.name.partition(":")[0] in _KINDS else False
    resource = files("inarow") / "data" / "dictionaries" / f"{game.name.replace(':', '-')}.txt"
    if not usual or not resource.is_file():
        rule = "maker-breaker" if game.maker_breaker else "maker-maker"
        raise NoDictionary(f"no dictionary for {game.name}, {rule}, comes with inarow: name a file")
    with as_file(resource) as path:
        return Dictionary.read(path, game.cells)


_KINDS = ("qubic", "mnk", "polyomino")
