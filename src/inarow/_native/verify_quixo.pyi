"""The checker of Quixo tables; native/bindings/verify_quixo.cpp is its source.

Values are given as entries of two bytes: p is a loss in p plies, 65535 - p a win in p.
"""

from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_CELLS: int
WON: int
LOST: int
DRAW: int
NOT_AN_ENTRY: int
NO_VALUE: int

Wrong: TypeAlias = tuple[int, int, int, int]  # plane, entry of the plane, stored, expected

class Game:
    """The rules on their board, and where positions are stored.

    A position is a word: the marks of the side to move in the upper half, the other's in the lower. It is
    worth `mine` to the side to move if that alone has a line, `theirs` if the other has, or `both`.
    """

    def __init__(
        self, rows: int, columns: int, lines: list[int], mine: int, theirs: int, both: int
    ) -> None: ...
    @property
    def lines(self) -> list[int]: ...
    @property
    def moves(self) -> list[tuple[int, int]]:
        """The cell whose tile is taken and the one where it is pushed in, of every move."""

    def of_plane(self, a: int, b: int) -> int:
        """The number of entries of a plane of the pair {a, b}."""

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

    def smallest(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The smallest image of each position, turned and mirrored."""

    def forced(self, words: NDArray[np.uint64], plies: int) -> NDArray[np.uint32]:
        """The value of each position that is decided within so many plies, found by trying all moves."""

    def successors(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The positions after each, in the order of the moves, concatenated, and where those of each end."""

class NoCodeLeft(Exception):
    """A plane has more than 256 different values: it needs codes of two bytes."""

class Plane:
    """The entries of a plane in an array, as codes of one byte or two; those of two stand for themselves."""

    def __init__(self, array: NDArray[np.uint8] | NDArray[np.uint16], like: Plane | None = None) -> None:
        """With the same codes as another plane, or with new ones."""

    def values(self) -> NDArray[np.uint16]:
        """What each code of one byte stands for."""

    def decode(
        self, outcomes: NDArray[np.uint8], plies: NDArray[np.uint8], width: int, first: int, entries: int
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
    def fill_wins(self, plane: int, first: int, last: int, threads: int) -> None:
        """Give wins the plies that follow from the losses after them, or NOT_AN_ENTRY."""

    def check(self, plane: int, first: int, last: int, threads: int) -> tuple[int, Wrong | None]:
        """How many entries were checked, and the first wrong one."""

    def derive(self, plane: int, first: int, last: int, threads: int) -> int:
        """Mark outcomes that follow from the planes above and from marked ones; count new marks."""

    def mirror(self, first: int, last: int, threads: int) -> None:
        """Fill blocks of the plane that a = b does not have."""

    def find_underived(self) -> Wrong | None:
        """The first win or loss without a mark."""

    def counts(self, plane: int, threads: int) -> NDArray[np.uint64]:
        """How many positions have each value, symmetric ones one by one."""

def losses_before(
    outcomes: NDArray[np.uint8], begins: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many of the outcomes from byte begins[i] up to the one at places[i] are losses."""

gpu_on_cpu: ModuleType
"""The kernels of the GPU's checker, run by a CPU; each takes what it takes on a GPU."""
