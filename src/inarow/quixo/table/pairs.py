"""Pairs of classes: which there are, in which order they are solved, and how many entries they have.

docs/tablebase-format.md defines pairs, planes, blocks and entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from math import comb
from typing import Literal

from inarow.quixo.rules import Quixo

PairId = tuple[int, int]  # a and b, the numbers of marks, a ≥ b
FileKind = Literal["values", "plies"]


def pairs_of(rules: Quixo, stop_at: int = 0) -> Iterator[PairId]:
    """All pairs with at least `stop_at` marks, in the order of solving: full boards first.

    >>> list(pairs_of(Quixo(2), stop_at=3))
    [(4, 0), (3, 1), (2, 2), (3, 0), (2, 1)]
    """
    for marks in range(rules.cells, stop_at - 1, -1):
        for b in range(marks // 2 + 1):
            yield marks - b, b


def layers_of(rules: Quixo, stop_at: int = 0) -> Iterator[list[PairId]]:
    """The same pairs, those with the same number of marks together."""
    for _, pairs in groupby(pairs_of(rules, stop_at), key=sum):
        yield list(pairs)


def pairs_above(rules: Quixo, a: int, b: int) -> tuple[PairId, ...]:
    """The pairs that a new mark leads to: {a+1, b}, and {a, b+1} unless that is the same pair.

    >>> pairs_above(Quixo(2), 2, 1), pairs_above(Quixo(2), 1, 1), pairs_above(Quixo(2), 4, 0)
    (((3, 1), (2, 2)), ((2, 1),), ())
    """
    if a + b == rules.cells:
        return ()
    return ((a + 1, b), (a, b + 1)) if a > b else ((a + 1, b),)


def plane_above(rules: Quixo, a: int, b: int, side: int) -> tuple[PairId, int] | None:
    """The pair and the plane that new marks of a side of {a, b} lead to, if the board is not full.

    >>> plane_above(Quixo(2), 2, 1, 0), plane_above(Quixo(2), 2, 1, 1)
    (((3, 1), 1), ((2, 2), 0))
    """
    if a + b == rules.cells:
        return None
    # A new mark of the larger side is seen by the smaller one, in plane 1.
    return ((a + 1, b), 1) if side == 0 else ((a, b + 1), 0)


def classes_of(a: int, b: int) -> tuple[tuple[int, int], ...]:
    """The one or two classes of a pair, plane by plane: marks of the side to move, and of the other."""
    return ((a, b),) if a == b else ((a, b), (b, a))


def entry_count(rules: Quixo, a: int, b: int) -> int:
    """The number of entries of a pair, in all its planes."""
    return _block_counts(rules)[a] * comb(rules.cells - a, b) * len(classes_of(a, b))


@lru_cache(maxsize=8)
def _block_counts(rules: Quixo) -> tuple[int, ...]:
    """The number of blocks of a plane, for each a: the sets of a cells up to symmetry, by Burnside's lemma.

    >>> _block_counts(Quixo(2))
    (1, 1, 2, 1, 1)
    """
    fixed = [0] * (
        rules.cells + 1
    )  # by number of cells, the sets that a symmetry leaves alone, for all of them
    for symmetry in rules.symmetries:
        sets = [1]
        for cycle in _cycles(symmetry):  # a set has all cells of a cycle or none
            sets = [
                with_it + without
                for with_it, without in zip([0] * cycle + sets, sets + [0] * cycle, strict=True)
            ]
        fixed = [total + count for total, count in zip(fixed, sets, strict=True)]
    return tuple(count // len(rules.symmetries) for count in fixed)


def _cycles(symmetry: Sequence[int]) -> Iterator[int]:
    """The lengths of the cycles of a permutation."""
    left = set(range(len(symmetry)))
    while left:
        length, cell = 0, next(iter(left))
        while cell in left:
            left.remove(cell)
            length, cell = length + 1, symmetry[cell]
        yield length


def file_name(a: int, b: int, kind: FileKind) -> str:
    """The name of one of a pair's files.

    >>> file_name(7, 3, "values")
    'pair-07-03.values'
    """
    return f"pair-{a:02}-{b:02}.{kind}"
