"""The dictionaries that are shipped with inarow, all found by its own searches.

The one for Qubic is for an assisted player, the others are for a player that only looks up.

>>> from inarow.positional.rules import Game
>>> len(shipped_dictionary(Game.named("qubic")).lines)
301
>>> shipped_dictionary(Game.named("mnk:3x3x3"))  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
inarow.positional.dictionary.shipped.NoDictionary: no dictionary is shipped for mnk:3x3x3, ...
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable

from inarow.errors import InarowError
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game

__all__ = ["NoDictionary", "shipped_dictionary"]

_KINDS = ("qubic", "mnk", "polyomino")


class NoDictionary(InarowError):
    """No dictionary for a game is shipped with inarow."""


def shipped_dictionary(game: Game) -> Dictionary:
    """The dictionary for a game that is shipped with inarow.

    :raises NoDictionary: if there is none.

    >>> from inarow.positional.rules import Game
    >>> shipped_dictionary(Game.named("qubic")).cells
    64
    """
    known = game.name.partition(":")[0] in _KINDS
    known = known and replace(game, maker_breaker=True) == replace(Game.named(game.name), maker_breaker=True)
    resource = files("inarow") / "data" / "dictionaries" / f"{game.name.replace(':', '-')}.txt"
    if not known or not resource.is_file() or not _is_for(resource, game.maker_breaker):
        raise NoDictionary(f"no dictionary is shipped for {game.name}, {game.rule}: name a file")
    with as_file(resource) as path:
        return Dictionary.read(path, game.cells)


def _is_for(resource: Traversable, maker_breaker: bool) -> bool:
    """Whether a dictionary is for this rule, by its first line."""
    title = resource.read_text(encoding="utf-8").partition("\n")[0]
    if maker_breaker:
        # Plain strategies that win the maker-maker game also win the maker-breaker game. But there an
        # assisted player blocks nothing, and so gets into other positions.
        return "assisted" not in title
    return "maker-breaker" not in title
