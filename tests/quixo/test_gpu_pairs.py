"""The GPU's way of solving, run on the CPU and compared with its own; and on a GPU where there is one."""

import shutil
import subprocess
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quixo.entries import solve_entries, widened
from quixo.forms import contents
from quixo.host_device import HostDevice
from quixo.test_solve import all_pairs

import inarow
from inarow._native.quixo import Solver
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver.engines.cuda import CudaDevice
from inarow.quixo.solver.engines.gpu_board import _high_ranks, _low_ranks, local_words
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver

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
    [(2, 2, "loses"), (2, 2, "wins"), (3, 3, "loses"), (3, 3, "wins"), (4, 3, "wins"), (4, 4, "loses")],
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


@each_device
@pytest.mark.parametrize(
    "rules",
    [Quixo(5), *(pytest.param(Quixo(*shape), marks=pytest.mark.exhaustive) for shape in [(4, 6), (2, 12)])],
    ids=lambda rules: rules.name,
)
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
    if rules == Quixo(5):
        assert above[18, 2].size == 2 * 60645 * 21


def test_words_and_ranks() -> None:
    for m, b in [(0, 0), (5, 2), (9, 9), (16, 8), (18, 3)]:
        words = local_words(m, b)
        assert words.tolist() == sorted(w for w in range(1 << m) if w.bit_count() == b)
        low_bits = min(m, 13)
        low, high = _low_ranks(low_bits), _high_ranks(m, b, low_bits)
        ranks = low[words & ((1 << low_bits) - 1)] + high[words >> low_bits]
        assert ranks.tolist() == list(range(len(words)))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc to compile the kernels with")
def test_the_kernels_compile(tmp_path: Path) -> None:
    command = ["nvcc", "--std=c++17", "-arch=sm_80", f"-I{ROOT / 'native' / 'quixo'}", "-cubin"]
    subprocess.run([*command, "-o", tmp_path / "quixo.cubin", ROOT / "kernels" / "quixo.cu"], check=True)


def test_without_cupy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(inarow.InarowError, match=r"inarow\[cuda12\]"):
        inarow.solve(Quixo(3), device="cuda")


@needs_gpu
def test_a_gpu_writes_the_same_files(tmp_path: Path) -> None:
    """Also if it is stopped, and goes on from what is finished."""
    for rules in (Quixo(3), Quixo(4), Quixo(4, line=3, double_line="wins"), Quixo(4, 5)):
        folder = tmp_path / rules.name
        folder.mkdir()
        inarow.solve(rules, folder / "cpu")
        for stop_at in (rules.cells - 4, rules.cells // 2, rules.cells // 2 - 1, 0):
            inarow.solve(rules, folder / "gpu", device="cuda", stop_at=stop_at)
        assert contents(folder / "gpu") == contents(folder / "cpu")
