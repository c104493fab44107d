"""Symmetries of a set of lines on a board, found rather than listed.

A symmetry is a tuple `to` with a place for every cell: cell c goes to `to[c]`. Lines are masks.

>>> rows_and_columns = (0b0011, 0b1100, 0b0101, 0b1010)
>>> len(geometric_symmetries((1, 2, 2), rows_and_columns))
8
>>> len(full_symmetries((1, 2, 2), rows_and_columns))
8
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations, product
from math import prod

__all__ = ["MOST_SYMMETRIES", "Symmetry", "full_symmetries", "geometric_symmetries", "image"]

Symmetry = tuple[int, ...]

MOST_SYMMETRIES = 100_000


def image(mask: int, to: Sequence[int]) -> int:
    """Where a symmetry takes the cells of a mask.

    >>> bin(image(0b0011, (3, 2, 1, 0)))
    '0b1100'
    """
    moved = 0
    while mask:
        low = mask & -mask
        moved |= 1 << to[low.bit_length() - 1]
        mask ^= low
    return moved


def geometric_symmetries(shape: tuple[int, int, int], lines: Iterable[int]) -> tuple[Symmetry, ...]:
    """The turns and mirrorings of a box that take lines to lines, in order: the identity is first."""
    lines = frozenset(lines)
    boxes = set()
    for axes in permutations(range(3)):
        if any(shape[axis] != shape[place] for place, axis in enumerate(axes)):
            continue
        for mirrored in product((False, True), repeat=3):
            boxes.add(_box_symmetry(shape, axes, mirrored))
    return tuple(sorted(to for to in boxes if _keeps(to, lines)))


def full_symmetries(shape: tuple[int, int, int], lines: Iterable[int]) -> tuple[Symmetry, ...]:
    """Every permutation of the cells that takes lines to lines, in order: the identity is first.

    Cells in no line could go anywhere, in more ways than anybody wants to see. They only go where
    `geometric_symmetries` take them, on their own: the group is the one that those make together
    with the permutations that leave such cells in their place.

    `ValueError` if there are more than `MOST_SYMMETRIES`.
    """
    lines = frozenset(lines)
    cells = prod(shape)
    covered = 0
    for line in lines:
        covered |= line
    idle = [cell for cell in range(cells) if not covered >> cell & 1]
    group = _Automorphisms(cells, lines).elements()
    # A geometric symmetry takes idle cells to idle cells, so that the products with one representative
    # for each way to move them are the group made by both.
    ways = {tuple(to[cell] for cell in idle): to for to in geometric_symmetries(shape, lines)}
    _check_order(len(group) * len(ways))
    return tuple(sorted(_after(to, way) for way in ways.values() for to in group))


class _Automorphisms:
    """The automorphisms of a set of lines that leave cells in no line in their place.

    Cells get colours, refined until cells of a colour are on lines of the same colours. A cell of a
    colour that others have too is then fixed by a colour of its own, and so on until all are told
    apart: these cells are the base. An automorphism is known by where it takes the base; the images of
    its nth cell under those that fix the cells before it are found by search, from the last cell of
    the base to the first (as in the method of Schreier and Sims). The whole group is then the products
    of one automorphism for each image, and its order is known before it is listed.
    """

    def __init__(self, cells: int, lines: frozenset[int]) -> None:
        self._cells = cells
        self._lines = lines
        self._members = [[cell for cell in range(cells) if line >> cell & 1] for line in sorted(lines)]
        self._through: list[list[int]] = [[] for _ in range(cells)]
        for number, members in enumerate(self._members):
            for cell in members:
                self._through[cell].append(number)
        self._identity = tuple(range(cells))

    def elements(self) -> list[Symmetry]:
        # In no line: a colour of its own for each.
        colours = [0 if self._through[cell] else -2 - cell for cell in range(self._cells)]
        levels = []
        while True:
            refined = self._refined(colours, colours)
            assert refined is not None
            colours = refined[0]
            fixed = _ambiguous(colours)
            if fixed is None:
                break
            levels.append((fixed, colours))
            colours = _with_own_colour(colours, fixed)

        generators: list[Symmetry] = []
        choices: list[list[Symmetry]] = []
        for fixed, colours in reversed(levels):
            left = _with_own_colour(colours, fixed)
            reached = self._orbit(fixed, generators)
            refused: set[int] = set()
            for cell in range(self._cells):
                if colours[cell] != colours[fixed] or cell in reached or cell in refused:
                    continue
                found = self._search(left, _with_own_colour(colours, cell))
                if found is None:
                    refused.update(self._orbit(cell, generators))
                else:
                    generators.append(found)
                    reached = self._orbit(fixed, generators)
            choices.append(list(reached.values()))
            _check_order(prod(len(choice) for choice in choices))

        group = [self._identity]
        for choice in choices:
            group = [_after(last, first) for last in choice for first in group]
        return group

    def _search(self, left: list[int], right: list[int]) -> Symmetry | None:
        """An automorphism that takes each cell to one whose colour on the right is its own on the left."""
        refined = self._refined(left, right)
        if refined is None:
            return None
        left, right = refined
        fixed = _ambiguous(left)
        if fixed is None:
            place = {colour: cell for cell, colour in enumerate(right)}
            to = tuple(place[colour] for colour in left)
            return to if _keeps(to, self._lines) else None
        left_fixed = _with_own_colour(left, fixed)
        for cell in range(self._cells):
            if right[cell] == left[fixed]:
                found = self._search(left_fixed, _with_own_colour(right, cell))
                if found is not None:
                    return found
        return None

    def _refined(self, left: list[int], right: list[int]) -> tuple[list[int], list[int]] | None:
        """Both colourings refined until they are stable; None as soon as they differ in their counts."""
        same = left is right
        count = len(set(left))
        while True:
            # One numbering for both sides, so that a colour means the same on either.
            line_colours: dict[tuple[int, ...], int] = {}
            cell_colours: dict[tuple[int, ...], int] = {}
            left = self._round(left, line_colours, cell_colours)
            right = left if same else self._round(right, line_colours, cell_colours)
            if not same and Counter(left) != Counter(right):
                return None
            if len(cell_colours) == count:
                return left, right
            count = len(cell_colours)

    def _round(
        self,
        colours: list[int],
        line_colours: dict[tuple[int, ...], int],
        cell_colours: dict[tuple[int, ...], int],
    ) -> list[int]:
        of_lines = [
            line_colours.setdefault(tuple(sorted([colours[cell] for cell in members])), len(line_colours))
            for members in self._members
        ]
        return [
            cell_colours.setdefault(
                (colour, *sorted([of_lines[line] for line in through])), len(cell_colours)
            )
            for colour, through in zip(colours, self._through, strict=True)
        ]

    def _orbit(self, cell: int, generators: list[Symmetry]) -> dict[int, Symmetry]:
        """Each cell that products of the generators take this one to, with such a product."""
        reached = {cell: self._identity}
        waiting = [cell]
        while waiting:
            at = waiting.pop()
            for generator in generators:
                if generator[at] not in reached:
                    reached[generator[at]] = _after(generator, reached[at])
                    waiting.append(generator[at])
        return reached


def _box_symmetry(shape: tuple[int, int, int], axes: tuple[int, ...], mirrored: tuple[bool, ...]) -> Symmetry:
    to = []
    for place in product(*map(range, shape)):
        at = [place[axis] for axis in axes]
        layer, row, column = (
            size - 1 - at if mirror else at for at, mirror, size in zip(at, mirrored, shape, strict=True)
        )
        to.append((layer * shape[1] + row) * shape[2] + column)
    return tuple(to)


def _keeps(to: Symmetry, lines: frozenset[int]) -> bool:
    return all(image(line, to) in lines for line in lines)


def _after(last: Symmetry, first: Symmetry) -> Symmetry:
    return tuple([last[cell] for cell in first])


def _ambiguous(colours: list[int]) -> int | None:
    """The first cell of the colour that most cells have, None if no two have the same."""
    colour, count = Counter(colours).most_common(1)[0]
    return colours.index(colour) if count > 1 else None


def _with_own_colour(colours: list[int], cell: int) -> list[int]:
    """The colours with a new one, -1, for this cell."""
    return [*colours[:cell], -1, *colours[cell + 1 :]]


def _check_order(order: int) -> None:
    if order > MOST_SYMMETRIES:
        raise ValueError(
            f"the lines have more than {MOST_SYMMETRIES:,} symmetries; use the geometric ones or none"
        )
