"""One look at every move of every position, on a GPU: what other studies count, where they take too long."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board, Locator, kernels
from inarow.quixo.arrays import class_size
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.cuda import CudaDevice, CudaEngine, SolvedPair
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.pairs import PairId, classes_of
from inarow.quixo.table.store import NoStore, Progress

__all__ = ["ClassSurvey", "Sequences", "Survey", "survey", "surveyed_on"]

Words: TypeAlias = NDArray[np.uint64]

_ROOM = 1 << 16  # positions of a plane that are listed
_EXAMPLES = 24
_LISTED = 1024  # entries of a plane, of which some are images of each other
_AT_ONCE = 1 << 28  # entries that are searched together


@dataclass(frozen=True, slots=True)
class ClassSurvey:
    """The counts of a class over all its positions, in the order of native/quixo/gpu_survey.hpp.

    They are those of `ClassPassing`, `ClassBlanks` and `ClassDraws`. `returning` are the draws to which,
    whatever move keeps the draw, the other side can return (Figure 9d of the paper).
    """

    x: int
    o: int
    states: int
    unfinished: int
    loss_to_draw: int  # passing would be better
    loss_to_win: int
    draw_to_win: int
    with_choice: int  # won or drawn, with blank tiles and own marks to take
    only_blanks: int
    only_own: int
    blank_moves: int
    blank_kept: int
    own_moves: int
    own_kept: int
    drawn: int
    moves: int  # of drawn positions
    kept: int
    single: int
    returning: int

    @property
    def better(self) -> int:
        """Positions where passing would be better than every move."""
        return self.loss_to_draw + self.loss_to_win + self.draw_to_win


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequences in which each side in turn has a single move that keeps the draw.

    `by_plies` counts the positions where one of so many plies begins, and `endless` those where it never
    ends. `longest` are positions where the longest begins, up to symmetry.
    """

    by_plies: tuple[int, ...]
    longest: tuple[Position, ...]
    endless: int
    repeating: tuple[Position, ...]  # with fewest marks, where one that never ends begins

    def to_json(self) -> dict[str, Any]:
        return {
            "by_plies": list(self.by_plies),
            "longest": list(map(str, self.longest)),
            "endless": self.endless,
            "repeating": list(map(str, self.repeating)),
        }


@dataclass(frozen=True, slots=True)
class Survey:
    rules: Quixo
    classes: tuple[ClassSurvey, ...]
    better: tuple[Position, ...]  # those with fewest marks, up to symmetry
    better_count: int  # up to symmetry
    returning: tuple[Position, ...]
    returning_count: int
    sequences: Sequences | None  # None if they were not looked for

    def total(self, field: str) -> int:
        """A field of all classes together."""
        return sum(getattr(its, field) for its in self.classes)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "quixo",
            **self.rules.to_json(),
            "better": self.total("better"),
            "better_up_to_symmetry": self.better_count,
            "better_positions": list(map(str, self.better)),
            "drawn": self.total("drawn"),
            "returning": self.total("returning"),
            "returning_up_to_symmetry": self.returning_count,
            "returning_positions": list(map(str, self.returning)),
            "sequences": self.sequences and self.sequences.to_json(),
            "classes": [asdict(its) for its in self.classes],
        }


def survey(rules: Quixo, progress: Progress | None = None, *, sequences: bool = True) -> Survey:
    """Solve a game on a GPU, and look at each of its pairs on the way."""
    device = CudaDevice()
    device.remap_memory()
    return surveyed_on(device, rules, progress, sequences=sequences)


