"""The interface of all engines."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content
from inarow.quixo.table.manifest import PairRecord
from inarow.quixo.table.pairs import PairId, classes_of
from inarow.quixo.table.store import StoredPair


@dataclass(frozen=True, slots=True)
class Solved:
    """A solved pair: what the engine keeps of it for the layer below, and the counts of its classes."""

    kept: Any
    classes: tuple[ClassCounts, ...]
    memory: int = 0  # bytes of this machine's memory that `kept` takes
    # Saves what the layer below needs and the table leaves out, before `kept` is given up for its file.
    put_aside: Callable[[], None] = lambda: None


class Engine(Protocol):
    """Solves pairs, layer by layer. It alone knows what it keeps of a pair."""

    name: str = ""  # of the hardware, if it is not this machine's CPU
    pairs_at_once: int  # that it solves side by side on this machine, if there is room

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, Any], room: int = 0
    ) -> Generator[Solved]:
        """Solve pairs with the same number of marks, in their order, from what is kept of the layer above.

        `room` is how many bytes of memory there are for pairs that are solved side by side.
        """

    def load(self, stored: StoredPair) -> Any:
        """What to keep of a pair that was solved before."""

    def content(self, kept: Any) -> Content | PairRecord:
        """A pair as a store takes it: its content, or a record if the files have been written already."""

    def timing(self) -> Mapping[str, float]:
        """Seconds of each part of the work so far, where they are measured."""
        return {}


def class_counts(a: int, b: int, histograms: Sequence[NDArray[np.uint64]]) -> tuple[ClassCounts, ...]:
    """The counts of a pair's classes, from the histogram of each plane."""
    planes = zip(classes_of(a, b), histograms, strict=True)
    return tuple(ClassCounts.from_histogram(x, o, histogram) for (x, o), histogram in planes)
