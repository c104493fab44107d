"""The C++ core of Quixo; native/bindings/quixo.cpp is its source."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Entries = NDArray[np.uint8] | NDArray[np.uint16]

def read_at(file: int, begin: int, size: int) -> bytes:
    """Bytes of an open file, or those of them that there are; threads may share it."""

MAX_CELLS: int  # of a board that can be solved
MAX_WIDE_CELLS: int  # of one that can be searched

class Rules:
    """The rules and the geometry of their board; `inarow.quixo.rules.Quixo.native` makes them."""

    def __init__(self, rows: int, columns: int, lines: Sequence[int], ends: tuple[int, int, int]) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def lines(self) -> list[int]:
        """The masks of all lines."""
    @property
    def ends(self) -> tuple[int, int, int]:
        """What a finished game is worth to the side that moved last, by whose lines there are."""
    @property
    def moves(self) -> list[tuple[int, int]]:
        """The cells taken and pushed of all moves."""
    @property
    def symmetries(self) -> list[list[int]]:
        """Where each symmetry takes each cell."""

# The packed outcomes and the plies of a plane. It must have plies unless something else is said.
_Plane: TypeAlias = tuple[NDArray[np.uint8], Entries | None]

class Stop:
    """Ends work on other threads than the one that gets Ctrl-C: it then raises `RuntimeError`."""

    def __init__(self) -> None: ...
    def ask(self) -> None: ...

class KeptPages:
    def __init__(self, most: int) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *raised: object) -> None: ...

def empty_bytes(count: int) -> NDArray[np.uint8]: ...

class Solver:
    def __init__(self, rules: Rules, threads: int, lanes: str = "auto", small: int = 600) -> None: ...
    @property
    def lanes(self) -> str: ...
    def memory(self, a: int, b: int, plies: bool) -> int: ...
    def solve(
        self, a: int, b: int, plies: bool, above: Callable[[int], _Plane], stop: Stop | None = None
    ) -> list[tuple[NDArray[np.uint8], Entries | None, NDArray[np.uint64]]]:
        """The outcomes of each plane, its plies, and how many positions have each entry.

        Without plies, how many are lost, drawn and won. Raises `OverflowError` if there are more plies than
        can be held. Threads may call it at the same time, and then share the threads of the solver.
        """

class PieceIndex:
    """Where the pieces of a file are, and their checksums."""

    def __init__(self, listed: bytes, begin: int) -> None: ...
    @staticmethod
    def begin_of(size: int, pieces: int) -> int | None:
        """Where the index begins; None if the file has no room for so many pieces."""

    def run(self, first: int, count: int) -> tuple[int, NDArray[np.uint32]]:
        """Where pieces begin, and their lengths."""

    def first_wrong(self, first: int, count: int, data: bytes) -> int | None:
        """The first of these pieces that does not match its checksum."""

class WholeTable:
    """A table in memory. Threads may share it once all pairs are added."""

    def __init__(self, rules: Rules, has_plies: bool) -> None: ...
    def add(self, a: int, b: int, planes: Sequence[_Plane]) -> None:
        """The planes of a pair, with plies if the table has them."""

class Source:
    """What positions are looked up in."""

    def probe_many(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values, 2 for a position that is not stored and 3 for a word that is none, and plies or -1."""

class Table(Source):
    """A table whose files `supply` has. Threads may share it."""

    def __init__(
        self, rules: Rules, has_plies: bool, complete: bool, far: bool, worth_unpacking: int, supply: object
    ) -> None: ...
    def add_pair(self, a: int, b: int, entries: int, values: int, plies: int, width: int) -> None: ...
    def add_plies_of(self, other: Table) -> None: ...
    def probe(self, word: int) -> _Probe | None:
        """As `Prober.probe`, of a position whose moves are all stored."""

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]: ...
    @property
    def is_in_memory(self) -> bool: ...

class Book(Source):
    """A book whose chunks `fetch(a, b, number)` unpacks. Threads may share it."""

    def __init__(
        self, rules: Rules, outcome_marks: int, plies_marks: int, fetch: Callable[[int, int, int], bytes]
    ) -> None: ...
    def add_pair(
        self, a: int, b: int, has_plies: bool, alphabet: Sequence[int], blocks: int, per_chunk: int
    ) -> list[int]:
        """The bytes of its chunks, unpacked; `ValueError` for what makes no sense."""

class Locator:
    def __init__(self, rules: Rules) -> None: ...
    def locate_many(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int16], NDArray[np.uint64]]:
        """a << 6 | b << 1 | plane of each, or -1 if it is no position, and its entry in that plane."""
    def word(self, a: int, b: int, plane: int, block: int, rank: int) -> int:
        """The position that is stored there."""

