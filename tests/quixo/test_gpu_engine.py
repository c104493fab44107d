"""Solving on a GPU with much memory and with little, run on the CPU: within a budget, to the same results."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quixo.forms import change_outcomes, contents, opened, replace_record, run_of
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import needs_gpu

import inarow
from inarow.errors import DamagedFile, InarowError
from inarow.memory import PROGRAM
from inarow.quixo.rules import Quixo
from inarow.quixo.solver import schedule
from inarow.quixo.solver.engines import cuda
from inarow.quixo.solver.engines.cuda import CudaEngine
from inarow.quixo.solver.engines.gpu_memory import (
    _SUNDRIES,
    CUDA_ON_HOST,
    gpu_memory_needed,
    host_memory_needed,
)
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.entries import WIN
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of
from inarow.quixo.table.store import Store, StoredPair

RULES = [Quixo(3), Quixo(3, double_line="wins"), Quixo(2, 4, line=3, double_line="wins"), Quixo(3, 4)]
TWELVE = Quixo(3, 4)

each_place = pytest.mark.parametrize("streams", [False, True], ids=["on the GPU", "on the host"])


def least(rules: Quixo) -> int:
    """The fewest bytes of a GPU's memory that are enough."""
    return gpu_memory_needed(rules, streamed=True)


def engine_of(rules: Quixo, streams: bool, device: HostDevice | None = None) -> CudaEngine:
    """The engine of a GPU whose kernels run on the CPU; `streams` if planes wait on the host."""
    engine = CudaEngine(rules, device or HostDevice(), least(rules) if streams else None)
    assert engine.streams == streams
    return engine


def solve_on_gpu(rules: Quixo, folder: Path, streams: bool, stop_at: int = 0) -> list[str]:
    """The files that were damaged."""
    table = TableFolder(folder, rules)
    with table.prepare(0):
        solve_pairs(rules, engine_of(rules, streams), table, stop_at=stop_at, room=1 << 30)
    return table.damaged


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> list[HostDevice]:
    """The devices that were asked for."""
    made: list[HostDevice] = []

    def make() -> HostDevice:
        made.append(HostDevice())
        return made[-1]

    monkeypatch.setattr(cuda, "CudaDevice", make)
    return made


# --- Within a budget ---


@pytest.mark.parametrize("rules", [*RULES, pytest.param(Quixo(4), marks=pytest.mark.exhaustive)], ids=str)
def test_it_stays_within_its_budget(rules: Quixo, gpus: list[HostDevice]) -> None:
    expected = inarow.solve(rules).statistics
    assert inarow.solve(rules, device="cuda", gpu_memory=least(rules)).statistics == expected
    assert inarow.solve(rules, device="cuda").statistics == expected
    most, without_budget = (gpu.xp.most for gpu in gpus)
    assert least(rules) - 2 * _SUNDRIES < most <= least(rules), "what grows is hardly overestimated"
    assert most < without_budget <= gpu_memory_needed(rules)


def test_what_5x5_needs() -> None:
    """A GPU of 24 GB is enough, in a machine with 24 GB, or 16 GB if it writes a table."""
    for rules in (Quixo(5), Quixo(4, 6), Quixo(3, 8), Quixo(2, 12)):
        pairs = list(pairs_of(rules))
        assert least(rules) < 22e9 < gpu_memory_needed(rules)
        assert host_memory_needed(rules, pairs, in_files=False) < 22e9
        assert host_memory_needed(rules, pairs, in_files=True) < 14e9


def test_memory_of_the_host() -> None:
    """A plane is given up when it was read, and no more is held than was said to be needed."""
    device, pairs = HostDevice(), list(pairs_of(TWELVE))
    solve_pairs(TWELVE, engine_of(TWELVE, True, device), Store())
    needed, entries = (
        host_memory_needed(TWELVE, pairs, in_files=False),
        [entry_count(TWELVE, *p) for p in pairs],
    )
    assert 0.9 * needed < device.most_fetched <= needed
    assert device.fetched == 0
    assert max(entries) < needed < sum(entries) / 2


def test_planes_wait_on_the_host_where_the_gpu_has_too_little_free() -> None:
    device = HostDevice()
    device.free_bytes = gpu_memory_needed(Quixo(3)) - 1
    assert CudaEngine(Quixo(3), device).streams


