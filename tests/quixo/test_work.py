"""How much work a run is: what is estimated of it, and how far it says it is."""

from __future__ import annotations

import errno
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import inarow
from inarow.cuda import Gpu, gpu_here
from inarow.errors import InarowError
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.plan import Needs, Plan
from inarow.quixo.table.pairs import entry_count, pairs_of

FIVE = Quixo(5)
H200 = Gpu("an H200", 140 * 10**9, 139 * 10**9, 132, 1980)


@pytest.mark.parametrize("plies", [False, True])
def test_nearly_full_and_balanced_pairs_are_more_work(plies: bool) -> None:
    def of_an_entry(a: int, b: int) -> float:
        return Plan(FIVE, plies=plies).work((a, b)) / entry_count(FIVE, a, b)

    assert of_an_entry(13, 12) > of_an_entry(12, 11) > of_an_entry(9, 8)
    assert of_an_entry(8, 8) > of_an_entry(9, 7) > of_an_entry(13, 3)
    assert all(Plan(Quixo(2), plies=plies).work(pair) > 0 for pair in pairs_of(Quixo(2)))


def test_what_a_resumed_run_finds_does_not_pass_for_speed(tmp_path: Path) -> None:
    def told(stop_at: int = 0) -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []
        inarow.solve(Quixo(3), tmp_path / "t", stop_at=stop_at, progress=lambda *at: seen.append(at))
        return seen

    first, rest, nothing_left = told(stop_at=5), told(), told()
    assert len(first) == len(list(pairs_of(Quixo(3), 5)))
    assert len(first) + len(rest) == len(list(pairs_of(Quixo(3))))
    assert rest[0][0] > first[-1][0] == first[-1][1]
    assert nothing_left == [rest[-1]] == [(rest[-1][1], rest[-1][1])]


# --- What it takes on CPUs ---


def test_the_largest_size_fits_its_budget(tmp_path: Path) -> None:
    outcomes, whole = (Plan(FIVE, tmp_path / "t", plies=plies).needs() for plies in (False, True))
    least, most = outcomes.seconds_between
    assert 45 < least < outcomes.seconds < most < 2 * least
    assert 10e9 < outcomes.memory < 18e9 < whole.memory < 24 << 30
    assert 3e9 < outcomes.disk < 4.5e9
    assert 12e9 < whole.disk < 20e9
    assert 12e9 < Plan(FIVE, device="cuda").disk(list(pairs_of(FIVE))) < 14e9


def test_nearly_full_boards_take_more_for_an_entry(tmp_path: Path) -> None:
    rules = Quixo(4, 5)

    def seconds(threads: int, stop_at: int = 0) -> float:
        return Plan(rules, tmp_path / "t", plies=False, threads=threads, stop_at=stop_at).needs().seconds

    whole, half, top = seconds(1), seconds(2), seconds(1, stop_at=17)
    assert half == pytest.approx(whole / 2)
    entries = [sum(entry_count(rules, *pair) for pair in pairs_of(rules, at)) for at in (0, 17)]
    assert top / whole > 2 * entries[1] / entries[0]


@pytest.mark.parametrize("plies", [False, True])
def test_needs_of_any_shape(tmp_path: Path, plies: bool) -> None:
    shapes = [(4, 4), (3, 6), (4, 5), (3, 7)]
    needs = [Plan(Quixo(*shape), tmp_path / "t", plies=plies).needs() for shape in shapes]
    assert needs[0].seconds == 0  # sooner done than estimated
    for smaller, larger in itertools.pairwise(needs):
        assert smaller.seconds < larger.seconds
        assert smaller.memory < larger.memory
        assert smaller.disk < larger.disk


@pytest.mark.parametrize("outcomes_only", [True, False])
def test_what_does_not_fit_is_refused_before_it_begins(
    outcomes_only: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Quixo(4, 5)
    with pytest.raises(InarowError, match=r"up to 1\.\d GB of memory; --memory allows 1\.0 GB"):
        inarow.solve(rules, tmp_path / "t", outcomes_only=outcomes_only, memory=10**9)
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=10**6))
    with pytest.raises(OSError, match=r"takes about \d+,\d{3},\d{3} bytes; 1,000,000 are free") as caught:
        inarow.solve(rules, tmp_path / "t", outcomes_only=outcomes_only)
    assert caught.value.errno == errno.ENOSPC
    assert not (tmp_path / "t").exists()


# --- And on a GPU ---


def gpu_needs(rules: Quixo, out: Path, gpu: Gpu, stop_at: int = 0, budget: int | None = None) -> Needs:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inarow.cuda.gpu_here", lambda: gpu)
        return Plan(rules, out, device="cuda", stop_at=stop_at, gpu_memory=budget).needs()


def test_the_time_on_a_gpu(tmp_path: Path) -> None:
    """The measured times of one H200, with kernels that were compiled before and that were not."""

    def between(
        rules: Quixo = FIVE, gpu: Gpu = H200, stop_at: int = 0, budget: int | None = None
    ) -> tuple[float, float]:
        return gpu_needs(rules, tmp_path / "t", gpu, stop_at, budget).seconds_between

    for measured, found in (
        (28.0, between()),
        (38.1, between()),
        (37.6, between(Quixo(5, double_line="wins"))),
        (15.3, between(Quixo(5, line=4))),
        (6.1, between(Quixo(5, line=3))),
        (45.3, between(budget=22 * 10**9)),
    ):
        least, most = found
        assert least < measured < most
    assert between(gpu=replace(H200, free=30 * 10**9)) == between(budget=30 * 10**9)
    assert between(gpu=replace(H200, processors=66))[0] > 1.8 * between()[0]
    assert between(stop_at=18)[0] < between()[0]


def test_what_a_table_has_takes_nothing(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "t")
    for needs in (gpu_needs(Quixo(3), tmp_path / "t", H200), Plan(Quixo(3), tmp_path / "t").needs()):
        assert (needs.seconds, needs.memory, needs.disk) == (0, 0, 0)
    with pytest.raises(inarow.WrongTable):
        gpu_needs(Quixo(4), tmp_path / "t", H200)


def test_a_gpu_whose_driver_does_not_tell_its_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(attributes: dict[str, int]) -> Gpu:
        runtime = SimpleNamespace(
            getDevice=lambda: 0,
            getDeviceProperties=lambda number: {"name": b"a GPU"},
            memGetInfo=lambda: (5, 8),
        )
        device = SimpleNamespace(id=0, attributes=attributes)
        monkeypatch.setitem(
            sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=lambda: device))
        )
        return gpu_here()

    assert of({"MultiProcessorCount": 132, "ClockRate": 1_980_000}) == Gpu("a GPU", 8, 5, 132, 1980)
    for silent in ({"MultiProcessorCount": 46}, {"MultiProcessorCount": 46, "ClockRate": 0}):
        assert of(silent).megahertz > 1000
