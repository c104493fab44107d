"""Pairs that are solved side by side: in their order, within the memory there is, and stopped together."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quixo.forms import contents

import inarow
from inarow._native.quixo import Solver, Stop
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines import cpu
from inarow.quixo.solver.engines.cpu import side_by_side
from inarow.quixo.solver.engines.engine import Solved
from inarow.quixo.table.pairs import PairId


class Work:
    """Solves pairs by sleeping, and keeps count of the memory that it would take."""

    def __init__(self, peaks: list[int]) -> None:
        self.pairs: list[PairId] = [(number, 0) for number in range(len(peaks))]
        self.peaks = peaks
        self.held: dict[PairId, int] = {}  # of what is being solved, and of what nobody has asked for yet
        self.most = self.at_once = 0
        self._lock = threading.Lock()

    def peak(self, a: int, _: int) -> int:
        return self.peaks[a]

    def solve(self, pair: PairId, _: Stop) -> Solved:
        with self._lock:
            self.held[pair] = self.peaks[pair[0]]
            self.most = max(self.most, sum(self.held.values()))
            self.at_once = max(self.at_once, len(self.held))
        time.sleep(0.001)
        with self._lock:
            self.held[pair] //= 2
        return Solved(pair, (), memory=self.held[pair])


@given(st.lists(st.integers(0, 100), max_size=12), st.integers(0, 300), st.integers(1, 4))
def test_in_their_order_and_within_the_room(peaks: list[int], room: int, most: int) -> None:
    work, found = Work(peaks), []
    for solved in side_by_side(work.pairs, work.solve, work.peak, room, most):
        found.append(solved.kept)
        del work.held[solved.kept]  # the caller has it now
    assert found == work.pairs
    # The first one that is not asked for yet may be there in any case.
    assert work.most <= room + max(peaks, default=0)


def test_several_at_a_time() -> None:
    work = Work([1] * 12)
    assert len(list(side_by_side(work.pairs, work.solve, work.peak, 100, 4))) == 12
    assert work.at_once > 1


def above(side: int) -> Any:
    raise AssertionError("a full board has no pair above it")


def solve_until_stopped(stop: Stop) -> None:
    """On another thread than the one that gets Ctrl-C."""
    solver = Solver(Quixo(3).native, 1)
    with suppress(RuntimeError):
        while True:
            solver.solve(9, 0, False, above, stop)


def test_what_goes_wrong_is_raised_and_the_others_are_stopped() -> None:
    stopped = threading.Event()

    def solve(pair: PairId, stop: Stop) -> Solved:
        if pair == (0, 0):
            time.sleep(0.02)
            raise OverflowError("too many plies")
        solve_until_stopped(stop)
        stopped.set()
        return Solved(pair, ())

    with pytest.raises(OverflowError, match="too many plies"):
        list(side_by_side([(0, 0), (1, 0)], solve, lambda *_: 1, 10, 4))
    assert stopped.is_set()


def test_closing_it_stops_what_is_being_solved() -> None:
    begun: list[PairId] = []

    def solve(pair: PairId, stop: Stop) -> Solved:
        begun.append(pair)
        if pair != (0, 0):
            solve_until_stopped(stop)
        return Solved(pair, ())

    solving = side_by_side([(number, 0) for number in range(9)], solve, lambda *_: 1, 10, 4)
    assert next(solving).kept == (0, 0)
    solving.close()
    assert len(begun) < 9


@pytest.mark.parametrize("plies", [True, False], ids=["plies", "outcomes"])
def test_the_same_files_as_one_after_the_other(
    plies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "_THREADS_OF_A_PAIR", 1)
    rules = Quixo(3, 4)
    for threads in (1, 3):
        inarow.solve(rules, tmp_path / str(threads), outcomes_only=not plies, threads=threads)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
