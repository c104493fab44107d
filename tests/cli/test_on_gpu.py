"""Commands for a GPU alone, with its code run on the CPU."""

import json

import pytest
from cli.calling import Inarow
from quixo.host_device import HostDevice

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines import cuda
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_needed


def test_solve_within_a_budget(inarow: Inarow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "CudaDevice", HostDevice)
    arguments = ("quixo", "solve", "--size", "3x4", "--json")
    rules = Quixo(3, 4)
    kilobytes = gpu_memory_needed(rules, streamed=True) // 1000 + 1
    assert kilobytes * 1000 < gpu_memory_needed(rules)
    on_gpu = inarow(*arguments, "--device", "cuda", "--gpu-memory", f"{kilobytes}k")
    assert on_gpu.code == 0
    assert json.loads(on_gpu.out)["classes"] == json.loads(inarow(*arguments).out)["classes"]
    refused = inarow(*arguments, "--device", "cuda", "--gpu-memory", "1000k")
    assert refused.code == 2
    assert "of GPU memory; --gpu-memory allows 1.0 MB" in refused.err
    assert inarow(*arguments, "--gpu-memory", "1G").code == 2
