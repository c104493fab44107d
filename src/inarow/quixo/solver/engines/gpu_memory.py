"""What solving on a GPU takes, of its memory and of the host's, worked out before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
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
    pairs = list(pairs_of(rules))
    if streamed:
        return _shared(rules) + max(_pair_alone(rules, a, b) for a, b in pairs)
    layers: Counter[int] = Counter()
    for a, b in pairs:
        layers[a + b] += entry_count(rules, a, b)
    kept = max(layers[n] + layers[n + 1] for n in layers) * ENTRY.itemsize
    steps = sum(_steps(rules, a) for a in range(rules.cells + 1))
    work = max(
        _work(rules, a, b) + _published(rules, a, b) + (_plane(rules, a, b) if a == b else 0)
        for a, b in pairs
    )
    return _shared(rules) + kept + steps + work


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
                held[a, b, plane] = _plane_entries(rules, a, b)
        most = max(most, sum(held.values()))
    return most


def _shared(rules: Quixo) -> int:
    """What stays: blocks, where each mask is, lists of blocks or grains, and buffers for parts of planes."""
    blocks = sum(_blocks(rules, a) for a in range(rules.cells + 1))
    lists = max(2 * _WORD * max(_blocks(rules, a), _grains(rules, a, b)) for a, b in pairs_of(rules))
    part = min(AT_ONCE, max(_plane_entries(rules, a, b) for a, b in pairs_of(rules)))
    buffers = 4 * part  # two parts on their way, or the outcomes and the plies of one
    return (_WORD << rules.cells) + 7 * blocks + lists + buffers + _SUNDRIES


def _pair_alone(rules: Quixo, a: int, b: int) -> int:
    """What a pair takes at most: while it is seeded from a plane, solved, or read from files."""
    entries = 2 * _plane(rules, a, b)  # for a = b, plane 1 is made when it is needed
    above = max((_plane(rules, *pair) for pair in pairs_above(rules, a, b)), default=0)
    return entries + max(above, _published(rules, a, b)) + _steps(rules, a) + _work(rules, a, b)


def _work(rules: Quixo, a: int, b: int) -> int:
    """News, what is open and what is due, for each block and for each grain, of both sides; local words.

    And the numbers of the local words without a bit, two bytes each.
    """
    blocks, grains, m = _blocks(rules, a), _grains(rules, a, b), rules.cells - a
    words = (2 + kernels.DUE_WORDS) * blocks + (1 + kernels.DUE_WORDS) * grains
    return 2 * _WORD * words + (_WORD + 2 * (m - b)) * comb(m, b)


def _published(rules: Quixo, a: int, b: int) -> int:
    """Bits for what is won and lost, and how many entries of a block are not won, of both sides."""
    return 2 * _WORD * _blocks(rules, a) * (2 * -(-comb(rules.cells - a, b) // 32) + 1)


def _steps(rules: Quixo, a: int) -> int:
    """Where moves take the blocks, as they are and with the taken tile."""
    return 2 * _WORD * _blocks(rules, a) * len(rules.moves)


def _pair_in_files(rules: Quixo, a: int, b: int) -> int:
    """The planes above that a pair reads, or what is written of it.

    One plane above has been read from its file with another, and waits for the next pair.
    """
    above = [_plane_entries(rules, *pair) for pair in pairs_above(rules, a, b)]
    later = above[1] if len(above) > 1 else 0
    return later + max(sum(above), int(entry_count(rules, a, b) * _WRITTEN))


def _plane(rules: Quixo, a: int, b: int) -> int:
    return _plane_entries(rules, a, b) * ENTRY.itemsize


def _plane_entries(rules: Quixo, a: int, b: int) -> int:
    return entry_count(rules, a, b) // len(classes_of(a, b))


def _blocks(rules: Quixo, a: int) -> int:
    return entry_count(rules, a, 0) // len(classes_of(a, 0))


def _grains(rules: Quixo, a: int, b: int) -> int:
    return _blocks(rules, a) * -(-comb(rules.cells - a, b) // kernels.GRAIN)
