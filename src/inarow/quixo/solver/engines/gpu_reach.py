"""Finds the reachable positions of Quixo with the kernels of kernels/quixo.cu, a bit for each.

A program of its own beside that of inarow.quixo.reachable, for boards of every size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np

from inarow._native.quixo import Locator
from inarow.quixo.arrays import class_size
from inarow.quixo.reachable import KINDS, ClassReach, Reachability
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.gpu_board import Device, GpuBoard, local_words
from inarow.quixo.table.pairs import entry_count, layers_of, pairs_of
from inarow.quixo.table.store import Progress

# As in native/quixo/gpu_reach.hpp.
_PLANE = np.dtype(
    [
        *(("bits", "<u8"), ("masks", "<u8"), ("entries", "<u4")),
        *(("stride", "<u4"), ("mover_is_a", "<u4"), ("padding", "<u4")),
    ]
)
_REACH = np.dtype(
    [
        *(("here", _PLANE), ("before", _PLANE, (2,))),
        *(("closed", "<u8"), ("where", "<u8"), ("words", "<u8"), ("changed", "<u8")),
    ]
)


def reachable_on(device: Device, rules: Quixo, progress: Progress | None = None) -> Reachability:
    """Which positions games can reach from the empty board, and whether any move leads to the others."""
    classes = []
    examples: dict[str, Position] = {}
    total, done = sum(entry_count(rules, *pair) for pair in pairs_of(rules)), 0
    for found in _Walk(rules, device).classes():
        x, o, reached, closed = found.x, found.o, found.reachable, found.closed
        classes.append(ClassReach(x, o, reached, closed, class_size(rules, x, o) - reached - closed))
        for kind, word in zip(KINDS, (found.first_closed, found.first_open), strict=True):
            if word is not None:
                examples[kind] = rules.from_word(word)
        if x >= o:
            done += entry_count(rules, x, o)
            if progress:
                progress(done, total)
    return Reachability(rules, tuple(classes), examples)


class _Reached(NamedTuple):
    """A class, by marks of the side to move and of the other, and how many of its positions are reachable.

    Of the others, to `closed` ones no move of an unfinished game leads. The words are of the first position
    of either kind, `closed` and neither, or None; they are looked for until there is one.
    """

    x: int
    o: int
    reachable: int
    closed: int
    first_closed: int | None
    first_open: int | None


@dataclass(slots=True)
class _Plane:
    """A class on the device."""

    a: int
    b: int
    side: int
    bits: Any
    closed: Any


class _Walk:
    """Walks through all positions, layer by layer, from the empty board to full ones."""

    def __init__(self, rules: Quixo, device: Device) -> None:
        self._rules = rules
        self._device = device
        self._board = GpuBoard(rules, device)
        self._locator = Locator(rules.native)
        self._planes: dict[tuple[int, int], _Plane] = {}  # of this layer and the one before it
        self._found_closed = self._found_open = False

    def classes(self) -> Iterator[_Reached]:
        """The classes, those with few marks first."""
        for layer in reversed(list(layers_of(self._rules))):
            marks = sum(layer[0])
            self._planes = {key: plane for key, plane in self._planes.items() if sum(key) == marks - 1}
            for a, b in layer:
                self._walk(a, b)
            for x in range(marks + 1):
                yield self._reached(x, marks - x)

    def _walk(self, a: int, b: int) -> None:
        """Reach what can be reached of a pair: from the layer before, and then from itself."""
        xp, game = self._device.xp, self._board.game
        planes = [self._plane(a, b, side) for side in range(1 if a == b else 2)]
        if a == 0:
            planes[0].bits[0] = 1
            return
        changed = xp.zeros(1, np.uint32)
        words = xp.asarray(local_words(self._rules.cells - a, b))
        structures = [self._lay_out(plane, words, changed) for plane in planes]
        while True:
            changed[:] = 0
            for plane, structure in zip(planes, structures, strict=True):
                self._device.reach(game, structure, plane.bits.size)
            if not int(self._device.host(changed)[0]):
                return

    def _plane(self, a: int, b: int, side: int) -> _Plane:
        xp = self._device.xp
        size = self._stride(a, b) * int(self._board.blocks[a].masks.size)
        plane = _Plane(a, b, side, xp.zeros(size, np.uint32), xp.zeros(size, np.uint32))
        self._planes[(a, b) if side == 0 else (b, a)] = plane
        return plane

    def _stride(self, a: int, b: int) -> int:
        return -(-comb(self._rules.cells - a, b) // 32)

    def _lay_out(self, plane: _Plane, words: Any, changed: Any) -> Any:
        """A class as the kernel reads it, with those from which moves lead to it."""
        address = self._device.address
        x, o = (plane.a, plane.b) if plane.side == 0 else (plane.b, plane.a)
        reach = np.zeros((), _REACH)
        reach["here"] = self._structure(plane)
        for number, key in enumerate(((o - 1, x), (o, x))):
            if key in self._planes:
                reach["before"][number] = self._structure(self._planes[key])
        for field, array in (
            ("closed", plane.closed),
            ("where", self._board.where),
            ("words", words),
            ("changed", changed),
        ):
            reach[field] = address(array)
        return self._device.xp.asarray(np.frombuffer(reach.tobytes(), np.uint8).copy())

    def _structure(self, plane: _Plane) -> tuple[int, ...]:
        a, b, address = plane.a, plane.b, self._device.address
        masks = self._board.blocks[a].masks
        sizes = self._board.block_entries(a, b), self._stride(a, b)
        return address(plane.bits), address(masks), *sizes, int(plane.side == 0), 0

    def _reached(self, x: int, o: int) -> _Reached:
        plane, states = self._planes[x, o], class_size(self._rules, x, o)
        reachable, closed = self._count(plane, plane.bits), self._count(plane, plane.closed)
        first_closed = first_open = None
        if closed and not self._found_closed:
            first_closed, self._found_closed = self._first(plane, plane.closed), True
        if reachable + closed < states and not self._found_open:
            first_open, self._found_open = self._first(plane, ~(plane.bits | plane.closed)), True
        return _Reached(x, o, reachable, closed, first_closed, first_open)

    def _count(self, plane: _Plane, bits: Any) -> int:
        total = self._device.xp.zeros(1, np.uint64)
        orbits = self._board.blocks[plane.a].orbits
        self._device.count_bits(bits, self._stride(plane.a, plane.b), orbits, total)
        return int(self._device.host(total)[0])

    def _first(self, plane: _Plane, bits: Any) -> int:
        """The word of the first position whose bit is set."""
        stride, entries = self._stride(plane.a, plane.b), self._board.block_entries(plane.a, plane.b)
        flags = np.unpackbits(self._device.host(bits).view(np.uint8), bitorder="little").reshape(
            -1, stride * 32
        )
        block, rank = divmod(int(np.argmax(flags[:, :entries])), entries)
        return self._locator.word(plane.a, plane.b, plane.side, block, rank)