def test_too_small_budgets_are_refused(
    gpus: list[HostDevice], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    says = r"3×4 needs \d\.\d MB of GPU memory; --gpu-memory allows \d\.\d MB"
    with pytest.raises(InarowError, match=says):
        inarow.solve(TWELVE, tmp_path / "t", device="cuda", gpu_memory=least(TWELVE) - 1)
    for out in (None, tmp_path / "t"):
        with pytest.raises(InarowError, match=r"this takes up to .* of memory; --memory allows 1\.1 GB"):
            inarow.solve(TWELVE, out, device="cuda", gpu_memory=least(TWELVE), memory=CUDA_ON_HOST)
    assert not (tmp_path / "t").exists()
    inarow.solve(Quixo(3), device="cuda", memory=CUDA_ON_HOST)  # everything is on the GPU
    monkeypatch.setattr(HostDevice, "free_bytes", 1000)
    with pytest.raises(InarowError, match=r"3×4 needs \d\.\d MB of GPU memory; this CPU has 1\.0 kB free"):
        inarow.solve(TWELVE, device="cuda", gpu_memory=least(TWELVE))


# --- The same files ---


@each_place
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_it_writes_the_same_files(rules: Quixo, streams: bool, tmp_path: Path) -> None:
    inarow.solve(rules, tmp_path / "cpu")
    for stop_at in (6, 6, 5, 0):  # what is finished is read from files
        solve_on_gpu(rules, tmp_path / "gpu", streams, stop_at)
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")


@each_place
def test_it_goes_on_after_any_pair(streams: bool, tmp_path: Path) -> None:
    """Wherever it is stopped, also in the middle of a layer, and on files that are damaged."""
    rules = Quixo(2, 3)
    inarow.solve(rules, tmp_path / "cpu")
    whole = Manifest.load(tmp_path / "cpu")
    for count in range(len(whole.pairs)):
        copy = tmp_path / str(count)
        shutil.copytree(tmp_path / "cpu", copy)
        replace(whole, pairs=whole.pairs[:count]).save(copy)
        if count > 3:
            file = copy / (whole.files[count - 3])
            file.write_bytes(file.read_bytes()[:-1])
        assert len(solve_on_gpu(rules, copy, streams)) == (0 if count <= 3 else 2)
        assert contents(copy) == contents(tmp_path / "cpu"), count


@each_place
def test_a_win_that_cannot_be_one_is_noticed_when_it_is_loaded(streams: bool, tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "t", stop_at=6)
    change_outcomes(tmp_path / "t", 3, 3, lambda _, codes: np.full_like(codes, WIN))
    rewritten, record = opened(tmp_path / "t", 3, 3)
    none = rewritten.write_pieces(3, 3, 1, [run_of([b""])])
    replace_record(tmp_path / "t", replace(record, plies=none))
    with pytest.raises(DamagedFile, match=r"pair \{3, 3\} has a win that no lost position follows"):
        solve_on_gpu(Quixo(3), tmp_path / "t", streams)


def test_without_memory_for_planes_they_are_read_from_the_table(
    gpus: list[HostDevice], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Quixo(3)
    inarow.solve(rules, tmp_path / "cpu")
    monkeypatch.setattr(schedule, "LARGE", 0)
    loaded, load = [], CudaEngine.load

    def noted(engine: CudaEngine, stored: StoredPair) -> Any:
        loaded.append(stored.record.pair)
        return load(engine, stored)

    monkeypatch.setattr(CudaEngine, "load", noted)
    needed = PROGRAM + CUDA_ON_HOST + host_memory_needed(rules, list(pairs_of(rules)), in_files=True)
    inarow.solve(rules, tmp_path / "gpu", device="cuda", gpu_memory=least(rules), memory=needed)
    assert len(loaded) == len(list(pairs_of(rules))) - 1
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")
    assert gpus[-1].xp.most <= least(rules)


def test_a_book_is_the_same(gpus: list[HostDevice], tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "cpu", store=False)
    inarow.solve(Quixo(3), tmp_path / "gpu", store=False, device="cuda", gpu_memory=least(Quixo(3)))
    cpu, gpu = (tmp_path / name / f"{Quixo(3).name}.book" for name in ("cpu", "gpu"))
    assert gpu.read_bytes() == cpu.read_bytes()


def test_without_cupy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(InarowError, match=r"inarow\[cuda12\]"):
        inarow.solve(Quixo(3), device="cuda")


@needs_gpu
@each_place
@pytest.mark.parametrize("rules", [Quixo(4), Quixo(4, line=3, double_line="wins"), Quixo(4, 5)], ids=str)
def test_a_gpu_writes_the_same_files(rules: Quixo, streams: bool, tmp_path: Path) -> None:
    """CuPy lets no more be used than the budget, which here has some room for what its pool splits up."""
    budget = least(rules) * 5 // 4 if streams else None
    inarow.solve(rules, tmp_path / "cpu")
    for stop_at in (rules.cells - 4, rules.cells // 2, rules.cells // 2 - 1, 0):
        inarow.solve(rules, tmp_path / "gpu", device="cuda", gpu_memory=budget, stop_at=stop_at)
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")
