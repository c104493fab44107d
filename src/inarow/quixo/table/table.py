"""A tablebase opened to look positions up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inarow._native.quixo import Table as NativeTable
from inarow._native.quixo import UniformNumbers, class_words, words_at
from inarow.errors import MissingTable, WrongTable
from inarow.quixo.arrays import Positions, as_words, board_of, class_size
from inarow.quixo.probe import LaterMoves, MoveProbe, Probe, count_of, moves_of, wrong_table
from inarow.quixo.reachable import reachable_many
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.files import PairFiles, check_files, open_files
from inarow.quixo.table.location import Location, is_url, nearly_full_of, parse_location
from inarow.quixo.table.manifest import make_command
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.reader import TableSupply
from inarow.quixo.table.store import INVALID, MISSING, MemoryStore, outcomes_of
from inarow.values import NUMBERS, VALUES, Outcome, Value

_AT_ONCE = 1 << 20  # positions that are numbered, drawn or looked up together
_MOST = 1 << 28  # positions in one answer: 3.5 GB
_NO_PLIES = "the table holds outcomes only, without plies"

Default = TypeVar("Default")


def open_table(location: Location) -> Table:
    """Open the table in a folder or at a URL; use it in a ``with`` statement, or close it.

    From a URL only what is needed is fetched, checked, and kept in a cache on disk.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow.quixo.solver.solve import solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(2), folder)
    ...     with open_table(folder) as table:
    ...         print(table.probe(table.rules.start()))
    win in 3
    """
    return Table(location)


class Table(AbstractContextManager["Table"]):
    """Values and plies of positions, from a folder that `inarow.solve` wrote, or from a copy at a URL.

    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> table = table_in_memory(Quixo(3))
    >>> print(table.probe(table.rules.start()))
    win in 7
    """

    def __init__(self, location: Location | MemoryStore) -> None:
        """A table in memory is of a whole game."""
        if isinstance(location, MemoryStore):
            self.path: Location = Path("memory")
            self._files: PairFiles = location.files
            self.manifest, self._close = location.manifest, _nothing
            self._origin: Location | MemoryStore = location
        else:
            self.path = parse_location(location)
            self.manifest, self._files, self._close = open_files(self.path)
            # Whoever reads it later may be in another folder.
            self._origin = self.path.absolute() if isinstance(self.path, Path) else self.path
        self._native: NativeTable | None = TableSupply(self.path, self.manifest, self._files).table()
        self.nearly_full = None if self.manifest.plies else self._open_nearly_full()
        if self.nearly_full is not None:
            self._native.add_plies_of(self.nearly_full.native)

    def _open_nearly_full(self) -> Table | None:
        """The table of the plies that a table of outcomes has, if any."""
        try:
            found = Table(nearly_full_of(self.path))
        except MissingTable:
            return None
        except BaseException:
            self._close()
            raise
        if not found.manifest.plies or found.rules != self.rules:
            self._close()
            found.close()
            kind = f"a {found.manifest.kind} of {found.rules}"
            raise WrongTable(f"{found.path} is {kind}, and belongs to a table of {self.rules}")
        return found

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Location | MemoryStore]]:
        """Another process opens the same folder or URL; a table in memory is copied."""
        assert self.native
        return Table, (self._origin,)

    @property
    def native(self) -> NativeTable:
        """The table of the core; `ValueError` if it is closed."""
        if self._native is None:
            raise ValueError(f"the table in {self.path} is closed")
        return self._native

    @property
    def is_remote(self) -> bool:
        """Whether it is read over a network."""
        return is_url(self.path)

    @property
    def rules(self) -> Quixo:
        return self.manifest.rules

    @property
    def statistics(self) -> Statistics:
        return self.manifest.statistics

    def close(self) -> None:
        self._native = None
        self._close()
        if self.nearly_full is not None:
            self.nearly_full.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def probe(self, position: Position) -> Probe:
        """The position's value, plies and moves, best first; `MissingTable` if the table lacks it.

        `DamagedFile` if what the table says of the position does not follow from what it says of its moves.
        """
        if position.rules != self.rules:
            raise WrongTable(f"{self.path} is a table of {self.rules}; the position is of {position.rules}")
        found = self.native.probe(position.mover_word)
        if found is None:
            here = np.array([position.mover_word], np.uint64)
            self.probe_many(np.concatenate((here, board_of(self.rules).moves(here)[2])))
            raise AssertionError("a position is missing and there")
        (value, count, _), _, contradiction, moves = found
        if contradiction is not None:
            raise wrong_table(self.path, position, *contradiction)
        reason = _NO_PLIES if count < 0 and value != 0 else None
        later = LaterMoves(lambda: moves_of(position, moves()))
        return Probe(position, VALUES[value], count_of(count), later, reason=reason)

    def get(self, position: Position, default: Default) -> Probe | Default:
        """Like `probe`, with a default in place of `MissingTable`."""
        try:
            return self.probe(position)
        except MissingTable:
            return default

    def probe_many(self, words: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values (1 win, 0 draw, −1 loss) and plies (−1 for a draw, or if not known) of many positions.

        A position is a 64-bit word, as `Position.mover_word` gives it: the marks of the side to move in
        the upper half, the other's in the lower. `TypeError` for anything but 64-bit or Python integers.
        """
        array = as_words(words)
        values, plies = self.known(array.ravel())
        if np.any(values == MISSING):
            word = int(array.flat[int(np.argmax(values == MISSING))])
            marks = (word >> 32).bit_count(), (word & 0xFFFFFFFF).bit_count()
            raise MissingTable(
                f"the table in {self.path} is not complete: "
                f"it lacks the pair {{{max(marks)}, {min(marks)}}}.\n"
                f"Complete it with: {make_command(self.manifest, self.path)}"
            )
        return values.reshape(array.shape), plies.reshape(array.shape)

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The values of `probe_many` alone, `MISSING` where the table lacks a position: faster than both."""
        return self._checked(words, self.native.values(words))

    def outcomes(self, positions: Sequence[Position]) -> list[Outcome | None]:
        """The outcomes of positions, in their order; None if the table lacks one."""
        return outcomes_of(*self.known(np.array([position.mover_word for position in positions], np.uint64)))

    def positions(self, x: int, o: int, first: int = 0, count: int | None = None) -> Positions:
        """The positions with x marks of the side to move and o of the other, with their values and plies.

        They come in ascending order, symmetric ones one by one: all of the class, or `count` of them from
        number `first` on, so that a large class can be taken in parts.

        >>> from inarow.quixo.solver.user_table import table_in_memory
        >>> words, values, plies = table_in_memory(Quixo(3)).positions(1, 2)
        >>> words.size, int((values == 1).sum()), int(plies.max())
        (252, 92, 8)
        """
        if x < 0 or o < 0 or x + o > self.rules.cells:
            raise ValueError(f"class of {x} Xs and {o} Os: there are {self.rules.cells} cells")
        size = class_size(self.rules, x, o)
        count = size - first if count is None else count
        if not 0 <= first <= first + count <= size:
            raise ValueError(f"first {first}, count {count}: the class of {x} Xs and {o} Os has {size}")
        if count > _MOST:
            raise ValueError(f"{count:,} positions: take at most {_MOST:,} at a time, with first and count")
        words = class_words(self.rules.native, x, o, first, count)
        return Positions(words, *self.probe_many(words))

    def sample(
        self, n: int, seed: int = 0, *, reachable: bool = False, value: Value | None = None
    ) -> Positions:
        """`n` positions drawn from those in the table, each time with the same chance for every one.

        Symmetric positions count one by one, and one may come again. Of a `value`, or `reachable` in a game
        from the empty board (on boards of up to 16 cells), only such positions are drawn. A seed of up to 64
        bits gives the same positions on every machine.

        `ValueError` if there is no such position.

        >>> from inarow.quixo.solver.user_table import table_in_memory
        >>> table = table_in_memory(Quixo(3))
        >>> table.sample(5, seed=1, value="loss").values
        array([-1, -1, -1, -1, -1], dtype=int8)
        """
        return Positions.joined(list(self.samples(n, seed, reachable=reachable, value=value)))

    def samples(
        self, n: int, seed: int = 0, *, reachable: bool = False, value: Value | None = None
    ) -> Iterator[Positions]:
        """The positions of `sample`, some at a time."""
        if n < 0:
            raise ValueError(f"n {n}: must not be negative")
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"seed {seed}: must be a number of at most 64 bits")
        classes = self._classes_with(value)
        size = sum(class_size(self.rules, *marks) for marks in classes)

        def such(numbers: NDArray[np.uint64]) -> Positions:
            """The positions with these numbers among those of all classes, but for others than asked for."""
            return self._filtered(words_at(self.rules.native, classes, numbers), reachable, value)

        random = UniformNumbers(seed)
        missing, drawn = n, 0
        while missing and drawn < size:
            # As many as would do if the share of those asked for stayed what it was.
            count = min(_AT_ONCE, max(missing, missing * drawn // (n - missing + 1)))
            found = such(random.below(size, count)).where(slice(missing))
            missing, drawn = missing - found.words.size, drawn + count
            yield found
        if missing:
            # They are rare: to list all and choose takes no longer than to go on drawing.
            parts = range(0, size, _AT_ONCE)
            rare = Positions.joined(
                [such(np.arange(at, min(at + _AT_ONCE, size), dtype=np.uint64)) for at in parts]
            )
            if not rare.words.size:
                raise ValueError(f"the table in {self.path} has no such position")
            yield rare.where(random.below(rare.words.size, missing))

    def all_positions(
        self, *, reachable: bool = False, value: Value | None = None, at_once: int = _AT_ONCE
    ) -> Iterator[Positions]:
        """All positions in the table, at most so many at a time: class by class, those with few marks first.

        Of a `value`, or `reachable`, as `sample` takes them.
        """
        for x, o in reversed(self._classes_with(value)):
            size = class_size(self.rules, x, o)
            for first in range(0, size, at_once):
                words = class_words(self.rules.native, x, o, first, min(at_once, size - first))
                yield self._filtered(words, reachable, value)

    def _classes_with(self, value: Value | None) -> list[tuple[int, int]]:
        """The classes in the table that have positions of a value."""
        if value not in (None, *NUMBERS):
            raise ValueError(f"value {value!r}: must be 'win', 'draw' or 'loss'")
        return [(its.x, its.o) for its in self.statistics.classes if value is None or getattr(its, value) > 0]

    def _filtered(self, words: NDArray[np.uint64], reachable: bool, value: Value | None) -> Positions:
        """Those of some positions that are reachable and have a value, if that is asked for."""
        if reachable:
            words = words[reachable_many(self.rules, words)]
        found = Positions(words, *self.probe_many(words))
        return found if value is None else found.where(found.values == NUMBERS[value])

    def line(self, position: Position) -> Iterator[MoveProbe]:
        """Optimal play from here to the end: the winner takes the shortest way, the loser the longest.

        A drawn position gives no moves, since play does not end; nor does one whose plies are not known.
        """
        probe = self.probe(position)
        while probe.plies is not None and probe.moves:
            best = probe.moves[0]
            yield best
            probe = self.probe(best.position)

    def known(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Like `probe_many`, `MISSING` where the table lacks a position; `ValueError` if a word is none."""
        values, plies = self.native.probe_many(words)
        self._checked(words, values)
        return values, plies

    @staticmethod
    def _checked(words: NDArray[np.uint64], values: NDArray[np.int8]) -> NDArray[np.int8]:
        if np.any(values == INVALID):
            first = int(np.argmax(values == INVALID))
            raise ValueError(f"word {first} (0x{int(words[first]):016x}) is not a position of this board")
        return values

    def check(self) -> Iterator[PairId]:
        """Compare every file with its checksum: yields each pair that is sound, raises `DamagedFile`.

        The plies of nearly full boards, which a table of outcomes may have, are a table of their own.
        """
        for record in self.manifest.pairs:
            check_files(self._files, record)
            yield record.pair


def _nothing() -> None:
    pass
