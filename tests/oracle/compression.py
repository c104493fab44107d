"""The fewest lines of a small dictionary, by trying sets of lines: nothing is reduced or divided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inarow.positional.dictionary.compress import Answers
from inarow.positional.dictionary.text import Entry
from inarow.positional.rules import cells_of

Symmetries = Sequence[Sequence[int]]


def images(entry: Entry, symmetries: Symmetries) -> Iterator[Entry]:
    x, o = list(cells_of(entry.x)), list(cells_of(entry.o))
    for to in symmetries:
        yield Entry(sum(1 << to[cell] for cell in x), sum(1 << to[cell] for cell in o), to[entry.move])


def least(entry: Entry, symmetries: Symmetries) -> Entry:
    """The same for entries that are images of each other; the masks alone, for positions that are."""
    return min(images(entry, symmetries))


def fewest_lines(entries: Iterable[Entry], symmetries: Symmetries, answers: Answers) -> int:
    """A line stands for entries, or images of them, that differ in one o: here, for all that there are.

    What two lines stand for can be left out of one of them.
    """
    wanted: dict[tuple[int, ...], int] = {}  # a bit for each position, or for each with its answer
    lines: dict[tuple[bool, int, int, int], int] = {}
    for entry in {image for given in entries for image in images(given, symmetries)}:
        same = least(entry, symmetries)
        bit = 1 << wanted.setdefault(same if answers == "each" else same[:2], len(wanted))
        for shared in [entry.o & ~(1 << cell) for cell in cells_of(entry.o)] or [0]:
            line = (entry.o == 0, entry.x, shared, entry.move)
            lines[line] = lines.get(line, 0) | bit
    count, covered = 0, {0}
    while (1 << len(wanted)) - 1 not in covered:
        covered = {some | line for some in covered for line in set(lines.values())}
        count += 1
    return count
