"""What solves the pairs of a layer: the CPU's core or a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.entries import Entries

PairId = tuple[int, int]  # a, b


@dataclass(frozen=True, slots=True)
class Solved:
    """A solved pair: its entries, wherever the engine keeps them, and the counts of its classes."""

    kept: Any
    classes: tuple[ClassCounts, ...]


class Engine(Protocol):
    name: str  # of the device, if it is not the CPU

    def entries(self, a: int, b: int) -> int:
        """How many entries a pair has."""

    def load(self, entries: Entries) -> Any:
        """Take entries that were solved before."""

    def host(self, kept: Any) -> Entries:
        """Entries as an array in memory, of either width."""

    def timing(self) -> Mapping[str, float]:
        """Seconds of each part of the work so far, where they are measured."""

    def solve_layer(self, pairs: list[PairId], above: dict[PairId, Any]) -> Iterator[Solved]:
        """Solve pairs with the same number of marks, in their order, from all those with one mark more."""


def class_counts(a: int, b: int, histograms: list[NDArray[np.uint64]]) -> tuple[ClassCounts, ...]:
    """The counts of the one or two classes of a pair, from the histogram of each plane."""
    sides = [(a, b)] if a == b else [(a, b), (b, a)]
    return tuple(
        ClassCounts.from_histogram(x, o, histogram)
        for (x, o), histogram in zip(sides, histograms, strict=True)
    )
