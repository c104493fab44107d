"""Solving on a GPU with little memory, run on the CPU: within a budget, and with the same results."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from quixo.forms import contents
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import each_device, needs_gpu

import inarow
from inarow.errors import InarowError
from inarow.memory import PROGRAM
from inarow.quixo.rules import Quixo
from inarow.quixo.solver import schedule
from inarow.quixo.solver.engines import cuda, gpu_planes
from inarow.quixo.solver.engines.cuda import CudaEngine
from inarow.quixo.solver.engines.cuda_streamed import StreamedEngine, cuda_engine
from inarow.quixo.solver.engines.gpu_memory import (
    CUDA_ON_HOST,
    _shared,
    gpu_memory_needed,
    host_memory_needed,
)
from inarow.quixo.solver.engines.gpu_planes import from_device, to_device
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of
from inarow.quixo.table.store import NoStore, StoredPair

RULES = [Quixo(3), Quixo(3, double_line="wins"), Quixo(2, 4, line=3, double_line="wins"), Quixo(3, 4)]


class Gpus:
    """The devices that were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[HostDevice] = []
        monkeypatch.setattr(cuda, "CudaDevice", self._make)

    def _make(self) -> HostDevice:
        self.made.append(HostDevice())
        return self.made[-1]


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Gpus:
    return Gpus(monkeypatch)


def streamed(rules: Quixo, device: Any = None) -> StreamedEngine:
    return StreamedEngine(rules, cast(Any, device or HostDevice()))


# --- Planes ---


@each_device
@pytest.mark.parametrize("values", [1, 256, 257, 1000])
def test_a_plane_comes_back_as_it_was(values: int, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_planes, "AT_ONCE", 1024)
    device, random = kind(), np.random.default_rng(values)
    possible = np.delete(random.permutation(1 << 16), 0)[:values].astype(np.uint16)
    entries = np.concatenate([possible, random.choice(possible, 5000)])
    counts = ClassCounts.from_histogram(1, 0, np.bincount(entries, minlength=1 << 16).astype(np.uint64))
    plane = from_device(device, device.xp.asarray(entries), counts)
    assert plane.nbytes == entries.size * (1 if values <= 256 else 2)
    assert np.array_equal(device.host(to_device(device, plane)), entries)
    assert not plane.parts, "it is given up"


# --- Within a budget ---


@pytest.mark.parametrize(
    "rules", [*RULES, Quixo(4), pytest.param(Quixo(2, 9), marks=pytest.mark.exhaustive)], ids=str
)
def test_it_stays_within_its_budget(rules: Quixo, gpus: Gpus) -> None:
    budget = gpu_memory_needed(rules, streamed=True)
    assert budget < gpu_memory_needed(rules)
    solution = inarow.solve(rules, device="cuda", gpu_memory=budget)
    assert solution.statistics == inarow.solve(rules).statistics
    most = gpus.made[0].xp.most
    assert most <= budget
    assert budget - most < _shared(rules), "what grows with the board is hardly overestimated"


def test_without_a_budget_it_takes_more(gpus: Gpus) -> None:
    rules = Quixo(3, 4)
    little = inarow.solve(rules, device="cuda", gpu_memory=gpu_memory_needed(rules, streamed=True))
    assert inarow.solve(rules, device="cuda").statistics == little.statistics
    used, used_without = (gpu.xp.most for gpu in gpus.made)
    assert used < used_without <= gpu_memory_needed(rules)


def test_what_5x5_needs() -> None:
    """A GPU of 24 GB is enough, in a machine with 24 GB, or 16 GB if it writes a table."""
    for rules in (Quixo(5), Quixo(4, 6), Quixo(3, 8), Quixo(2, 12)):
        pairs = list(pairs_of(rules))
        assert gpu_memory_needed(rules, streamed=True) < 22e9 < gpu_memory_needed(rules)
        assert host_memory_needed(rules, pairs, in_files=False) < 22e9
        assert host_memory_needed(rules, pairs, in_files=True) < 14e9


