"""The board of Quixo on a GPU, or on the CPU where the same code is tested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels
from inarow.quixo.rules import Quixo
from inarow.quixo.table.pairs import classes_of, entry_count

_CHOOSE = np.array([[comb(n, k) for k in range(27)] for n in range(26)], np.uint32)


class Device(Protocol):
    """Where arrays are kept, which have the interface of NumPy's, and where kernels run."""

    xp: Any  # numpy, or a module with its interface
    seconds: dict[str, float]  # of each part of the work, when they were collected

    @property
    def name(self) -> str: ...
    @property
    def free_bytes(self) -> int: ...
    def collect_times(self) -> None: ...
    def run(self, kernel: str, *arguments: Any) -> None:
        """Run a kernel of kernels/quixo.cu on arrays and numbers of NumPy's types."""

    def trim(self) -> None:
        """Give back what was freed, so that it can be put together anew."""

    def address(self, array: Any) -> int: ...
    def host(self, array: Any) -> NDArray[Any]:
        """A copy of a small array in memory of the host."""

    def fetch(self, array: Any) -> NDArray[Any]:
        """A copy of a large one, which can be sent back as fast."""

    def send(self, array: NDArray[Any], into: Any) -> None:
        """Copy from memory of the host."""


@dataclass(slots=True)
class Blocks:
    """The blocks with a marks on the larger side, and where moves take them."""

    masks: Any
    lined: Any
    fixing: Any
    orbits: Any
    same: Any = None
    larger: Any = None


class GpuBoard:
    """Keeps on the device what all pairs share.

    If `frugal`, it takes as little memory as it can, at the price of time.
    """

    def __init__(self, rules: Quixo, device: Device, *, frugal: bool = False) -> None:
        self.rules = rules
        self.device = device
        self.frugal = frugal
        xp = device.xp
        self.game = xp.asarray(kernels.game(rules.native))
        masks = 1 << rules.cells
        on_device = xp.empty(masks, np.uint32)
        device.run("find_canonical", self.game, np.uint32(masks), on_device)
        # The rest uses NumPy: CuPy would compile a kernel for every operation, which takes longer.
        found = device.fetch(on_device)
        image = found >> 3
        canonical = np.flatnonzero(image == np.arange(masks, dtype=np.uint32)).astype(np.uint32)
        marks = sum((canonical >> bit) & 1 for bit in range(rules.cells))
        images = np.bincount(image, minlength=masks)[canonical].astype(np.uint8)
        number = np.empty(masks, np.uint32)
        self.blocks: list[Blocks] = []
        for a in range(rules.cells + 1):
            of_a = marks == a
            own = canonical[of_a]
            number[own] = np.arange(own.size, dtype=np.uint32)
            lined, fixing = (xp.empty(own.size, np.uint8) for _ in range(2))
            blocks = Blocks(xp.asarray(own), lined, fixing, xp.asarray(images[of_a]))
            device.run("find_lines", self.game, blocks.masks, np.uint32(own.size), lined, fixing)
            self.blocks.append(blocks)
        del on_device
        self.where = xp.asarray(number[image] << 3 | found & 7)
        if frugal:
            device.trim()

    def with_steps(self, a: int) -> Blocks:
        """The blocks with a marks, and where moves take them, which is found when it is first needed."""
        blocks = self.blocks[a]
        if blocks.same is None:
            if self.frugal:
                for other in self.blocks:
                    other.same = other.larger = None
                self.device.trim()
            count = int(blocks.masks.size)
            blocks.same, blocks.larger = (
                self.device.xp.empty(count * len(self.rules.moves), np.uint32) for _ in range(2)
            )
            its = np.uint32(count), self.where, blocks.same, blocks.larger
            self.device.run("find_steps", self.game, blocks.masks, *its)
        return blocks

    def ranks(self, m: int, b: int, kept: list[Any]) -> tuple[int, int, int, int]:
        """The tables that rank local words, as the kernels take them; `kept` has to outlive them."""
        low_bits = min(m, max(9, min(m - 9, 13)))  # two small tables fit into shared memory
        tables = _ranks(low_bits, 0, None), _ranks(m - low_bits, low_bits, b)
        arrays = [self.device.xp.asarray(table) for table in tables]
        kept += arrays
        return *map(self.device.address, arrays), low_bits, comb(m, b)  # type: ignore[return-value]


def plane_entries(rules: Quixo, a: int, b: int) -> int:
    """The entries of a plane of {a, b}."""
    return entry_count(rules, a, b) // len(classes_of(a, b))


def local_words(m: int, b: int) -> NDArray[np.uint32]:
    """All words with b of m bits, in ascending order."""
    words = np.zeros(1, np.uint32)
    # A word with n bits is a lower one with n - 1 bits, and one bit above them all.
    by_bits = {0: words}
    for top in range(m):
        for n in range(min(top + 1, b), 0, -1):
            above = by_bits[n - 1] | np.uint32(1 << top) if n - 1 in by_bits else words[:0]
            by_bits[n] = np.concatenate([by_bits[n], above]) if n in by_bits else above
    return by_bits.get(b, words[:0])


def words_without(m: int, b: int) -> NDArray[np.uint16]:
    """For each of m bits, the numbers of the local words without it."""
    words = local_words(m, b)
    numbers = [np.flatnonzero(words >> bit & 1 == 0) for bit in range(m)]
    return np.concatenate([*numbers, np.zeros(0, np.int64)]).astype(np.uint16)


@lru_cache(maxsize=64)
def _ranks(bits: int, shift: int, marks: int | None) -> NDArray[np.uint32]:
    """What each word of so many bits, from bit `shift` on, adds to a colexicographic rank.

    Under it are the others of `marks` bits, or none.
    """
    words = np.arange(1 << bits)
    is_set = [words >> bit & 1 for bit in range(bits)]
    below = np.zeros_like(words) if marks is None else marks - sum(is_set, np.zeros_like(words))
    ranks, nth = np.zeros(words.size, np.uint32), below
    for bit, its in enumerate(is_set):
        nth = nth + its
        ranks += its.astype(np.uint32) * _CHOOSE[shift + bit, np.maximum(nth, 0)]
    return np.where(below < 0, 0, ranks).astype(np.uint32)
