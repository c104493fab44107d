"""The same positions in the fewest lines.

The positions of a line differ in one o: without it they have the same marks, and they have the same answer.
All positions that can share a line form a *group*. A position with n o's is in n groups, or in more if it has
several answers. Writing a dictionary in few lines means covering its positions by few groups: a minimum set
cover. That is hard in general, but reductions split these instances into small components, each of which is
solved as an integer program. If the time does not suffice, there is still a lower bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow.integer_program import Row, minimise
from inarow.positional.dictionary.text import Entry, Line

Method = Literal["greedy", "optimal"]
Answers = Literal["any", "each"]
Boards: TypeAlias = NDArray[np.uint8]  # a row for each board, a column for each cell

# Boards are compared as byte strings, from which NumPy drops trailing zeros: no code is 0.
_X, _O, _MOVE, _EMPTY = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Compression:
    """The lines found, and a lower bound on their number."""

    lines: tuple[Line, ...]
    positions: int  # distinct ones, up to the symmetries; with "each", along with their answers
    choices: int  # positions with several answers, one of which is kept; 0 with "each"
    lower_bound: int  # no dictionary of these positions has fewer lines
    seconds: float

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no fewer lines suffice."""
        return len(self.lines) == self.lower_bound


def compress(
    entries: Iterable[Entry],
    symmetries: Sequence[Sequence[int]],
    method: Method = "optimal",
    time_limit: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    answers: Answers = "any",
) -> Compression:
    """Write positions and their answers in few lines, each position once up to the symmetries.

    `symmetries` is a group of permutations that move cell c to cell ``p[c]``. Positions that a symmetry maps
    to each other are one position, and their answers, moved along, are its answers. If it has several,
    ``"any"`` keeps whichever makes the lines few, even one that a player never used: the first counts for
    players. ``"each"`` keeps them all, each once. Either way, the lines contain nothing but images of the
    entries.

    ``"optimal"`` looks for the fewest lines for at most `time_limit` seconds; ``"greedy"`` is fast and nearly
    as good. `progress` is called with the number of entries done and the number of all entries.

    Of these twelve positions three are reflections of others, except for the answer:

    >>> from inarow import Dictionary, Game
    >>> entries = Dictionary.parse("OOOO.xX.OOOOOOOO").entries()
    >>> symmetries = Game.named("mnk:4x4x3").symmetries()
    >>> [compress(entries, symmetries, answers=some).positions for some in ("any", "each")]
    [9, 12]
    """
    start = time.monotonic()
    deadline = math.inf if time_limit is None else start + time_limit
    kept = list(entries)
    # The positions of a line have the same numbers of marks: each pair of numbers is an instance of its own.
    # One instance of millions of positions would take much memory.
    numbers: dict[tuple[int, int], list[int]] = {}
    for number, entry in enumerate(kept):
        numbers.setdefault((entry.x.bit_count(), entry.o.bit_count()), []).append(number)

    lines: list[tuple[int, Line]] = []
    positions = choices = bound = done = 0
    for part in sorted(numbers.values(), key=len):
        groups = _Groups([kept[number] for number in part], symmetries, answers)
        instance = _Instance({number: set(members) for number, members in enumerate(groups.members)})
        if method == "greedy":
            chosen, at_least = _greedy(instance), _packing(instance)
        else:
            chosen, at_least = _optimal(instance, _share(deadline, len(part) / (len(kept) - done)))
        lines += [(part[first], line) for first, line in groups.lines(chosen)]
        positions += groups.positions
        choices += groups.choices
        bound += at_least
        done += len(part)
        if progress is not None:
            progress(done, len(kept))
    in_order = tuple(line for _, line in sorted(lines, key=lambda pair: pair[0]))
    return Compression(in_order, positions, choices, bound, time.monotonic() - start)


