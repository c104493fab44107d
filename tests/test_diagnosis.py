"""What `inarow doctor` finds on a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow import diagnosis
from inarow.diagnosis import Gpu, diagnose
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve


def test_tables_and_prospects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    solve(Quixo(2), tmp_path / "sound")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "manifest.json").write_text("{")
    monkeypatch.setattr(diagnosis, "physical_memory", lambda: 20 * 10**9)
    monkeypatch.setattr(diagnosis, "_gpu", lambda: (Gpu("a GPU", 10**9, 10**9, 132, 1980), None))
    found = diagnose(tmp_path)
    damaged, sound = found.tables
    assert (sound.rules, sound.complete, sound.plies) == (str(Quixo(2)), True, True)
    assert damaged.problem is not None
    assert found.data_folder == tmp_path / "data" / "inarow" / "quixo"
    assert found.free_disk > 0
    prospects = {it.what: it for it in found.prospects}
    assert prospects["probing 5×5"].speed == "slow"
    assert prospects["solving 5×5 on the CPU, with plies"].speed == "impossible"  # it takes 23 GB
    assert "this machine has 20.0 GB of memory" in prospects["solving 5×5 on the CPU, with plies"].why
    assert prospects["solving 5×5 on a GPU"].speed == "impossible"
    assert "1.0 GB are free" in prospects["solving 5×5 on a GPU"].why


@pytest.mark.parametrize(
    ("free", "speed", "why"),
    [
        (20, "impossible", "it takes 20.9 GB of GPU memory; 20.0 GB are free"),
        (22, "fast", "33 to 73 s on a GPU, up to 12.5 GB of memory here and 13.5 GB of disk"),
        (80, "fast", "21 to 51 s on a GPU, up to 18.5 GB of memory here and 13.5 GB of disk"),
    ],
)
def test_gpus(free: int, speed: str, why: str, tmp_path: Path) -> None:
    gpu = Gpu("a GPU", 80 * 10**9, free * 10**9, 132, 1980)
    prospects = diagnosis._prospects(None, tmp_path, gpu, None, ())
    [found] = [it for it in prospects if it.what == "solving 5×5 on a GPU"]
    assert (found.speed, found.why) == (speed, why)
