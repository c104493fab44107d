"""Check a Quixo table entry by entry against the rules of the game.

The reader behind this and the checker in C++ are written from the page on the format of tables, and share no
code with the solver, nor with what reads tables elsewhere in the package.

Every entry of the table is derived anew from the entries of its children. That is enough to know the whole
table right, draws included. By induction on p, the positions stored as decided in p plies are those which
truly are: whether a position is decided in p plies rests only on which of its children are decided in fewer,
and there the table is right already. What is not decided in any number of plies is a draw, and nothing else
is left to be stored for it. In the compact form the plies of wins are those that its losses imply, and the
same holds.

In a table of outcomes without plies the same induction shows that what is decided is stored so. Hence every
draw in it is true; but wins and losses could rest on each other in a circle, and be draws in truth. There
are none of these if each class has as many draws as it truly has, which has to be known from elsewhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as _verify
from inarow.verify.quixo.files import Class, Entries, TableFiles, VerifyError, pairs_above
from inarow.verify.quixo.record import Record

__all__ = ["Counterexample", "Report", "VerifyError", "verify_table"]

Wrong: TypeAlias = tuple[int, int, int, int, int, int, int]
Progress: TypeAlias = Callable[[int, int], None]  # entries checked so far, and of all
Draws: TypeAlias = Mapping[tuple[int, int], int]  # by the marks of the side to move and of the other

_AT_ONCE = 1 << 18  # entries between two calls of `progress`


@dataclass(frozen=True)
class Counterexample:
    """The first entry of a pair that is not what the rules and the entries of its children make of it.

    Either the entry is wrong or one of its children's is.
    """

    position: str  # rows from the top; x is the side to move
    stored: str  # as in "win in 3", for the side to move
    expected: str
    a: int
    b: int
    plane: int
    block: int
    rank: int

    def __str__(self) -> str:
        where = f"pair {{{self.a}, {self.b}}}, plane {self.plane}, block {self.block}, rank {self.rank}"
        return f"{self.position}: stored {self.stored}, expected {self.expected} ({where})"


@dataclass(frozen=True)
class Report:
    """What a check found. `problem` is a fault of the table other than a wrong entry."""

    entries: int  # checked, up to the first fault
    positions: int  # that the pairs without a fault stand for, symmetric ones one by one; 0 of a sample
    seconds: float
    counterexample: Counterexample | None = None
    problem: str | None = None
    remembered: int = 0  # entries more that an earlier check, which was interrupted, found right
    plies: bool = True  # whether the table has them
    draws_compared: bool = False  # with numbers known from elsewhere

    @property
    def ok(self) -> bool:
        return self.counterexample is None and self.problem is None

    @property
    def per_second(self) -> float:
        return self.entries / self.seconds if self.seconds > 0 else 0.0


def verify_table(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    known_draws: Draws | None = None,
    remember: bool = False,
) -> Report:
    """Check every entry of the table in a folder, and the counts in its manifest.

    Stops at the first fault. `threads` is all of the machine's unless said; the report is the same for any
    number. Of the compact form, about as many pairs as have the same number of marks are in memory at once.
    Checksums of the plain form are not computed. With `known_draws`, the draws of each class are
    compared with these numbers. With `remember`, the pairs that are found right are written down in the
    folder, in verified.json; a check that was interrupted passes over those whose files have not changed.

    :raises VerifyError: if the folder is not a table, `MissingTable` if a part of it is not there.
    """
    started = time.perf_counter()
    if threads is None:
        threads = os.cpu_count() or 1
    table = TableFiles(Path(path))
    checked_before = Record(table, remember, known_draws is not None)
    pairs = _Pairs(table, threads)
    total = sum(_verify.entry_count(table.size, a, b) for a, b in table.pairs)
    done = positions = remembered = 0

    def report(counterexample: Counterexample | None = None, problem: str | None = None) -> Report:
        seconds = time.perf_counter() - started
        compared = known_draws is not None
        found = counterexample, problem, remembered, table.has_plies, compared
        return Report(done, positions, seconds, *found)

    for a, b in table.pairs:
        count = _verify.entry_count(table.size, a, b)
        if checked_before.has(a, b):
            remembered += count
            counts = table.classes(a, b)
        else:
            entries, larger, smaller = pairs.family(a, b)
            rules = table.size, table.line, table.double_line_wins
            for first in range(0, count, _AT_ONCE):
                last = min(first + _AT_ONCE, count)
                checked, wrong = _verify.check(
                    *rules, a, b, entries, larger, smaller, first, last, threads, not table.has_plies
                )
                done += checked
                if wrong is not None:
                    return report(counterexample=counterexample_of(table, a, b, wrong))
                if progress is not None:
                    progress(done + remembered, total)
            if table.has_plies:
                counts = _count(table.size, a, b, entries)
            else:
                counts = _count_packed(table.size, a, b, cast(Any, entries), threads)
            problem = table.differs(a, b, counts)
            if problem is not None:
                return report(problem=problem)
            checked_before.add(a, b)
        if known_draws is not None:
            for found in counts:
                if found.draw != known_draws[found.x, found.o]:
                    known = known_draws[found.x, found.o]
                    return report(
                        problem=f"{table.name(a, b)}, class of {found.x} and {found.o} marks: "
                        f"{found.draw:,} draws, {known:,} are known"
                    )
        positions += sum(counted.win + counted.loss + counted.draw for counted in counts)
    checked_before.finish()
    return report()


class _Pairs:
    """Entries of pairs and of those that a new mark leads to, each read once if they are taken in order."""

    def __init__(self, table: TableFiles, threads: int) -> None:
        self._table, self._threads = table, threads
        self._whole: dict[tuple[int, int], Entries] = {}

    def family(self, a: int, b: int) -> tuple[Entries, Entries | None, Entries | None]:
        """A pair, {a + 1, b} and {a, b + 1}, where there are such."""
        above = pairs_above(self._table.size, a, b)
        for pair in above:
            if pair and pair not in self._whole:
                self._whole[pair] = self._read(*pair)
        larger, smaller = (self._whole[pair] if pair else None for pair in above)
        entries = self._completed(a, b, self._table.entries(a, b, self._threads), larger, smaller)
        # {a + 1, b} is not needed again: what follows has fewer marks, or more in B.
        self._whole = {
            pair: kept for pair, kept in self._whole.items() if sum(pair) <= a + b + 1 and pair != above[0]
        }
        self._whole[a, b] = entries
        return entries, larger, smaller

    def _read(self, a: int, b: int) -> Entries:
        entries = self._table.entries(a, b, self._threads)
        if not self._table.leaves_plies_out:
            return entries
        above = pairs_above(self._table.size, a, b)
        larger, smaller = (self._table.entries(*pair, self._threads) if pair else None for pair in above)
        return self._completed(a, b, entries, larger, smaller)

    def _completed(
        self, a: int, b: int, entries: Entries, larger: Entries | None, smaller: Entries | None
    ) -> Entries:
        """With the plies of wins, where the files leave them out. Of the pairs above, losses are enough."""
        table = self._table
        if table.leaves_plies_out:
            rules = table.size, table.line, table.double_line_wins
            wide, more, other = cast(Any, entries), cast(Any, larger), cast(Any, smaller)
            for first in range(0, entries.size, _AT_ONCE):
                last = min(first + _AT_ONCE, entries.size)
                _verify.derive_wins(*rules, a, b, wide, more, other, first, last, self._threads)
        return entries


# --- Entries ---


def _count_packed(size: int, a: int, b: int, packed: NDArray[np.uint8], threads: int) -> list[Class]:
    """The counts of each class of a pair without plies."""
    blocks = len(_verify.orbits(size, a))
    step = max(1, _AT_ONCE * blocks // _verify.entry_count(size, a, b))
    counts = []
    with ThreadPoolExecutor(threads) as pool:
        for plane, (x, o) in enumerate(((a, b), (b, a))[: 1 if a == b else 2]):

            def count(first: int, plane: int = plane) -> list[int]:
                last = min(first + step, blocks)
                return _verify.count_outcomes(size, a, b, packed, bool(plane), first, last)

            loss, draw, win = map(sum, zip(*pool.map(count, range(0, blocks, step)), strict=True))
            counts.append(Class(x, o, win, loss, draw, []))
    return counts


def _count(size: int, a: int, b: int, entries: Entries) -> list[Class]:
    """The counts of each class of a pair: of plane 0, and of plane 1 if there is one."""
    orbits = np.array(_verify.orbits(size, a))
    planes: NDArray[Any] = entries.reshape(1 if a == b else 2, orbits.size, -1)
    top = int(np.iinfo(entries.dtype).max)
    draw = (top - 1) // 2
    at_once = max(1, (1 << 20) // planes.shape[2])
    counts = []
    for plane, (x, o) in zip(planes, ((a, b), (b, a)), strict=False):
        of_entry = np.zeros(top + 1, dtype=np.int64)
        for orbit in np.unique(orbits):
            blocks = np.flatnonzero(orbits == orbit)
            for first in range(0, blocks.size, at_once):
                some = plane[blocks[first : first + at_once]]
                of_entry += orbit * np.bincount(some.ravel(), minlength=top + 1)
        loss, win = of_entry[:draw], of_entry[: draw + 1 : -1]
        by_plies = [[int(p), int(win[p]), int(loss[p])] for p in np.flatnonzero(win + loss)]
        counts.append(Class(x, o, int(win.sum()), int(loss.sum()), int(of_entry[draw]), by_plies))
    return counts


def counterexample_of(table: TableFiles, a: int, b: int, wrong: Wrong) -> Counterexample:
    size = table.size
    plane, block, rank, larger, smaller, stored, expected = wrong
    mover, other = (larger, smaller) if plane == 0 else (smaller, larger)
    cells = ["x" if mover >> k & 1 else "o" if other >> k & 1 else "." for k in reversed(range(size * size))]
    rows = ("".join(cells[first : first + size]) for first in range(0, size * size, size))
    position, values = "/".join(rows) + " x", (_value(stored, table), _value(expected, table))
    return Counterexample(position, *values, a, b, plane, block, rank)


def _value(entry: int, table: TableFiles) -> str:
    """A value as the checker tells it, in words."""
    if entry == _verify.DRAW:
        return "draw"
    if entry == _verify.NO_VALUE:
        return "no value"
    if entry == _verify.NOT_AN_ENTRY:
        return "a win that no loss follows" if table.leaves_plies_out else "what no entry may be"
    if not table.has_plies:
        return "loss" if entry < _verify.DRAW else "win"
    return f"loss in {entry}" if entry < _verify.DRAW else f"win in {65535 - entry}"
