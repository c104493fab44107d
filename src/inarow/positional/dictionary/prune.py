"""Drop the positions that no game reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, SymmetryKind
from inarow.verify.positional.dictionary import roll_out

__all__ = ["prune"]


def prune(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    symmetry: SymmetryKind = "full",
    assisted: bool,
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sequence[Entry]:
    """The entries that X plays by in some game, in the order of the dictionary.

    X plays the same games without the others, so that the rest is exhaustive if the dictionary is. For the
    keyword arguments, see `inarow.verify.positional.dictionary.verify_dictionary`.

    >>> from inarow.positional.rules import Game
    >>> from inarow.positional.dictionary.text import Dictionary
    >>> dictionary = Dictionary.parse(".....X..........")
    >>> len(prune(Game.named("mnk:4x4x3"), dictionary, assisted=True))
    1
    """
    entries = dictionary.entries() if isinstance(dictionary, Dictionary) else dictionary
    if not isinstance(entries, Entries):
        entries = list(entries)
    used = roll_out(
        game,
        entries,
        symmetry=symmetry,
        assisted=assisted,
        threads=threads,
        memory=memory,
        progress=progress,
    ).used.astype(bool)
    return entries[used] if isinstance(entries, Entries) else list(compress(entries, used.tolist()))
