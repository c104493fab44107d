"""The checker of Quixo tables; native/bindings/verify_quixo.cpp is its source.

Values are given as entries of two bytes, whatever the width of the file.
"""

from enum import Enum
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

DRAW: int
NOT_AN_ENTRY: int
NO_VALUE: int

Entries: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
Wrong: TypeAlias = tuple[int, int, int, int, int, int, int]  # plane, block, rank, A, B, stored, expected

class Game:
    """The rules on their board, and where positions are stored.

    A position is a word: the marks of the side to move in the upper half, the other's in the lower.
    """

    def __init__(self, rows: int, columns: int, line: int, double_line_wins: bool) -> None: ...
    @property
    def lines(self) -> list[int]: ...
    @property
    def move_count(self) -> int: ...
    def entry_count(self, a: int, b: int) -> int:
        """The number of entries of the pair {a, b}, in both planes if it has two."""

    def orbits(self, a: int) -> NDArray[np.uint8]:
        """For each block of a pair with this a, how many masks are its A or an image of it."""

    def masks(self, a: int) -> NDArray[np.uint32]:
        """The A of each block."""

    def forms(self) -> NDArray[np.uint32]:
        """Of every mask its block << 3 | a symmetry that leads there."""

    def for_gpu(self) -> NDArray[np.uint8]:
        """The struct `Game` of the GPU's checker."""

    def positions(self, a: int, b: int, plane: bool, indices: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The positions stored at these entries of a plane."""

    def places(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Where positions are stored: a << 6 | b << 1 | plane, and the entry in that plane."""

    def ends(self, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """The value of each position where the game is over; otherwise NO_VALUE."""

    def forced(self, words: NDArray[np.uint64], plies: int) -> NDArray[np.uint32]:
        """The value of each position that is decided within so many plies, found by trying all moves."""

    def successors(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The positions after each, concatenated, and where those of each end."""

class Codes(Enum):
    """What the codes of a plane stand for; those of two bytes always stand for themselves."""

    PLAIN = 0  # as in files of the plain form
    OUTCOMES = 1  # of the compact form without plies
    PLIES = 2  # with plies: a value gets a code when it is first met

class NoCodeLeft(Exception):
    """A plane has more than 256 different values: it needs codes of two bytes."""

class Plane:
    """The entries of a plane in an array, as codes."""

    @overload
    def __init__(self, array: Entries, codes: Codes) -> None: ...
    @overload
    def __init__(self, array: Entries, like: Plane) -> None:
        """An array with the same codes."""

    def values(self) -> NDArray[np.uint16]:
        """What each code of one byte stands for."""

    def decode(
        self,
        outcomes: NDArray[np.uint8],
        plies: NDArray[np.uint8],
        width: int,
        first: int,
        entries: int,
        threads: int,
    ) -> None:
        """Fill in some entries, given their outcomes and the plies of losses, of `width` bytes each."""

class Pair:
    """The planes of a pair, and those that a new mark leads to.

    For a = b the second plane, with B to move, is not in the files: `mirror` fills it. Of those above, the
    first is plane 1 of {a + 1, b}, the second, unless a = b, plane 0 of {a, b + 1}. All codes have the same
    width. What is done to a plane is done to blocks `first` up to but not including `last`.
    """

    def __init__(
        self, game: Game, a: int, b: int, planes: list[Plane], above: list[Plane | None], has_plies: bool
    ) -> None: ...
    def check(
        self, plane: int, first: int, last: int, wins_filled: bool, threads: int
    ) -> tuple[int, Wrong | None]:
        """How many entries were checked, and the first wrong one."""

    def counts(self, plane: int) -> NDArray[np.uint64]:
        """How many positions in the blocks that were checked have each value, symmetric ones one by one."""

    def fill_wins(self, plane: int, first: int, last: int, threads: int) -> None:
        """Give wins the plies that follow from the losses after them, or NOT_AN_ENTRY."""

    def derive(self, plane: int, first: int, last: int, threads: int) -> int:
        """Mark outcomes that follow from the planes above and from marked ones; count new marks."""

    def find_underived(self) -> Wrong | None:
        """The first win or loss without a mark."""

    def mirror(self, first: int, last: int, threads: int) -> None:
        """Fill blocks of the plane that a = b does not have."""

def frames(
    content: NDArray[np.uint8],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    checksums: NDArray[np.uint32],
    sizes: NDArray[np.uint64],
) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint64], int | None, int | None]:
    """The pieces that zstd has to unpack: their bytes, where each begins and how long it is, and its size.

    Then the first piece with a wrong checksum, and the first that is empty and should not be, or the other
    way round.
    """

def lay_out(
    content: NDArray[np.uint8],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    checksums: NDArray[np.uint32],
    sizes: NDArray[np.uint64],
    unpacked: NDArray[np.uint8],
    target: NDArray[np.uint8],
) -> None:
    """All pieces one after another, given those that zstd has unpacked."""

def losses_before(
    outcomes: NDArray[np.uint8], begins: NDArray[np.uint64], places: NDArray[np.uint64], threads: int
) -> NDArray[np.uint32]:
    """How many of the outcomes from byte begins[i] up to the one at places[i] are losses."""

def count_losses(outcomes: NDArray[np.uint8], entries: int, threads: int) -> NDArray[np.uint32]:
    """How many outcomes of each piece are losses."""

class GpuOnCpu:
    """What the kernels of the GPU's checker do, on a CPU. `game` and `pair` are structs as bytes."""

    @staticmethod
    def decode(
        outcomes: NDArray[np.uint8],
        plies: NDArray[np.uint8],
        offsets: NDArray[np.uint64],
        width: int,
        entries: NDArray[np.uint16],
    ) -> None: ...
    @staticmethod
    def derive_wins(game: NDArray[np.uint8], pair: NDArray[np.uint8], plane: int) -> None: ...
    @staticmethod
    def find_wrong(
        game: NDArray[np.uint8], pair: NDArray[np.uint8], plane: int, wins_derived: bool
    ) -> int: ...
    @staticmethod
    def explain(game: NDArray[np.uint8], pair: NDArray[np.uint8], plane: int, index: int) -> int: ...
    @staticmethod
    def count_values(
        pair: NDArray[np.uint8], plane: int, orbits: NDArray[np.uint8]
    ) -> NDArray[np.uint64]: ...
