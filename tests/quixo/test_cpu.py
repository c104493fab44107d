"""The solver in all its ways on 4×4 and 5×5, its memory, and how it is interrupted."""

import random
import signal
from functools import cache
from typing import Any

import numpy as np
import pytest
from quixo.entries import BITMAPS, ENTRIES, invented, lanes, solve_entries, solve_planes
from quixo.host_device import HostDevice

import inarow
from inarow import memory
from inarow._native.quixo import Locator, Solver
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.plan import Plan
from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.pairs import classes_of, entry_count, pairs_of

FIVE = Quixo(5)


@cache
def host_blocks() -> GpuPairSolver:
    return GpuPairSolver(FIVE, HostDevice())


@cache
def solver() -> Solver:
    return Solver(Quixo(5).native, 1)


@pytest.mark.parametrize("kind", lanes())
@pytest.mark.parametrize("small", [BITMAPS, ENTRIES, 600], ids=["bitmaps", "entries", "both"])
@pytest.mark.parametrize("plies", [True, False], ids=["plies", "outcomes"])
def test_all_instructions_on_4x4(kind: str, small: int, plies: bool) -> None:
    found = solve_planes(Solver(Quixo(4).native, 2, kind, small), Quixo(4), plies)
    for pair, planes in solved_4x4().items():
        for plane, expected in zip(found[pair], planes, strict=True):
            for part in range(1 + plies):
                assert np.array_equal(plane[part], expected[part]), pair


@cache
def solved_4x4() -> Any:
    return solve_planes(Solver(Quixo(4).native, 1, "portable"), Quixo(4), True)


# Up to 25 free cells; {5, 2} has a block where the larger side cannot take a tile of its own.
@pytest.mark.parametrize(
    ("a", "b"),
    [
        *[(0, 0), (1, 0), (1, 1), (2, 1), (3, 2), (4, 2)],
        *[pytest.param(*pair, marks=pytest.mark.exhaustive) for pair in [(3, 3), (5, 2), (6, 1), (8, 0)]],
    ],
)
def test_pairs_with_few_marks_are_the_gpus(a: int, b: int) -> None:
    """No real children are at hand for these, so both solve the pair from children that are made up.

    Those of {2, 1} take more plies than a byte holds.
    """
    kinds = (200, 300, 301 if (a, b) == (2, 1) else 1)
    larger = invented(FIVE, a + 1, b, *kinds)
    smaller = invented(FIVE, a, b + 1, *kinds) if a > b else None
    expected, histograms = host_blocks().solve(a, b, larger, smaller)
    found, counts = solve_entries(solver(), a, b, larger, smaller)
    assert np.array_equal(found, expected)
    for one, other in zip(counts, histograms, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", lanes())
@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 0), (1, 0), (2, 0), (19, 2), (20, 3), (22, 1)],
        pytest.param([(2, 1), (2, 2)], marks=pytest.mark.exhaustive),
    ],
    ids=["some", "large"],
)
def test_bitmaps_of_any_size(pairs: list[tuple[int, int]], kind: str) -> None:
    """From children made up, the two ways find the same: rows are chosen by up to 16 axes."""
    solvers = [Solver(FIVE.native, 1, kind, small) for small in (BITMAPS, ENTRIES)]
    chance = np.random.default_rng(26)
    for a, b in pairs:
        # The same value for all: words that are symmetric to each other must not differ.
        values = chance.integers(3, size=2).tolist()

        def made_up(side: int, a: int = a, b: int = b, values: list[int] = values) -> Any:
            entries = entry_count(FIVE, a + 1 - side, b + side) // (1 if side and a == b + 1 else 2)
            return np.full(packed_size(entries), 0b01010101 * values[side], np.uint8), None

        bitmaps, entries = (solver.solve(a, b, False, made_up) for solver in solvers)
        for one, other in zip(bitmaps, entries, strict=True):
            assert np.array_equal(one[0], other[0])
            assert np.array_equal(one[2], other[2])


@pytest.mark.exhaustive
def test_full_boards_of_the_largest_size_have_the_published_counts() -> None:
    known = results(FIVE).statistics
    for (a, b), planes in solve_planes(solver(), FIVE, False, least=25).items():
        for (x, o), (_, _, counts) in zip(classes_of(a, b), planes, strict=True):
            assert counts.tolist() == [known[x, o].loss, known[x, o].draw, known[x, o].win]


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
    larger = np.full(entry_count(Quixo(3), 3, 2), 16382, np.uint16)
    with pytest.raises(OverflowError, match="more plies than can be held"):
        solve_entries(small, 2, 2, larger, None)
    larger[:] = 16000
    assert np.any(solve_entries(small, 2, 2, larger, None)[0] == 65535 - 16001)


def test_a_long_pair_can_be_interrupted() -> None:
    """By a signal after a little of the seconds that it takes."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    larger, smaller = (np.zeros(entry_count(FIVE, *pair), np.uint8) for pair in ((9, 2), (8, 3)))
    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            solve_entries(solver(), 8, 2, larger, smaller)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert solve_entries(solver(), 0, 0, np.full(12, 127, np.uint8), None)[0].tolist() == [32767]


def test_a_board_of_26_cells() -> None:
    """Pairs whose larger side has 21 marks or more need no others; samples of them follow from the rules."""
    rules, chance = Quixo(2, 13), random.Random(26)
    core, locator = Solver(rules.native, 1), Locator(rules.native)
    solved: dict[tuple[int, int], Any] = {}
    for a, b in pairs_of(rules):

        def above(side: int, a: int = a, b: int = b) -> Any:
            return (solved[a, b + 1][0] if side else solved[a + 1, b][1])[:2]

        if a >= 21:
            solved[a, b] = core.solve(a, b, True, above)

    def probe(position: Position) -> tuple[int, int]:
        [[name], [entry]] = locator.locate_many(np.array([position.mover_word], np.uint64))
        packed, plies, _ = solved[int(name) >> 6, int(name) >> 1 & 31][name & 1]
        return int(packed[entry // 4] >> entry % 4 * 2 & 3) - 1, int(plies[entry])

    undecided = 0
    for _ in range(300):
        cells = chance.sample(range(rules.cells), 26 - chance.randrange(3))
        larger = chance.randrange(21, 25)
        x, o = (sum(1 << cell for cell in marked) for marked in (cells[:larger], cells[larger:]))
        position = Position(rules, x, o, chance.choice("xo"))  # type: ignore[arg-type]
        if position.is_over:
            assert probe(position) == ({"win": 1, "loss": -1}[position.result or ""], 0)
            continue
        undecided += 1
        after = [probe(child) for child, _ in position.successors()]
        lost = [plies for value, plies in after if value == -1]
        if lost:
            assert probe(position) == (1, min(lost) + 1)
        elif all(value == 1 for value, _ in after):
            assert probe(position) == (-1, max(plies for _, plies in after) + 1)
        else:
            assert probe(position) == (0, 0)
    assert undecided > 50


def test_the_largest_board_is_estimated_and_larger_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "physical_memory", lambda: 20 * 10**9)
    with pytest.raises(inarow.InarowError, match=r"GB .* has 20\.0 GB"):
        inarow.solve(Quixo(2, 13))
    with pytest.raises(inarow.InarowError, match="up to 26 can be solved"):
        inarow.solve(Quixo(3, 9))
    with pytest.raises(inarow.InarowError, match="GPU solves boards of up to 25 cells"):
        inarow.solve(Quixo(2, 13), device="cuda")


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
