"""What solving on a GPU takes, of its memory and of the host's, worked out before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_board import plane_entries
from inarow.quixo.solver.engines.gpu_copies import AT_ONCE
from inarow.quixo.solver.engines.gpu_pairs import ENTRY
from inarow.quixo.table.pairs import PairId, classes_of, entry_count, pairs_above, pairs_of

CUDA_ON_HOST = 1 << 30  # bytes of the host's memory that CUDA and the tables of the board take

_WORD = 4  # bytes
_SUNDRIES = 2 << 20  # histograms, tables of ranks, counters
_WRITTEN = 1.25  # the most bytes of an entry that is to be written: an outcome, and the plies of a loss


def gpu_memory_within(rules: Quixo, room: int) -> tuple[int, bool]:
    """Bytes of GPU memory to solve a game, and whether it has to be streamed to fit into so many."""
    whole = gpu_memory_needed(rules)
    return (whole, False) if whole <= room else (gpu_memory_needed(rules, streamed=True), True)


def gpu_memory_needed(rules: Quixo, *, streamed: bool = False) -> int:
    """Bytes of GPU memory to solve a game.

    All planes of two layers are kept there, unless they are `streamed`: then only the pair at hand, and one
    plane at a time of those that it looks into.
    """
    pair, lists, part = 0, 0, 0
    layers: Counter[int] = Counter()
    steps: dict[int, int] = {}
    for a, b in pairs_of(rules):
        blocks, m, plane = plane_entries(rules, a, 0), rules.cells - a, _plane(rules, a, b)
        grains = blocks * -(-comb(m, b) // kernels.GRAIN)
        # News, what is open and what is due, for each block and for each grain, of both sides; local words,
        # and the numbers of those without a bit, two bytes each.
        words = (2 + kernels.DUE_WORDS) * blocks + (1 + kernels.DUE_WORDS) * grains
        work = 2 * _WORD * words + (_WORD + 2 * (m - b)) * comb(m, b)
        # Bits for what is won and lost, and how many entries of a block are not won, of both sides.
        published = 2 * _WORD * blocks * (2 * -(-comb(m, b) // 32) + 1)
        # Where moves take the blocks, as they are and with the taken tile.
        steps[a] = 2 * _WORD * blocks * len(rules.moves)
        # For a = b, plane 1 is made when it is needed.
        if streamed:  # while it is seeded from a plane, solved, or read from files
            above = max((_plane(rules, *larger) for larger in pairs_above(rules, a, b)), default=0)
            pair = max(pair, 2 * plane + max(above, published) + steps[a] + work)
        else:
            pair = max(pair, (plane if a == b else 0) + published + work)
        lists = max(lists, 2 * _WORD * max(blocks, grains))
        part = max(part, plane_entries(rules, a, b))
        layers[a + b] += entry_count(rules, a, b) * ENTRY.itemsize
    if not streamed:
        pair += max(layers[n] + layers[n + 1] for n in layers) + sum(steps.values())
    all_blocks = sum(plane_entries(rules, a, 0) for a in steps)
    buffers = 4 * min(AT_ONCE, part)  # two parts on their way, or the outcomes and the plies of one
    return (_WORD << rules.cells) + 7 * all_blocks + lists + buffers + _SUNDRIES + pair


def host_memory_needed(rules: Quixo, pairs: Sequence[PairId], *, in_files: bool) -> int:
    """Bytes of the host's memory for the planes of these pairs, streamed, with a byte for each entry.

    If solved pairs are in files, planes can be read from there when they are needed.
    """
    if in_files:
        return max((_pair_in_files(rules, a, b) for a, b in pairs), default=0)
    held: dict[tuple[int, int, int], int] = {}
    most = 0
    for a, b in pairs:
        # Every plane is read once, by this pair alone.
        held.pop((a + 1, b, 1), None)
        held.pop((a, b + 1, 0), None)
        for plane in range(len(classes_of(a, b))):
            if plane == 1 or b > 0:
                held[a, b, plane] = plane_entries(rules, a, b)
        most = max(most, sum(held.values()))
    return most


def _pair_in_files(rules: Quixo, a: int, b: int) -> int:
    """The planes above that a pair reads, or what is written of it.

    One plane above has been read from its file with another, and waits for the next pair.
    """
    above = [plane_entries(rules, *pair) for pair in pairs_above(rules, a, b)]
    later = above[1] if len(above) > 1 else 0
    return later + max(sum(above), int(entry_count(rules, a, b) * _WRITTEN))


def _plane(rules: Quixo, a: int, b: int) -> int:
    return plane_entries(rules, a, b) * ENTRY.itemsize
