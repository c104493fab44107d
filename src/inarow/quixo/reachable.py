"""Which positions of Quixo are reachable from the empty board."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inarow._native import quixo as _native
from inarow.errors import InarowError
from inarow.quixo.arrays import as_words
from inarow.quixo.rules import Quixo

_MOST_CELLS = 16


def reachable_many(rules: Quixo, words: ArrayLike) -> NDArray[np.bool_]:
    """Whether each position, a word as `Position.mover_word` gives it, is reachable from the empty board.

    The first call for some rules walks through all positions: ten seconds for 4×4.

    >>> rules = Quixo(3)
    >>> reachable_many(rules, [rules.start().mover_word, rules.parse(".../.x./... x").mover_word])
    array([ True, False])
    """
    array = as_words(words)
    return _walk(rules).reached(array.ravel()).reshape(array.shape)


@lru_cache(maxsize=1)
def _walk(rules: Quixo) -> _native.Reachable:
    if rules.cells > _MOST_CELLS:
        raise InarowError(f"reachable positions are known on boards of up to {_MOST_CELLS} cells")
    return _native.Reachable(rules.native)