class _Groups:
    """The positions to be written, numbered in the order of the entries, and their groups."""

    def __init__(
        self, entries: Sequence[Entry], symmetries: Sequence[Sequence[int]], answers: Answers
    ) -> None:
        permutations = np.array(symmetries, dtype=np.intp)
        boards = _boards(entries, permutations.shape[1])
        alike = boards if answers == "each" else np.where(boards == _MOVE, np.uint8(_EMPTY), boards)
        first, position_of = _classes(alike, permutations)
        self._entries = first.tolist()  # the first entry of each position
        self.positions = len(first)
        if len(first) < len(boards):  # drop what occurs again, answer and all
            distinct, _ = _classes(boards, permutations)
            boards, position_of = boards[distinct], position_of[distinct]
        self.choices = int(np.count_nonzero(np.bincount(position_of) > 1))

        owner, cell = np.nonzero(boards == _O)  # a row for each o that can be removed
        rest = boards[owner]
        rest[np.arange(len(owner)), cell] = _EMPTY
        least, image = _least_images(rest, permutations)
        _, first, group = np.unique(_keys(least), return_index=True, return_inverse=True)
        # A group is written in the orientation of its first member: via the least image, and back.
        back = np.argsort(permutations, axis=1)
        place = back[image[first[group]], permutations[image, cell]]
        # For each group, the cell of each member's o on the board that they share.
        self.members: list[dict[int, int | None]] = [{} for _ in first]
        positions = position_of[owner].tolist()
        for number, position, at in zip(group.tolist(), positions, place.tolist(), strict=True):
            self.members[number].setdefault(position, at)
        # A position without an o is a group of its own.
        bare = np.flatnonzero((boards != _O).all(axis=1))
        self.members += [{position: None} for position in position_of[bare].tolist()]
        self._rest = np.concatenate((rest[first], boards[bare]))

    def lines(self, chosen: Iterable[int]) -> list[tuple[int, Line]]:
        """The lines of the chosen groups, each with its first entry, without positions of larger groups."""
        written: set[int] = set()
        lines = []
        for number in sorted(chosen, key=lambda number: (-len(self.members[number]), number)):
            new = self.members[number].keys() - written
            if new:
                written |= new
                lines.append((self._entries[min(new)], self._line(number, new)))
        return lines

    def _line(self, number: int, positions: set[int]) -> Line:
        board = self._rest[number]
        x, o, move = (_mask(np.flatnonzero(board == mark)) for mark in (_X, _O, _MOVE))
        cells = (self.members[number][position] for position in positions)
        options = sum(1 << cell for cell in cells if cell is not None)
        if len(positions) == 1:
            o, options = o | options, 0
        return Line(x, o, options, move.bit_length() - 1)


def _boards(entries: Sequence[Entry], cells: int) -> Boards:
    boards = np.full((len(entries), cells), _EMPTY, np.uint8)
    for entry in entries:
        if entry.x & entry.o or (entry.x | entry.o) >> entry.move & 1:
            raise ValueError(f"{entry}: a cell is taken twice")
        if (entry.x | entry.o | 1 << entry.move) >> cells:
            raise ValueError(f"{entry}: not on a board of {cells} cells")
    for mark, masks in ((_X, (e.x for e in entries)), (_O, (e.o for e in entries))):
        size = (cells + 7) // 8
        packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint8)
        bits = np.unpackbits(packed.reshape(-1, size), axis=1, count=cells, bitorder="little")
        boards[bits.astype(bool)] = mark
    boards[np.arange(len(entries)), [entry.move for entry in entries]] = _MOVE
    return boards


def _keys(boards: Boards) -> NDArray[np.bytes_]:
    """Each board as one comparable item."""
    return np.ascontiguousarray(boards).view(f"S{boards.shape[1]}").reshape(len(boards))


def _least_images(boards: Boards, permutations: NDArray[np.intp]) -> tuple[Boards, NDArray[np.intp]]:
    """The least image of each board under the permutations, and the number of a permutation that gives it."""
    least = boards[:, np.argsort(permutations[0])]
    which = np.zeros(len(boards), np.intp)
    for number, permutation in enumerate(permutations[1:], start=1):
        images = boards.take(np.argsort(permutation), axis=1)
        better = np.flatnonzero(_keys(images) < _keys(least))
        least[better] = images[better]
        which[better] = number
    return least, which