class Board:
    def __init__(self, rules: Rules) -> None: ...
    def successors(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The positions after each, concatenated, and the index at which those of each end."""
    def over(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def moves(
        self, words: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint64]]:
        """See `inarow.quixo.arrays.Moves`; `ValueError` if a word is no position."""
    def canonical(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
    def threats(
        self, word: int
    ) -> tuple[
        list[tuple[int, list[tuple[int, int]]]],
        list[tuple[int, list[tuple[int, int]]]],
        list[tuple[int, int]],
    ]:
        """Lines with the moves that complete them, of the side to move and of the other, and the blocks."""
    def tiles(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """See `inarow.quixo.arrays.tiles_many`."""

def parse_many(rules: Rules, texts: list[str]) -> NDArray[np.uint64]:
    """The positions of texts, up to the first that is not one of a board of this shape."""

def class_words(rules: Rules, x: int, o: int, first: int, count: int) -> NDArray[np.uint64]:
    """So many positions of a class, from a number on."""

def words_at(
    rules: Rules, classes: Sequence[tuple[int, int]], numbers: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """The positions with these numbers, if those of the classes are numbered one class after the other."""

class UniformNumbers:
    """The same numbers from a seed of 64 bits on every machine."""

    def __init__(self, seed: int) -> None: ...
    def below(self, bound: int, count: int) -> NDArray[np.uint64]: ...

@overload
def lost_plies_of(
    outcomes: NDArray[np.uint8], plies: NDArray[np.uint8], piece: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """The plies of the losses among some entries, and how many of them each piece of entries has."""

@overload
def lost_plies_of(
    outcomes: NDArray[np.uint8], plies: NDArray[np.uint16], piece: int
) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]: ...
def losses_in(packed: NDArray[np.uint8], entries: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The number of losses in each row of packed outcomes, which have so many entries."""

def piece_checksums(data: NDArray[np.uint8], sizes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The CRC-32 of each of some pieces, which lie one after the other."""

def uniform_pieces(data: NDArray[np.uint8], sizes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """1 for each piece whose bytes are all the same, or that has none; 0 for others."""

class WinPlies:
    def __init__(self, rules: Rules) -> None: ...
    def blocks(self, a: int) -> int: ...
    def fill_plane(
        self,
        a: int,
        b: int,
        plane: int,
        outcomes: NDArray[np.uint8],
        plies: Entries,
        other: _Plane,
        more: _Plane | None,
        first: int,
        last: int,
        threads: int,
    ) -> bool:
        """Give the wins of some blocks their plies, where losses have them; False if one cannot be a win."""

class Search:
    def __init__(self, rules: Rules, facts: Sequence[tuple[int, int, bool, int]]) -> None:
        """`facts` are what `inarow.quixo.search.class_facts` returns."""
    def find(
        self, movers: NDArray[np.uint64], others: NDArray[np.uint64], plies: int, seconds: float
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """The values and plies of positions, as far as they are decided within so many plies."""
    def stop(self) -> None:
        """End the search that is running, and all later ones; any thread may call it."""

class Reachable:
    def __init__(self, rules: Rules) -> None: ...
    def reached(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]: ...

class kernels:  # noqa: N801 - a module
    """Also the kernels of kernels/quixo.cu, for the CPU: they take addresses, and trust their caller."""

    GRAIN: int  # entries that are followed together
    SMALL_BLOCK: int  # entries of the largest block that a warp takes
    DUE_WORDS: int  # 32-bit words with the rounds in which seeds fall due
    FOLLOW_WINS: int  # how a side is followed in a round: its wins, to the entries before them
    CHECK_ALL: int  # and whether all its entries that may be lost are checked
    MAX_PLIES: int  # what an entry holds while its pair is being solved
    @staticmethod
    def game(rules: Rules) -> NDArray[np.uint8]:
        """The rules and the board as the kernels read them."""

_Known = tuple[int, int, int]  # value (2 if not known), plies (-1) and source: table, book, search, results
_Move = tuple[int, _Known, int, int]  # its number, what is known, losing replies (-1) and all replies (-1)
_Probe = tuple[_Known, int, tuple[_Known, _Known, int] | None, Callable[[], list[_Move]]]

LEVELS: list[int]
PIECE: int  # entries of a piece

class Prober:
    """Positions are two masks: of the side to move, and of the other."""

    def __init__(
        self,
        rules: Rules,
        sources: Sequence[Source],
        classes: Mapping[tuple[int, int], int],
        kept: Mapping[int, tuple[int, int]],
        facts: Sequence[tuple[int, int, bool, int]],
        plies: int,
        nodes: int,
        seconds: float,
    ) -> None: ...
    def probe(self, mover: int, other: int, stop: Stop | None = None) -> _Probe:
        """What is known, the plies searched, a contradiction (and its move, or -1), and moves, best first."""

    def count_replies(
        self, position: tuple[int, int], after: Sequence[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Losing replies and all to moves that keep a draw; -1 where that is not cheap to know."""

    def stored(self, positions: Sequence[tuple[int, int]]) -> list[_Known]: ...
    def outcomes(self, words: NDArray[np.uint64]) -> NDArray[np.int8]: ...
    def stop(self) -> None: ...

class Player:
    def __init__(self, prober: Prober, kind: int, level: int, mistakes: float, seed: int | None) -> None: ...
    def choose(
        self, mover: int, other: int, before: Sequence[tuple[int, int]], stop: Stop | None = None
    ) -> _Move: ...
