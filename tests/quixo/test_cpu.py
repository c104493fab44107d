"""The CPU's engine on pairs of 5×5 and with long words, its memory, and what it hands over when."""

import itertools
import signal
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from quixo.entries import narrowed, widened
from quixo.host_device import HostDevice
from quixo.test_solve import all_pairs, assert_same, each_variant

import inarow
from inarow import memory
from inarow._native.quixo import Solver
from inarow.quixo.results import results
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.gpu_board import local_words
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.plan import Plan
from inarow.quixo.table.pairs import entry_count, pairs_of

FIVE = Quixo(5)


@cache
def host_blocks() -> GpuPairSolver:
    return GpuPairSolver(FIVE, HostDevice())


@cache
def solver() -> Solver:
    return Solver(Quixo(5).native, 1)


@each_variant
def test_long_words_give_the_same(size: int, line: int, double_line: DoubleLine) -> None:
    rules = Quixo(size, line=line, double_line=double_line)
    best = all_pairs(rules)
    assert_same(best, all_pairs(rules, lanes="long"))
    wide = all_pairs(rules, lanes="long", wide=True, threads=2)
    assert_same(best, {pair: narrowed(entries) for pair, entries in wide.items()})


def _positions(a: int, b: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """A and B of every entry of a plane."""
    larger: NDArray[np.uint32] = host_blocks().board.blocks[a].masks[:, None]
    words = local_words(FIVE.cells - a, b)
    smaller = np.zeros((larger.size, words.size), np.uint32)
    free = np.zeros_like(larger)  # cells below this one that A leaves
    for cell in range(FIVE.cells):
        is_free = 1 - (larger >> cell & 1)
        smaller |= (words >> free & is_free) << cell
        free += is_free
    return np.broadcast_to(larger, smaller.shape).ravel(), smaller.ravel()


def _images(masks: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Under all eight symmetries."""
    found = []
    for mirror_rows, mirror_columns, transpose in itertools.product((False, True), repeat=3):
        cells = np.arange(FIVE.cells).reshape(5, 5)
        cells = cells[::-1] if mirror_rows else cells
        cells = cells[:, ::-1] if mirror_columns else cells
        cells = cells.T if transpose else cells
        image = np.zeros_like(masks)
        for cell, to in enumerate(cells.ravel().tolist()):
            image |= (masks >> cell & 1) << to
        found.append(image)
    return found


def _invented(a: int, b: int, plies: int) -> NDArray[np.uint8]:
    """Entries as a pair might have: the same for symmetric positions, and right where there are lines."""
    larger, smaller = _positions(a, b)
    both = [x.astype(np.uint64) << 32 | y for x, y in zip(_images(larger), _images(smaller), strict=True)]
    mixed = np.minimum.reduce(both)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> 31
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    number, kind = (mixed >> 40) % np.uint64(plies) + np.uint64(1), (mixed >> 32) % np.uint64(10)
    planes = []
    for mover, other in [(larger, smaller), (smaller, larger)][: 1 if a == b else 2]:
        entries = np.where(kind < 2, number, np.where(kind < 5, 127, 255 - number)).astype(np.uint8)
        for marks, value in ((other, 0), (mover, 255)):
            for line in FIVE.lines:
                entries[marks & line == line] = value
        planes.append(entries)
    return np.concatenate(planes)


# Up to 25 free cells; {5, 2} has a block where the larger side cannot take a tile of its own.
@pytest.mark.parametrize(
    ("a", "b"),
    [
        *[(0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (3, 3), (4, 2)],
        *[pytest.param(*pair, marks=pytest.mark.exhaustive) for pair in [(5, 2), (6, 1), (8, 0)]],
    ],
)
def test_pairs_with_few_marks_are_the_gpus(a: int, b: int) -> None:
    """No real children are at hand for these, so both solve the pair from children that are made up."""
    larger, smaller = _invented(a + 1, b, 9), _invented(a, b + 1, 9) if a > b else None
    expected, histograms = host_blocks().solve(
        a, b, widened(larger), None if smaller is None else widened(smaller)
    )
    [narrow] = solver().solve_narrow([(a, b, larger, smaller)])
    [from_narrow] = solver().solve_wide([(a, b, larger, smaller)])
    [mixed] = solver().solve_wide([(a, b, widened(larger), smaller)])
    assert narrow is not None
    assert from_narrow is not None
    assert mixed is not None
    assert np.array_equal(widened(narrow[0]), expected)
    assert np.array_equal(from_narrow[0], expected)
    assert np.array_equal(mixed[0], expected)
    for found, histogram in zip(from_narrow[1], histograms, strict=True):
        assert np.array_equal(found, histogram)


def test_classes_of_the_largest_board_are_the_published_ones() -> None:
    """The pairs of the last four layers whose larger side has 16 marks or more: they need no others."""
    engine = CpuEngine(FIVE)
    golden = {(c.x, c.o): c for c in results(FIVE).statistics.classes}
    above: dict[Any, Any] = {}
    for marks in range(25, 21, -1):
        pairs = [(a, marks - a) for a in range(25, 15, -1) if a <= marks]
        layer = {}
        for (a, b), solved in zip(pairs, engine.solve_layer(pairs, above), strict=True):
            layer[a, b] = solved.kept
            for counts in solved.classes:
                assert counts == golden[counts.x, counts.o]
        above = layer


def test_children_need_no_more_plies_than_a_pair_in_work_can_hold() -> None:
    small = Solver(Quixo(3).native, 1)
    larger = np.full(small.entries(3, 2), 16382, np.uint16)
    assert small.solve_wide([(2, 2, larger, None)]) == [None]
    larger[:] = 16000
    [found] = small.solve_wide([(2, 2, larger, None)])
    assert found is not None
    assert np.any(found[0] == 65535 - 16001)


def test_a_long_pair_can_be_interrupted() -> None:
    """By a signal after a little of the seconds that it takes."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    pair = 8, 2, np.zeros(solver().entries(9, 2), np.uint8), np.zeros(solver().entries(8, 3), np.uint8)
    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            solver().solve_narrow([pair])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    [solved] = solver().solve_narrow([(0, 0, np.full(12, 127, np.uint8), None)])
    assert solved is not None
    assert solved[0].tolist() == [127]


def test_the_memory_of_a_pair() -> None:
    engine = CpuEngine(FIVE)
    entries = entry_count(FIVE, 9, 8)
    assert engine.kept_size(9, 8) == entries + 2 * -(-entries // 8)
    assert engine.kept_size(9, 8) < engine.peak(9, 8) < 24e9
    outcomes = CpuEngine(FIVE, plies=False)
    assert max(outcomes.peak(a, b) for a, b in pairs_of(FIVE)) < 17e9


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "physical_memory", lambda: 20 * 10**9)
    with pytest.raises(inarow.InarowError, match=r"\d\d\.\d GB .* has 20\.0 GB; written to a table"):
        inarow.solve(FIVE)
    engine, pairs = CpuEngine(FIVE), list(pairs_of(FIVE))
    in_files, in_memory = (Plan(FIVE)._memory(engine, pairs, in_files=kind) for kind in (True, False))
    assert in_files < 24e9 < in_memory
    memory.require_memory(in_memory, None, here=False)
    monkeypatch.setattr(memory, "physical_memory", lambda: None)
    memory.require_memory(in_memory, None)
