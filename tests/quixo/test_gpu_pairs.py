"""The GPU's way of solving, run on the CPU and compared with its own; and on a GPU where there is one."""

import shutil
import subprocess
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quixo.entries import solve_entries, widened
from quixo.host_device import HostDevice
from quixo.test_solve import all_pairs

from inarow._native.quixo import Solver
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver.engines.cuda import SOURCES, CudaDevice
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
