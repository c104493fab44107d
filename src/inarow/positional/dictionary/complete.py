"""Write out the moves of an assisted player, so that looking up is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, SymmetryKind
from inarow.verify.positional.dictionary import NotExhaustive, Rule, counterexample_of, roll_out

__all__ = ["complete"]

_OBVIOUS: tuple[Rule, ...] = ("win", "block")


def complete(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    symmetry: SymmetryKind = "full",
    obvious: bool = True,
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Entries:
    """The entries with which a plain player plays as an assisted one does with the dictionary.

    One entry for each position up to symmetry, in its canonical form, those with fewer plies first. Without
    the `obvious` ones, positions in which X completes a line or blocks O's are left out. For the other
    keyword arguments, see `inarow.verify.positional.dictionary.verify_dictionary`.

    :raises NotExhaustive: if the assisted player does not win every game.

    >>> from inarow.positional.rules import Game
    >>> from inarow.positional.dictionary.text import Dictionary
    >>> len(complete(Game.named("mnk:4x4x3"), Dictionary.parse(".....X..........")))
    58
    """
    result = roll_out(
        game,
        dictionary,
        symmetry=symmetry,
        assisted=True,
        keep=("dictionary", "forced", *(_OBVIOUS if obvious else ())),
        threads=threads,
        memory=memory,
        progress=progress,
    )
    counterexample = counterexample_of(game, result)
    if counterexample is not None:
        raise NotExhaustive(counterexample)
    return Entries(game.cells, result.kept_positions, result.kept_moves)
