"""Dictionaries of the positions that games reach: all moves written out, or those never used left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress
from typing import TypedDict, Unpack

from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.verify.positional.dictionary import NotExhaustive, Rule, counterexample_of, roll_out

_STRATEGIC: tuple[Rule, ...] = ("dictionary", "forced")
_OBVIOUS: tuple[Rule, ...] = ("win", "block")


class RollOut(TypedDict, total=False):
    """Options of `inarow.verify.positional.dictionary.verify_dictionary`, which explains them."""

    symmetry: SymmetryKind
    threads: int | None
    memory: int | None
    progress: Callable[[int, int], None] | None


def complete(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    obvious: bool = True,
    **options: Unpack[RollOut],
) -> Entries:
    """The entries with which a plain player plays as an assisted one does with the dictionary.

    One entry for each position up to symmetry, in its canonical form, those with fewer plies first. Without
    the `obvious` ones, positions in which X completes a line or blocks O's are left out.

    :raises NotExhaustive: if the assisted player does not win every game.

    >>> len(complete(Game.named("mnk:4x4x3"), Dictionary.parse(".....X..........")))
    58
    """
    keep = _STRATEGIC + (_OBVIOUS if obvious else ())
    result = roll_out(game, dictionary, assisted=True, keep=keep, **options)
    counterexample = counterexample_of(game, result)
    if counterexample is not None:
        raise NotExhaustive(counterexample)
    return Entries(game.cells, result.kept_positions, result.kept_moves)


def prune(
    game: Game, dictionary: Dictionary | Iterable[Entry], *, assisted: bool, **options: Unpack[RollOut]
) -> list[Entry] | Entries:
    """The entries that X plays by in some game, in the order of the dictionary.

    X plays the same games without the others, so that the rest is exhaustive if the dictionary is.

    >>> len(prune(Game.named("mnk:4x4x3"), Dictionary.parse(".....X.........."), assisted=True))
    1
    """
    entries = dictionary.entries() if isinstance(dictionary, Dictionary) else dictionary
    if not isinstance(entries, Entries):
        entries = list(entries)
    used = roll_out(game, entries, assisted=assisted, **options).used.astype(bool)
    return entries[used] if isinstance(entries, Entries) else list(compress(entries, used.tolist()))
