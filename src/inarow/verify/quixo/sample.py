"""Checks some entries of a Quixo table, drawn at random: for tables too large to check as a whole."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import InarowError
from inarow.processors import thread_count
from inarow.verify.quixo.report import Counterexample, Progress, TableReport, counterexample_of
from inarow.verify.quixo.table_files import TableFiles

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

    Of a compact table with plies they are drawn in runs of up to 1,024 neighbours. To check a loss takes the
    plies of all wins after it, and so over a thousand entries from as many places; neighbours share them.

    The verdict is "consistent" at best: a table with a share p of wrong entries is found with a probability
    of at least 1 − (1 − p)^n with n entries, or runs, drawn. Takes a few hundred MB of memory.

    :raises MissingTable: if there is no table, or a file of it is missing.
    :raises DamagedFile: if a file is not what it should be, so that there is nothing to check.
    :raises InarowError: if `count` is more than `MOST_DRAWN`.
    :raises ValueError: if `count` is less than 1.

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
    started = time.perf_counter()
    table = TableFiles(Path(path))
    total = sum(table.entry_count(*pair) for pair in table.pairs)
    done, wrong = _check_drawn(table, count, seed, thread_count(threads), progress)
    if wrong is None:
        reason = (
            f"a sample: {count:,} entries out of {total:,}, drawn with seed {seed}, follow from the rules"
        )
    else:
        reason = f"an entry does not follow from the entries of the positions after it: {wrong}"
    return TableReport(
        verdict="consistent" if wrong is None else "wrong",
        reason=reason,
        rules=table.rules,
        entries=done,
        positions=0,
        seconds=time.perf_counter() - started,
        has_plies=table.has_plies,
        is_complete=table.manifest.is_complete,
        counterexample=wrong,
    )


def _check_drawn(
    table: TableFiles, count: int, seed: int, threads: int, progress: Progress | None
) -> tuple[int, Counterexample | None]:
    """How many entries were checked, and the first wrong one."""
    sizes = [table.entry_count(*pair) for pair in table.pairs]
    ends = np.cumsum(sizes)
    drawn = _draw(int(ends[-1]), count, seed, _RUN if table.leaves_win_plies_out else 1)
    done = 0
    for first in range(0, count, _AT_ONCE):
        some = drawn[first : first + _AT_ONCE]
        of_pair = np.searchsorted(ends, some, side="right")
        for nth in np.unique(of_pair):
            indices = some[of_pair == nth] - (ends[nth] - sizes[nth])
            a, b = table.pairs[nth]
            checked, wrong = _check_entries(table, a, b, indices, threads)
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
    table: TableFiles, a: int, b: int, indices: NDArray[np.int64], threads: int
) -> tuple[int, Counterexample | None]:
    """How many entries of a pair, numbered through both planes, were checked, and the first wrong one."""
    game = table.rules.game
    of_plane = table.entry_count(a, b) // (1 if a == b else 2)
    checked = 0
    for plane in (0, 1):
        places = (indices[indices // of_plane == plane] % of_plane).astype(np.uint64)
        words = game.positions(a, b, bool(plane), places)
        stored = table.values(words, threads)
        expected = _expected(table, words, threads)
        same = stored == expected
        if table.manifest.compact:  # the plies of wins are not stored
            same |= _is_win(stored) & _is_win(expected)
        different = np.flatnonzero(~same)
        if different.size:
            at = int(different[0])
            block, rank = divmod(int(places[at]), of_plane // game.orbits(a).size)
            mover, other = int(words[at]) >> 32, int(words[at]) & 0xFFFFFFFF
            masks = (mover, other) if plane == 0 else (other, mover)
            wrong = plane, block, rank, *masks, int(stored[at]), int(expected[at])
            return checked + at + 1, counterexample_of(table, a, b, wrong)
        checked += places.size
    return checked, None


def _expected(table: TableFiles, words: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
    """The values that follow from the rules and the entries of the children, as in the whole check."""
    values = table.rules.game.ends(words)
    unfinished = np.flatnonzero(values == native.NO_VALUE)
    children, ends = table.rules.game.successors(words[unfinished])
    of_children = table.values(children, threads)
    worst = _least(of_children, ends)
    if table.leaves_win_plies_out:
        # Where all children are wins, their plies matter.
        lost = np.repeat(_is_win(worst), np.diff(ends, prepend=0))
        of_children[lost] = win_values(table, children[lost], threads)
        worst = _least(of_children, ends)
    if table.has_plies:
        above = np.where(worst < native.DRAW, 65534 - worst, 65536 - worst)
        above[(above == native.DRAW) | (above == native.NOT_AN_ENTRY)] = native.NO_VALUE
    else:
        above = np.where(worst < native.DRAW, np.uint32(65535), np.uint32(0))
    above[worst == native.DRAW] = native.DRAW
    above[worst == native.NO_VALUE] = native.NO_VALUE
    values[unfinished] = above
    return values


def win_values(table: TableFiles, words: NDArray[np.uint64], threads: int) -> NDArray[np.uint32]:
    """Wins of the compact form with the plies that follow from the losses after them."""
    values = table.rules.game.ends(words)
    unfinished = np.flatnonzero(values == native.NO_VALUE)
    children, ends = table.rules.game.successors(words[unfinished])
    fewest = _least(table.values(children, threads), ends)
    values[unfinished] = np.where(fewest < native.DRAW, 65534 - fewest, np.uint32(native.NOT_AN_ENTRY))
    return values


def _least(values: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The least value of each run, given where the runs end; NO_VALUE for an empty run."""
    sizes = np.diff(ends, prepend=0)
    least = np.full(ends.size, native.NO_VALUE, np.uint32)
    if values.size:
        least[sizes > 0] = np.minimum.reduceat(values, (ends - sizes)[sizes > 0])
    return least


def _is_win(values: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (values > native.NOT_AN_ENTRY) & (values < native.NO_VALUE)