def surveyed_on(
    device: CudaDevice, rules: Quixo, progress: Progress | None = None, *, sequences: bool = True
) -> Survey:
    """As `survey`, found by the kernels of a device."""
    classes: list[ClassSurvey] = []
    lists: tuple[dict[int, list[Words]], ...] = {}, {}  # by the number of marks
    counts = [0, 0]
    forced = _Forced(rules)

    def watch(solver: GpuPairSolver, pair: SolvedPair) -> None:
        for (x, o), plane in zip(classes_of(pair.a, pair.b), solver.survey(*pair, _ROOM), strict=True):
            classes.append(ClassSurvey(x, o, class_size(rules, x, o), *plane.counts))
            for which, positions in enumerate(plane.positions):
                counts[which] += plane.listed[which]
                if positions.size:
                    lists[which].setdefault(x + o, []).append(positions)
        if sequences:
            forced.watch(solver, pair)

    solve_pairs(rules, CudaEngine(rules, device, watch=watch), NoStore(), progress=progress)
    classes.sort(key=lambda its: (its.x + its.o, its.x))
    better, returning = (
        _positions(rules, np.concatenate(found[min(found)]) if found else []) for found in lists
    )
    only_moves = forced.sequences() if sequences else None
    return Survey(rules, tuple(classes), better, counts[0], returning, counts[1], only_moves)


class _Forced:
    """Finds sequences of only moves, pair by pair; keeps those of the layer above, into which they lead."""

    def __init__(self, rules: Quixo) -> None:
        self._rules = rules
        self._locator = Locator(rules.native)
        self._above: dict[PairId, Any] = {}
        self._histogram = np.zeros(256, np.uint64)
        self._longest: tuple[int, list[int]] = 0, []
        self._endless: tuple[int, list[int]] = 0, []  # their number of marks, and some of them

    def watch(self, solver: GpuPairSolver, pair: SolvedPair) -> None:
        a, b = pair.a, pair.b
        self._above = {key: plies for key, plies in self._above.items() if sum(key) <= a + b + 1}
        device = solver.device
        larger, smaller = self._above.get((a + 1, b)), self._above.get((a, b + 1)) if a > b else None
        above = tuple(None if its is None else device.xp.asarray(its) for its in (larger, smaller))
        plies, histograms = solver.force(*pair, above)
        self._above[a, b] = device.host(plies)  # a GPU has no room for those of two layers
        size = solver.plane_entries(a, b)
        for side, histogram in enumerate(histograms):
            self._histogram += histogram
            plane = plies[side * size : (side + 1) * size]
            longest = int(np.flatnonzero(histogram[: kernels.FORCED_FOR_EVER]).max(initial=0))
            if longest and longest >= self._longest[0]:
                kept = self._longest[1] if longest == self._longest[0] else []
                self._longest = longest, kept + self._words(solver, pair, side, plane, longest)
            if histogram[kernels.FORCED_FOR_EVER]:
                kept = self._endless[1] if a + b == self._endless[0] else []
                words = self._words(solver, pair, side, plane, kernels.FORCED_FOR_EVER)
                self._endless = a + b, kept + words

    def sequences(self) -> Sequences:
        by_plies = [int(count) for count in self._histogram[1 : self._longest[0] + 1]]
        return Sequences(
            tuple(by_plies),
            _positions(self._rules, self._longest[1]),
            int(self._histogram[kernels.FORCED_FOR_EVER]),
            _positions(self._rules, self._endless[1]),
        )

    def _words(self, solver: GpuPairSolver, pair: SolvedPair, side: int, plane: Any, plies: int) -> list[int]:
        """Some positions of a plane where a sequence of so many plies begins."""
        xp, of_block = solver.device.xp, solver.board.block_entries(pair.a, pair.b)
        found: list[int] = []
        for first in range(0, plane.size, _AT_ONCE):
            some = solver.device.host(xp.flatnonzero(plane[first : first + _AT_ONCE] == plies)[:_LISTED])
            for entry in (some + first).tolist():
                found.append(self._locator.word(pair.a, pair.b, side, *divmod(entry, of_block)))
            if len(found) >= _LISTED:
                break
        return found[:_LISTED]


def _positions(rules: Quixo, words: Any) -> tuple[Position, ...]:
    """Some of them, each once up to symmetry."""
    canonical = np.unique(Board(rules.native).canonical(np.array(words, np.uint64)))
    return tuple(rules.from_word(word) for word in canonical[:_EXAMPLES].tolist())
