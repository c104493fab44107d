"""Checks some entries of a Quixo table, drawn at random: for tables too large to check as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import InarowError
from inarow.processors import thread_count
from inarow.verify.quixo.report import (
    DOES_NOT_FOLLOW,
    Counterexample,
    Progress,
    TableReport,
    counterexample_of,
    report_of,
)
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import TableFiles

Values: TypeAlias = Callable[[NDArray[np.uint64]], NDArray[np.uint32]]  # of positions

MOST_DRAWN = 10_000_000
_RUN = 1024  # neighbours that are drawn together where one alone would take long
_AT_ONCE = 1 << 14  # entries that are looked up together, so that each piece is unpacked once for all


def verify_sample(
    path: str | os.PathLike[str],
    count: int,
    seed: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TableReport:
    """Check `count` entries drawn at random, all equally likely; the same seed draws the same ones.

    Of a table with plies they are drawn in runs of up to 1,024 neighbours, which share most of the entries
    that are needed to check a loss.

    The verdict is "consistent" at best: a table with a share p of wrong entries is found with a probability
    of at least 1 − (1 − p)^n with n entries, or runs, drawn.

    :raises MissingTable: if there is no table, or a file of it is missing.
    :raises DamagedFile: if a file is not what it should be, so that there is nothing to check.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import Quixo, solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(3), folder)
    ...     verify_sample(folder, 100, seed=1).verdict
    'consistent'
    """
    if count < 1:
        raise ValueError(f"a sample of {count} entries: at least 1 must be checked")
    if count > MOST_DRAWN:
        raise InarowError(f"a sample of {count:,} entries: at most {MOST_DRAWN:,} can be drawn")
    began, table = perf_counter(), TableFiles(Path(path))
    total = sum(map(table.rules.entry_count, table.pairs))
    done, wrong = _check_drawn(table, count, seed, thread_count(threads), progress)
    if wrong:
        return report_of(table, began, "wrong", f"{DOES_NOT_FOLLOW}: {wrong}", done, counterexample=wrong)
    drawn = f"{count:,} entries out of {total:,}, drawn with seed {seed}"
    return report_of(table, began, "consistent", f"a sample: {drawn}, follow from the rules", done)


def _check_drawn(
    table: TableFiles, count: int, seed: int, threads: int, progress: Progress | None
) -> tuple[int, Counterexample | None]:
    """How many entries were checked, and the first wrong one."""
    sizes = list(map(table.rules.entry_count, table.pairs))
    ends = np.cumsum(sizes)
    drawn = _draw(int(ends[-1]), count, seed, _RUN if table.has_plies else 1)
    done = 0
    for first in range(0, count, _AT_ONCE):
        some = drawn[first : first + _AT_ONCE]
        of_pair = np.searchsorted(ends, some, side="right")
        for nth in np.unique(of_pair):
            indices = some[of_pair == nth] - (ends[nth] - sizes[nth])
            checked, wrong = _check_entries(table, table.pairs[nth], indices, threads)
            done += checked
            if wrong is not None:
                return done, wrong
        if progress is not None:
            progress(done, count)
    return done, None


def _draw(total: int, count: int, seed: int, run: int) -> NDArray[np.int64]:
    """So many entries of a table, in ascending order, in runs of neighbours; all are equally likely."""
    random = Random(seed)
    entries: list[int] = []
    while (left := count - len(entries)) > 0:
        first = int(random.random() * total) // run * run
        length = min(run, total - first)
        begin = int(random.random() * length) if length > left else 0  # the last run is not drawn whole
        entries += [first + (begin + nth) % length for nth in range(min(length, left))]
    return np.array(sorted(entries), np.int64)


def _check_entries(
    table: TableFiles, pair: Pair, indices: NDArray[np.int64], threads: int
) -> tuple[int, Counterexample | None]:
    """How many entries of a pair, numbered through both planes, were checked, and the first wrong one."""
    game, of_plane, checked = table.rules.game, table.rules.game.of_plane(*pair), 0
    values = partial(table.values, threads=threads)
    wins = partial(win_values, table, threads=threads) if table.has_plies else None
    for plane in (0, 1):
        places = (indices[indices // of_plane == plane] % of_plane).astype(np.uint64)
        words = game.positions(*pair, bool(plane), places)
        stored, expected = values(words), derived(game, words, values, wins, has_plies=table.has_plies)
        # The plies of wins are not stored.
        different = np.flatnonzero((stored != expected) & ~(_is_win(stored) & _is_win(expected)))
        if different.size:
            at = int(different[0])
            wrong = plane, int(places[at]), int(stored[at]), int(expected[at])
            return checked + at + 1, counterexample_of(table, pair, wrong)
        checked += places.size
    return checked, None


def win_values(table: TableFiles, words: NDArray[np.uint64], threads: int = 1) -> NDArray[np.uint32]:
    """Wins with the plies that follow from the losses after them."""
    values = derived(table.rules.game, words, partial(table.values, threads=threads))
    return np.where(_is_win(values), values, np.uint32(native.NOT_AN_ENTRY))


def derived(
    game: native.Game,
    words: NDArray[np.uint64],
    values: Values,
    wins: Values | None = None,
    *,
    has_plies: bool = True,
) -> NDArray[np.uint32]:
    """What the rules make of positions, given the values of their children.

    Where all children are wins, `wins` gives their plies, unless `values` have them.

    >>> from inarow.verify.quixo.rules import Rules
    >>> derived(Rules(3, 3, 3, "loses").game, np.array([7 << 32], np.uint64), np.zeros_like)  # X has a line
    array([65535], dtype=uint32)
    """
    found = game.ends(words)
    unfinished = np.flatnonzero(found == native.NO_VALUE)
    if not unfinished.size:
        return found
    children, ends = game.successors(words[unfinished])
    of_children, begins = values(children), np.concatenate([[0], ends[:-1]])
    least = np.minimum.reduceat(of_children, begins)
    if wins is not None:
        lost = np.repeat(_is_win(least), np.diff(ends, prepend=0))
        of_children[lost] = wins(children[lost])
        least = np.minimum.reduceat(of_children, begins)
    if has_plies:
        above = np.where(least < native.DRAW, 65534 - least, 65536 - least)
        above[(above == native.DRAW) | (above == native.NOT_AN_ENTRY)] = native.NO_VALUE
    else:
        above = np.where(least < native.DRAW, np.uint32(65535), np.uint32(0))
    found[unfinished] = np.where(least == native.DRAW, native.DRAW, above)
    return found


def _is_win(values: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (values > native.NOT_AN_ENTRY) & (values < native.NO_VALUE)
