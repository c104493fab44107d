"""What `inarow doctor` finds on a machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inarow import diagnosis
from inarow.cuda import Gpu
from inarow.diagnosis import diagnose
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.plan import Plan
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
    assert (sound.rules, sound.complete, sound.has_plies) == (str(Quixo(2)), True, True)
    assert damaged.problem is not None
    assert found.data_folder == tmp_path / "data" / "inarow" / "quixo"
    assert found.free_disk_bytes > 0
    prospects = {it.what: it for it in found.prospects}
    assert prospects["probing 5×5"].speed == "slow"
    for what, missing in (
        ("on the CPU, with plies", "only 20.0 GB of memory here"),  # it takes 23 GB
        ("on a GPU", "only 1.0 GB of GPU memory here"),
    ):
        prospect = prospects[f"solving 5×5 {what}"]
        assert prospect.speed == "impossible"
        assert prospect.why.endswith(missing)


@pytest.mark.parametrize(
    ("free", "speed", "why"),
    [
        (20, "impossible", "33 to 73 s, 20.9 GB GPU memory, 12.5 GB memory, 13.5 GB disk; only 20.0 GB"),
        (22, "fast", "33 to 73 s, 20.9 GB GPU memory, 12.5 GB memory, 13.5 GB disk"),
        (80, "fast", "21 to 51 s, 79.9 GB GPU memory, 18.5 GB memory, 13.5 GB disk"),
    ],
)
def test_gpus(free: int, speed: str, why: str, tmp_path: Path) -> None:
    gpu = Gpu("a GPU", 80 * 10**9, free * 10**9, 132, 1980)
    needs = replace(Plan(Quixo(5), tmp_path / "5x5", device="cuda").needs(gpu), free=10**12)
    found = diagnosis._solving("solving 5×5 on a GPU", needs, None, gpu)
    assert found.speed == speed
    assert found.why.startswith(why)