def _classes(boards: Boards, permutations: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first board of each class under the permutations, in order, and the class of each board."""
    least, _ = _least_images(boards, permutations)
    _, first, class_of = np.unique(_keys(least), return_index=True, return_inverse=True)
    in_order = np.argsort(first)
    return first[in_order], np.argsort(in_order)[class_of]


def _mask(cells: NDArray[np.intp]) -> int:
    return sum(1 << cell for cell in cells.tolist())


class _Instance:
    """A set cover: the positions of each group, and the groups of each position."""

    def __init__(self, groups: dict[int, set[int]]) -> None:
        self.groups = groups
        self.positions: dict[int, set[int]] = {}
        for group, members in groups.items():
            for position in members:
                self.positions.setdefault(position, set()).add(group)

    def drop_group(self, group: int) -> set[int]:
        """Remove a group; returns its positions."""
        members = self.groups.pop(group)
        for position in members:
            self.positions[position].remove(group)
        return members

    def drop_position(self, position: int) -> set[int]:
        """Remove a position that is covered; returns its groups."""
        holders = self.positions.pop(position)
        for group in holders:
            self.groups[group].remove(position)
        return holders

    def components(self) -> list[_Instance]:
        """The parts that share no position, the smallest first."""
        found = []
        unseen = set(self.groups)
        while unseen:
            part: set[int] = set()
            stack = [unseen.pop()]
            while stack:
                group = stack.pop()
                part.add(group)
                near = {other for position in self.groups[group] for other in self.positions[position]}
                stack += near & unseen
                unseen -= near
            found.append(_Instance({group: self.groups[group] for group in sorted(part)}))
        return sorted(found, key=lambda instance: (len(instance.groups), min(instance.groups)))


def _share(deadline: float, share: float) -> float:
    """The end of a share of the remaining time."""
    now = time.monotonic()
    return now + share * (deadline - now)


def _optimal(instance: _Instance, deadline: float) -> tuple[list[int], int]:
    """A cover by the fewest groups, as far as the time allows, and a lower bound."""
    chosen = _reduce(instance)
    bound = len(chosen)
    left = len(instance.positions)
    for part in instance.components():
        # The large ones come last and inherit the time that the small ones did not use.
        found, at_least = _solve(part, _share(deadline, len(part.positions) / left))
        chosen += found
        bound += at_least
        left -= len(part.positions)
    return chosen, bound


def _reduce(instance: _Instance) -> list[int]:
    """Shrink the instance: an optimal cover of the rest, with the groups returned, is optimal for the whole.

    A group is dropped if another contains all its members. A position is dropped if every group of some other
    position contains it: whatever covers that one covers it too. The only group of a position is chosen.
    """
    chosen = []
    groups, positions = set(instance.groups), set(instance.positions)  # to be looked at (again)
    while groups or positions:
        for group in sorted(groups & instance.groups.keys()):
            members = instance.groups[group]
            rarest = min(members, key=lambda position: len(instance.positions[position]), default=None)
            if rarest is None or any(
                group != other and members <= instance.groups[other] for other in instance.positions[rarest]
            ):
                positions |= instance.drop_group(group)
        groups.clear()
        for position in sorted(positions):
            if position not in instance.positions:
                continue
            holders = instance.positions[position]
            smallest = min(holders, key=lambda group: len(instance.groups[group]))
            if len(holders) == 1:
                chosen.append(smallest)
                covered = set(instance.groups[smallest])
            else:
                near = instance.groups[smallest] - {position}
                covered = {other for other in near if holders <= instance.positions[other]}
            for other in covered:
                groups |= instance.drop_position(other)
        positions.clear()
    return chosen


def _greedy(instance: _Instance) -> list[int]:
    """The cover that repeatedly takes the group with the most positions not yet covered."""
    chosen = []
    covered: set[int] = set()
    queue = [(-len(members), group) for group, members in instance.groups.items()]
    heapify(queue)
    while len(covered) < len(instance.positions):
        size, group = queue[0]
        new = instance.groups[group] - covered
        if len(new) == -size:
            chosen.append(group)
            covered |= new
            heappop(queue)
        else:
            heapreplace(queue, (-len(new), group))
    return chosen


def _packing(instance: _Instance) -> int:
    """A lower bound: the size of a set of positions no two of which share a group."""
    count = 0
    used: set[int] = set()
    for _, holders in sorted(instance.positions.items(), key=lambda item: (len(item[1]), item[0])):
        if used.isdisjoint(holders):
            used |= holders
            count += 1
    return count


def _solve(instance: _Instance, deadline: float) -> tuple[list[int], int]:
    """The best cover found until the deadline, and a lower bound."""
    best, bound = _greedy(instance), _packing(instance)
    seconds = deadline - time.monotonic()
    if len(best) == bound or seconds <= 0:
        return best, bound
    groups = list(instance.groups)
    columns = {group: column for column, group in enumerate(groups)}
    holders = [sorted(columns[group] for group in each) for each in instance.positions.values()]
    start = frozenset(columns[group] for group in best)
    limit = seconds if math.isfinite(seconds) else None
    found = minimise([1.0] * len(groups), [Row(row, least=1) for row in holders], limit, start)
    assert found is not None
    if len(found.chosen) < len(best):
        best = [groups[column] for column in sorted(found.chosen)]
    return best, max(bound, found.bound)
