"""The dictionaries that are shipped with inarow, all found by its own searches.

The one for Qubic is for an assisted player, the others are for a player that only looks up.
"""

from __future__ import annotations

from importlib.resources import files

from inarow.errors import InarowError
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game

_KINDS = ("qubic", "mnk", "polyomino")


class NoDictionary(InarowError):
    """No dictionary for a game is shipped with inarow."""


def shipped_dictionary(game: Game) -> Dictionary:
    """The dictionary for a game that is shipped with inarow.

    :raises NoDictionary: if there is none.

    >>> len(shipped_dictionary(Game.named("qubic")).lines)
    301
    """
    resource = files("inarow") / "data" / "dictionaries" / f"{game.name.replace(':', '-')}.txt"
    known = game.name.partition(":")[0] in _KINDS and game == Game.named(game.name, game.maker_breaker)
    if known and resource.is_file():
        text = resource.read_text(encoding="utf-8")
        # Plain strategies that win the maker-maker game also win the maker-breaker game. But there an
        # assisted player blocks nothing, and so gets into other positions.
        if ("assisted" if game.maker_breaker else "maker-breaker") not in text.partition("\n")[0]:
            return Dictionary.parse(text, game.cells)
    raise NoDictionary(f"no dictionary is shipped for {game.name}, {game.rule}: name a file")
