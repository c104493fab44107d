"""Check some entries of a Quixo table, drawn at random: for tables too large to check whole in one go."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as _verify
from inarow.verify.quixo.files import TableFiles
from inarow.verify.quixo.table import Counterexample, Progress, Report, counterexample_of

_AT_ONCE = 256  # entries between two calls of `progress`


def verify_sample(
    path: str | os.PathLike[str], count: int, seed: int, *, progress: Progress | None = None
) -> Report:
    """Check `count` entries drawn at random, each as likely as any other; the same ones for the same seed.

    Needs the memory of a few entries, and finds a table wrong in a share p of its entries with probability
    1 − (1 − p)^count at least.

    :raises VerifyError: if the folder is not a table, `MissingTable` if a part of it is not there.
    """
    started = time.perf_counter()
    table = TableFiles(Path(path))
    sizes = [_verify.entry_count(table.size, a, b) for a, b in table.pairs]
    ends = np.cumsum(sizes)
    random, total = Random(seed), int(ends[-1])
    drawn = np.array(sorted(int(random.random() * total) for _ in range(count)), np.int64)
    done, wrong = 0, None
    for first in range(0, count, _AT_ONCE):
        some = drawn[first : first + _AT_ONCE]
        of_pair = np.searchsorted(ends, some, side="right")
        for nth in np.unique(of_pair):
            a, b = table.pairs[nth]
            indices = some[of_pair == nth] - (ends[nth] - sizes[nth])
            checked, wrong = _check_entries(table, a, b, indices)
            done += checked
            if wrong is not None:
                break
        if wrong is not None:
            break
        if progress is not None:
            progress(done, count)
    seconds = time.perf_counter() - started
    return Report(done, 0, seconds, counterexample=wrong, plies=table.has_plies)


def _check_entries(
    table: TableFiles, a: int, b: int, indices: NDArray[np.int64]
) -> tuple[int, Counterexample | None]:
    """Of entries of a pair, numbered through both planes, how many were checked, and the first wrong one."""
    of_plane = _verify.entry_count(table.size, a, b) // (1 if a == b else 2)
    checked = 0
    for plane in (0, 1):
        places = (indices[indices // of_plane == plane] % of_plane).astype(np.uint64)
        words = _verify.positions(table.size, a, b, bool(plane), places)
        stored = table.told(words)
        expected = _expected(table, words)
        same = stored == expected
        if table.compact:  # the plies of wins are not stored
            same |= _is_win(stored) & _is_win(expected)
        different = np.flatnonzero(~same)
        if different.size:
            at = int(different[0])
            ranks = of_plane // len(_verify.orbits(table.size, a))
            block, rank = divmod(int(places[at]), ranks)
            mover, other = int(words[at]) >> 32, int(words[at]) & 0xFFFFFFFF
            masks = (mover, other) if plane == 0 else (other, mover)
            wrong = plane, block, rank, *masks, int(stored[at]), int(expected[at])
            return checked + at + 1, counterexample_of(table, a, b, wrong)
        checked += places.size
    return checked, None


def _expected(table: TableFiles, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """What the rules and the entries of the positions after them make of some, as the checker does."""
    values = _verify.ends(table.size, table.line, table.double_line_wins, words)
    going_on = np.flatnonzero(values == _verify.NO_VALUE)
    children, ends = _verify.successors(table.size, words[going_on])
    told = table.told(children)
    worst = _least(told, ends)
    if table.leaves_plies_out:
        # Where all children are wins, their plies matter.
        lost = np.repeat(_is_win(worst), np.diff(ends, prepend=0))
        told[lost] = _wins(table, children[lost])
        worst = _least(told, ends)
    if table.has_plies:
        above = np.where(worst < _verify.DRAW, 65534 - worst, 65536 - worst)
        above[(above == _verify.DRAW) | (above == _verify.NOT_AN_ENTRY)] = _verify.NO_VALUE
    else:
        above = np.where(worst < _verify.DRAW, np.uint32(65535), np.uint32(0))
    above[worst == _verify.DRAW] = _verify.DRAW
    above[worst == _verify.NO_VALUE] = _verify.NO_VALUE
    values[going_on] = above
    return values


def _wins(table: TableFiles, words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Wins of the compact form with the plies that the losses after them say, as entries of two bytes."""
    values = _verify.ends(table.size, table.line, table.double_line_wins, words)
    going_on = np.flatnonzero(values == _verify.NO_VALUE)
    children, ends = _verify.successors(table.size, words[going_on])
    fewest = _least(table.told(children), ends)
    values[going_on] = np.where(fewest < _verify.DRAW, 65534 - fewest, np.uint32(_verify.NOT_AN_ENTRY))
    return values


def _least(values: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The least value of each run, which ends where it says; NO_VALUE of an empty one."""
    sizes = np.diff(ends, prepend=0)
    least = np.full(ends.size, _verify.NO_VALUE, np.uint32)
    if values.size:
        least[sizes > 0] = np.minimum.reduceat(values, (ends - sizes)[sizes > 0])
    return least


def _is_win(values: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (values > _verify.NOT_AN_ENTRY) & (values < _verify.NO_VALUE)
