"""Quixo on a GPU that has no room for two layers: solved planes wait in the host's memory."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cuda import (
    CudaDevice,
    CudaEngine,
    require_gpu_memory,
    restored,
    width_of_losses,
)
from inarow.quixo.solver.engines.engine import Solved, class_counts
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_needed
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver, Source
from inarow.quixo.solver.engines.gpu_pieces import cut
from inarow.quixo.solver.engines.gpu_planes import HostPlane, from_device, to_device, width_of
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.files import Content
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.store import StoredPair


def cuda_engine(
    rules: Quixo, device: CudaDevice, *, budget: int | None = None
) -> CudaEngine | StreamedEngine:
    """What solves a game on a GPU within so many bytes of its memory, by default all that is free.

    Where there is room, solved pairs are kept on the GPU, which is faster.

    :raises InarowError: if there is too little memory either way.
    """
    room = device.free_bytes if budget is None else min(budget, device.free_bytes)
    if gpu_memory_needed(rules) <= room:
        return CudaEngine(rules, device)
    require_gpu_memory(device, rules, gpu_memory_needed(rules, streamed=True), budget)
    return StreamedEngine(rules, device)


@dataclass(slots=True)
class _Kept:
    """The planes of a solved pair that are still to be read, by their numbers; or where they can be found."""

    pair: PairId
    classes: tuple[ClassCounts, ...]
    planes: dict[int, HostPlane] = field(default_factory=dict)
    stored: StoredPair | None = None

    @property
    def needed(self) -> range:
        """The numbers of all planes that are read: with no marks of the smaller side, plane 0 is not."""
        return range(0 if self.pair[1] else 1, len(self.classes))


class StreamedEngine:
    """Solves pairs one after the other on a GPU, each alone there.

    Before the next one is solved, the planes of a pair are copied to the host. Every plane is read exactly
    once, by the pair that one mark fewer leads to: it is copied back for that, and given up.
    """

    pairs_at_once = 1

    def __init__(self, rules: Quixo, device: CudaDevice) -> None:
        self.name = device.name
        self._device = device
        self._solver = GpuPairSolver(rules, device, frugal=True)
        self._last: _Kept | None = None  # the pair that was solved last, unless it is not needed any more
        self._entries: Any = None  # of that pair

    def solve_layer(
        self, pairs: Sequence[PairId], above: Mapping[PairId, _Kept], room: int = 0
    ) -> Generator[Solved]:
        for a, b in pairs:
            self._make_room()
            larger = self._source(above.get((a + 1, b)), 1)
            smaller = self._source(above.get((a, b + 1)), 0) if a > b else None
            self._entries, histograms = self._solver.solve_from(a, b, larger, smaller)
            kept = self._last = _Kept((a, b), class_counts(a, b, histograms))
            entries = self._solver.plane_entries(a, b)
            memory = sum(entries * width_of(kept.classes[number]) for number in kept.needed)
            yield Solved(kept, kept.classes, memory, partial(self._give_up, kept))

    def load(self, stored: StoredPair) -> _Kept:
        """Nothing yet: the pair is read when one of its planes is needed, so that few of them take memory."""
        return _Kept(stored.record.pair, stored.classes, stored=stored)

    def content(self, kept: _Kept) -> Content:
        """Of the pair that was solved last."""
        planes = self._solver.planes(*kept.pair, self._entries)
        return cut(self._device, planes, width_of_losses(kept.classes))

    def timing(self) -> Mapping[str, float]:
        """Seconds of the kernels by what they do, and of copies."""
        self._device.collect_times()
        return self._device.seconds

    def _make_room(self) -> None:
        """Leave the GPU to the next pair."""
        if self._last is not None:
            self._copy(self._last, self._entries, self._last.needed)
        self._last = self._entries = None
        self._device.trim()

    def _give_up(self, kept: _Kept) -> None:
        """A pair is in its files: it can be read from there."""
        kept.planes.clear()
        if self._last is kept:
            self._last = None

    def _source(self, kept: _Kept | None, number: int) -> Source:
        """A plane of a pair, which it gives up; None if there is no such pair."""
        if kept is None:
            return None
        if number not in kept.planes:
            assert kept.stored is not None, "a plane is read once"
            self._read(kept, kept.stored, number)
            self._device.trim()
        plane = kept.planes.pop(number)
        return lambda: to_device(self._device, plane)

    def _read(self, kept: _Kept, stored: StoredPair, first: int) -> None:
        """Read the planes of a pair from its files, from the first that is needed on."""
        entries = restored(self._device, self._solver, stored)
        self._copy(kept, entries, range(first, len(kept.classes)))

    def _copy(self, kept: _Kept, entries: Any, numbers: range) -> None:
        """Copy planes of a pair to the host."""
        planes = self._solver.planes(*kept.pair, entries)
        for number in numbers:
            kept.planes[number] = from_device(self._device, planes[number], kept.classes[number])
