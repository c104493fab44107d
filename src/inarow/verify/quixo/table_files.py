"""The folder of a Quixo table as the checker reads it, in either form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inarow.errors import MissingTable
from inarow.verify.quixo.manifest import ListedPair, Manifest
from inarow.verify.quixo.pair_files import PairFiles, open_pair
from inarow.verify.quixo.rules import Pair


class TableFiles:
    """A folder whose manifest and headers have been read, and agree with each other.

    :raises MissingTable: if there is no table, or a file of it is missing.
    :raises DamagedFile: if a file is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.load(folder)
        self.rules = self.manifest.rules
        if not self.manifest.pairs:
            raise MissingTable(f"the table in {folder} has no entries yet")
        self._files = {pair: open_pair(folder, self.rules, self.listed(*pair)) for pair in self.pairs}

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that are there, those with more marks first."""
        return list(self.manifest.pairs)

    @property
    def has_plies(self) -> bool:
        return self.manifest.has_plies

    @property
    def leaves_win_plies_out(self) -> bool:
        """Whether the files have the plies of losses, but not those of wins."""
        return self.manifest.compact and self.has_plies

    def listed(self, a: int, b: int) -> ListedPair:
        """What the manifest says of a pair."""
        return self.manifest.pairs[a, b]

    def entry_count(self, a: int, b: int) -> int:
        return self.rules.game.entry_count(a, b)

    def files(self, a: int, b: int) -> PairFiles:
        return self._files[a, b]

    def values(self, words: NDArray[np.uint64], threads: int = 1) -> NDArray[np.uint32]:
        """The entries of positions as entries of two bytes. In the compact form, wins have 0 plies."""
        planes, indices = self.rules.game.places(words)
        found = np.empty(words.size, np.uint32)
        for number in np.unique(planes):
            here = np.flatnonzero(planes == number)
            plane = int(number)
            found[here] = self._files[plane >> 6, plane >> 1 & 31].values(plane & 1, indices[here], threads)
        return found

    def content_digest(self, a: int, b: int) -> str:
        """SHA-256 of all bytes of the pair's files."""
        return self._files[a, b].content_digest()