def test_memory_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plane is given up when it was read, and no more is held than was said to be needed."""
    rules = Quixo(3, 4)
    device = HostDevice()
    solve_pairs(rules, streamed(rules, device=device), NoStore())
    needed = host_memory_needed(rules, list(pairs_of(rules)), in_files=False)
    assert 0.9 * needed < device.most_fetched <= needed
    assert device.fetched == 0
    largest = max(entry_count(rules, a, b) for a, b in pairs_of(rules))
    assert needed < sum(entry_count(rules, a, b) for a, b in pairs_of(rules)) / 2
    assert needed > largest


def test_where_there_is_room_everything_stays_on_the_gpu() -> None:
    rules, device = Quixo(3), HostDevice()
    assert isinstance(cuda_engine(rules, device), CudaEngine)  # type: ignore[arg-type]
    little = gpu_memory_needed(rules) - 1
    assert isinstance(cuda_engine(rules, device, budget=little), StreamedEngine)  # type: ignore[arg-type]
    device.free_bytes = little
    assert isinstance(cuda_engine(rules, device), StreamedEngine)  # type: ignore[arg-type]


def test_too_small_budgets_are_refused(gpus: Gpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules, out = Quixo(3, 4), tmp_path / "t"
    needed = gpu_memory_needed(rules, streamed=True)
    says = r"3×4 needs \d\.\d MB of GPU memory; --gpu-memory allows \d\.\d MB"
    with pytest.raises(InarowError, match=says):
        inarow.solve(rules, out, device="cuda", gpu_memory=needed - 1)
    assert not out.exists()
    inarow.solve(rules, out, device="cuda", gpu_memory=needed)
    monkeypatch.setattr(HostDevice, "free_bytes", 1000)
    with pytest.raises(InarowError, match=r"3×4 needs \d\.\d MB of GPU memory; this CPU has 1\.0 kB free"):
        inarow.solve(rules, device="cuda", gpu_memory=needed)


def test_too_little_memory_of_the_host_is_refused(gpus: Gpus, tmp_path: Path) -> None:
    rules = Quixo(3, 4)
    gpu_memory = gpu_memory_needed(rules, streamed=True)
    for out in (None, tmp_path / "t"):
        with pytest.raises(InarowError, match=r"this takes up to .* of memory; --memory allows 1\.1 GB"):
            inarow.solve(rules, out, device="cuda", gpu_memory=gpu_memory, memory=CUDA_ON_HOST)
    inarow.solve(rules, device="cuda", memory=CUDA_ON_HOST)  # everything is on the GPU


def test_a_limit_of_a_gpu_is_for_a_gpu() -> None:
    with pytest.raises(InarowError, match=r"--gpu-memory\) is for solving there \(--device cuda\)"):
        inarow.solve(Quixo(3), gpu_memory=10**9)


# --- The same files ---


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_it_writes_the_same_files(rules: Quixo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_planes, "AT_ONCE", 1000)  # so that planes have several parts
    inarow.solve(rules, tmp_path / "cpu")
    for stop_at in (6, 6, 5, 0):  # what is finished is read from files
        folder = TableFolder(tmp_path / "gpu", rules)
        with folder.prepare(0):
            solve_pairs(rules, streamed(rules), folder, stop_at=stop_at, room=1 << 30)
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")


def test_it_goes_on_after_any_pair(tmp_path: Path) -> None:
    """Wherever it is stopped, also in the middle of a layer, and on files that are damaged."""
    rules = Quixo(2, 4, line=3)
    inarow.solve(rules, tmp_path / "cpu")
    whole = Manifest.load(tmp_path / "cpu")
    for count in range(len(whole.pairs)):
        copy = tmp_path / str(count)
        shutil.copytree(tmp_path / "cpu", copy)
        replace(whole, pairs=whole.pairs[:count]).save(copy)
        if count > 3:
            file = copy / (whole.files[count - 3])
            file.write_bytes(file.read_bytes()[:-1])
        folder = TableFolder(copy, rules)
        with folder.prepare(0):
            solve_pairs(rules, streamed(rules), folder, room=1 << 30)
        assert contents(copy) == contents(tmp_path / "cpu"), count


def test_without_memory_for_planes_they_are_read_from_the_table(
    gpus: Gpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Quixo(3, 4)
    inarow.solve(rules, tmp_path / "cpu")
    monkeypatch.setattr(schedule, "LARGE", 0)
    loaded, load = [], StreamedEngine.load

    def noted(engine: StreamedEngine, stored: StoredPair) -> Any:
        loaded.append(stored.record.pair)
        return load(engine, stored)

    monkeypatch.setattr(StreamedEngine, "load", noted)
    needed = PROGRAM + CUDA_ON_HOST + host_memory_needed(rules, list(pairs_of(rules)), in_files=True)
    budget = gpu_memory_needed(rules, streamed=True)
    inarow.solve(rules, tmp_path / "gpu", device="cuda", gpu_memory=budget, memory=needed)
    assert len(loaded) == len(list(pairs_of(rules))) - 1
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")
    assert gpus.made[-1].xp.most <= budget


def test_a_book_is_the_same(gpus: Gpus, tmp_path: Path) -> None:
    rules = Quixo(3, 4)
    inarow.solve(rules, tmp_path / "cpu", store=False)
    budget = gpu_memory_needed(rules, streamed=True)
    inarow.solve(rules, tmp_path / "gpu", store=False, device="cuda", gpu_memory=budget)
    assert (tmp_path / "gpu" / f"{rules.name}.book").read_bytes() == (
        tmp_path / "cpu" / f"{rules.name}.book"
    ).read_bytes()


@needs_gpu
@pytest.mark.parametrize("rules", [Quixo(4), Quixo(4, line=3, double_line="wins"), Quixo(4, 5)], ids=str)
def test_a_gpu_within_a_budget_writes_the_same_files(rules: Quixo, tmp_path: Path) -> None:
    """CuPy lets no more be used than the budget, which here has some room for what its pool splits up."""
    budget = gpu_memory_needed(rules, streamed=True) * 5 // 4
    assert budget < gpu_memory_needed(rules)
    inarow.solve(rules, tmp_path / "cpu")
    for stop_at in (rules.cells // 2, 0):
        inarow.solve(rules, tmp_path / "gpu", device="cuda", gpu_memory=budget, stop_at=stop_at)
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")
