"""The GPU's way of solving, run on the CPU and compared with its own; and on a GPU where there is one."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from quixo.entries import outcomes, plies, solve_entries, widened
from quixo.forms import change_outcomes, contents, opened, replace_record, run_of
from quixo.host_device import HostDevice
from quixo.test_solve import all_pairs

import inarow
from inarow._native.quixo import Solver
from inarow.errors import DamagedFile, InarowError
from inarow.memory import PROGRAM
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver import schedule
from inarow.quixo.solver.engines import cuda, gpu_copies
from inarow.quixo.solver.engines.cuda import SOURCES, CudaDevice, CudaEngine
from inarow.quixo.solver.engines.gpu_copies import cut, from_device, restore, to_device
from inarow.quixo.solver.engines.gpu_memory import (
    _SUNDRIES,
    CUDA_ON_HOST,
    gpu_memory_needed,
    host_memory_needed,
)
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table import files as files_module
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP, WIN, Plane
from inarow.quixo.table.files import Content, TableFiles, plane_runs
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of
from inarow.quixo.table.pieces import PIECE, Run
from inarow.quixo.table.store import Store, StoredPair

ROOT = Path(__file__).parents[2]


def has_gpu() -> bool:
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount())
    except Exception:
        return False


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="there is no GPU that CuPy finds")
each_device = pytest.mark.parametrize("kind", [HostDevice, pytest.param(CudaDevice, marks=needs_gpu)])


@pytest.mark.parametrize(
    ("size", "line", "double_line"),
    [
        *((2, 2, "loses"), (2, 2, "wins"), (3, 3, "loses"), (3, 3, "wins")),
        *(pytest.param(4, *rules, marks=pytest.mark.exhaustive) for rules in ((3, "wins"), (4, "loses"))),
    ],
)
@pytest.mark.parametrize(
    ("scarce", "price_of_a_win", "few_wins"),
    [
        pytest.param(0, 0, 0, id="follow"),
        pytest.param(0, 1 << 60, 0, id="check"),
        pytest.param(0, 16, 0, id="follow or check"),
        pytest.param(GpuPairSolver.scarce, GpuPairSolver.price_of_a_win, GpuPairSolver.few_wins, id="both"),
        pytest.param(1 << 60, 0, 0, id="visit"),
    ],
)
def test_the_same_entries_as_the_cpus(
    size: int, line: int, double_line: DoubleLine, scarce: int, price_of_a_win: int, few_wins: int
) -> None:
    rules = Quixo(size, line=line, double_line=double_line)
    blocks = GpuPairSolver(rules, HostDevice())
    blocks.scarce, blocks.price_of_a_win, blocks.few_wins = scarce, price_of_a_win, few_wins
    solved = {pair: widened(entries) for pair, entries in all_pairs(rules).items()}
    for (a, b), expected in solved.items():
        larger, smaller = solved.get((a + 1, b)), solved.get((a, b + 1)) if a > b else None
        entries, histograms = blocks.solve(a, b, larger, smaller)
        assert np.array_equal(entries, expected), (a, b)
        positions = comb(rules.cells, a) * comb(rules.cells - a, b)
        assert [int(histogram.sum()) for histogram in histograms] == [positions] * len(histograms)


@pytest.mark.exhaustive
@each_device
@pytest.mark.parametrize("rules", [Quixo(5), Quixo(4, 6), Quixo(2, 12)], ids=str)
def test_the_same_entries_on_the_largest_boards(rules: Quixo, kind: Any) -> None:
    """The pairs with few marks of the smaller side that need no other pairs."""
    least = rules.cells - 7
    device = kind()
    cpu, blocks = Solver(rules.native, 1), GpuPairSolver(rules, device)
    above: dict[Any, Any] = {}
    for n in range(rules.cells, rules.cells - 6, -1):
        layer = {}
        for a in range(least, n + 1):
            more = above.get((a + 1, n - a)), above.get((a, n - a + 1))
            solved, _ = solve_entries(cpu, a, n - a, *more)
            loaded = (None if entries is None else device.xp.asarray(entries) for entries in more)
            assert np.array_equal(device.host(blocks.solve(a, n - a, *loaded)[0]), solved), (a, n - a)
            layer[a, n - a] = solved
        above = layer


def test_the_sources_of_the_kernels_are_in_the_package() -> None:
    assert (SOURCES / "quixo.cu").is_file()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc to compile the kernels with")
def test_the_kernels_compile(tmp_path: Path) -> None:
    command = ["nvcc", "--std=c++17", "-arch=sm_80", f"-I{ROOT / 'native' / 'quixo'}", "-ptx"]
    subprocess.run([*command, "-o", tmp_path / "quixo.ptx", ROOT / "kernels" / "quixo.cu"], check=True)


# --- Solving on a GPU with much memory and with little, run on the CPU ---


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


# --- Entries that leave a GPU and come back; its kernels run on the CPU where there is none ---


def random_entries(size: int, most: int, seed: int) -> NDArray[np.uint16]:
    """Losses in up to `most` plies, draws and wins; one piece has no losses, another nothing else."""
    random = np.random.default_rng(seed)
    plies = random.integers(0, most + 1, size).astype(np.uint16)
    entries = np.choose(
        random.integers(0, 3, size), [plies, np.full_like(plies, WIDE_DRAW), WIDE_TOP - plies]
    )
    entries[PIECE : 2 * PIECE] = WIDE_DRAW
    entries[2 * PIECE : 3 * PIECE] = 7
    return entries.astype(np.uint16)


def content_of(planes: list[NDArray[np.uint16]]) -> Content:
    return Content.of([Plane(outcomes(plane), plies(plane)) for plane in planes])


def as_one(runs: list[Run]) -> list[bytes]:
    of_all = zip(*((run.data, run.sizes) for run in runs), strict=True)
    return [np.concatenate(arrays).tobytes() for arrays in of_all]


def check_pieces(device: Any, planes: list[NDArray[np.uint16]], width: int) -> None:
    """Compare with the same entries cut by NumPy, and put together what was cut."""
    found, expected = cut(device, [device.xp.asarray(plane) for plane in planes], width), content_of(planes)
    values, losses = list(found.values), list(found.plies)
    assert found.width == expected.width == width
    assert as_one(values) == as_one(list(expected.values))
    assert as_one(losses) == as_one(list(expected.plies))
    assert found.nbytes == sum(run.data.size for run in (*values, *losses))
    per_plane = len(values) // len(planes)
    for number, plane in enumerate(planes):
        restored = device.xp.zeros(plane.size, np.uint16)
        of_plane = slice(number * per_plane, (number + 1) * per_plane)
        restore(device, zip(values[of_plane], losses[of_plane], strict=True), width, restored)
        assert np.array_equal(device.host(restored), np.where(plane > WIDE_DRAW, WIDE_TOP, plane))


@each_device
@pytest.mark.parametrize("size", [1, 3, 4, 63, 64, 65, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
@pytest.mark.parametrize(("width", "most"), [(1, 255), (2, 16383)])
def test_pieces_of_any_length(
    kind: Any, size: int, width: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planes = [random_entries(size, most, seed) for seed in range(2)]
    planes[0][0] = most  # so that the width is needed
    device = kind()
    check_pieces(device, planes, width)
    monkeypatch.setattr(gpu_copies, "AT_ONCE", 2 * PIECE)
    check_pieces(device, planes, width)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 2 * PIECE + 100), st.sampled_from([0, 1, 255]), st.integers(0, 1 << 30))
def test_pieces_of_any_entries(size: int, most: int, seed: int) -> None:
    check_pieces(HostDevice(), [random_entries(size, most, seed)], 1)


@pytest.mark.parametrize("most", [200, 3000])
def test_what_is_read_from_files_is_put_together(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through files, with runs whose length is not that of those that were written."""
    monkeypatch.setattr(files_module, "_AT_ONCE", 3)
    rules, pair = Quixo(4, 5), (13, 4)
    size = entry_count(rules, *pair) // 2
    assert size > 4 * PIECE
    planes = [random_entries(size, most, seed) for seed in range(2)]
    classes = tuple(ClassCounts(*marks, 0, ()) for marks in ((13, 4), (4, 13)))
    files = TableFiles(tmp_path, rules, threads=2)
    width = 1 if most < 256 else 2
    record = files.write(*pair, classes, cut(HostDevice(), planes, width))
    (tmp_path / "entries").mkdir()
    assert record == TableFiles(tmp_path / "entries", rules).write(*pair, classes, content_of(planes))
    for number, plane in enumerate(planes):
        restored = np.zeros(size, np.uint16)
        restore(HostDevice(), plane_runs(files, record, number), width, restored)
        assert np.array_equal(restored, np.where(plane > WIDE_DRAW, WIDE_TOP, plane))


@each_device
@pytest.mark.parametrize("values", [1, 256, 257, 1000])
def test_a_plane_comes_back_as_it_was(values: int, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_copies, "AT_ONCE", 1024)
    device, random = kind(), np.random.default_rng(values)
    possible = np.delete(random.permutation(1 << 16), 0)[:values].astype(np.uint16)
    entries = np.concatenate([possible, random.choice(possible, 5000)])
    counts = ClassCounts.from_histogram(1, 0, np.bincount(entries, minlength=1 << 16).astype(np.uint64))
    plane = from_device(device, device.xp.asarray(entries), counts)
    assert sum(part.nbytes for part in plane.parts) == entries.size * (1 if values <= 256 else 2)
    assert np.array_equal(device.host(to_device(device, plane)), entries)
    assert not plane.parts, "it is given up"
