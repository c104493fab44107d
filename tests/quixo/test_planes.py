"""The planes that the engine keeps: put aside, resumed, and mended."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from quixo.entries import BITMAPS
from quixo.forms import contents

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver import plan as plan_module
from inarow.quixo.solver import schedule as schedule_module
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.store import Store


@pytest.mark.parametrize("keep", [True, False, None], ids=["as put aside", "from the table", "from memory"])
def test_an_interrupted_run_is_resumed(
    tmp_path: Path, keep: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was in memory when it was interrupted is lost, as is what was put aside and removed."""
    if keep is not None:
        monkeypatch.setattr(schedule_module, "LARGE", 0)
        monkeypatch.setattr(plan_module, "_SHARE_OF_MEMORY", 0)
    rules = Quixo(3, 4)
    inarow.solve(rules, tmp_path / "whole")
    for further in (1, 1, 5, 13, 13, 15):

        def stop(done: int, total: int, counter: list[int] = [further]) -> None:  # noqa: B006
            counter[0] -= 1
            if counter[0] == 0:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            inarow.solve(rules, tmp_path / "parts", progress=stop)
        assert (tmp_path / "parts" / SCRATCH_NAME).exists() == (keep is not None)
        if keep is False:
            shutil.rmtree(tmp_path / "parts" / SCRATCH_NAME)
    inarow.solve(rules, tmp_path / "parts")
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
    assert not (tmp_path / "parts" / SCRATCH_NAME).exists()


def test_a_damaged_pair_is_solved_again(tmp_path: Path) -> None:
    rules = Quixo(3, 4)
    inarow.solve(rules, tmp_path)
    whole = contents(tmp_path)
    for name in ("pair-05-03.plies", "pair-04-04.values", "pair-12-00.values"):
        damaged = bytearray(whole[name])
        damaged[len(damaged) // 2] ^= 1
        (tmp_path / name).write_bytes(damaged)
    assert len(inarow.solve(rules, tmp_path).repaired) == 6
    assert contents(tmp_path) == whole


def test_what_is_kept_is_checked_and_derived_anew(tmp_path: Path) -> None:
    rules = Quixo(3)
    inarow.solve(rules, tmp_path / "whole")
    inarow.solve(rules, tmp_path / "part", stop_at=5)
    path = sorted((tmp_path / "part" / SCRATCH_NAME).iterdir())[0]
    kept = path.read_bytes()
    changed = [kept[:at] + bytes([kept[at] ^ 64]) + kept[at + 1 :] for at in (0, 8, 11, 13, 19, 22, 30, -3)]
    for nth, damaged in enumerate([kept[:-1], kept[:10], b"", kept + b"0", *changed]):
        copy = Path(shutil.copytree(tmp_path / "part", tmp_path / str(nth)))
        (copy / SCRATCH_NAME / path.name).write_bytes(damaged)
        inarow.solve(rules, copy)
        assert contents(copy) == contents(tmp_path / "whole")
        assert not (copy / SCRATCH_NAME).exists()


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path, stop_at=5)
    names = {"notes.plane", "1-2-3.plane", "-.plane", "05-00-0.plane.txt"}
    for name in names:
        (tmp_path / SCRATCH_NAME / name).write_text("mine")
    inarow.solve(Quixo(3), tmp_path)
    assert {path.name for path in (tmp_path / SCRATCH_NAME).iterdir()} == names


def test_a_plane_is_kept_until_its_reader_is_finished(tmp_path: Path) -> None:
    finished: dict[tuple[int, int], object] = {}
    scratch = Scratch(tmp_path / "kept", finished, 1)
    random = np.random.default_rng(1)
    planes = [
        Plane(random.integers(0, 256, 2, np.uint8), random.integers(0, 200, 8, dtype))
        for dtype in (np.uint8, np.uint16)
    ]
    scratch.save(3, 1, planes)
    for finish, left in (((5, 5), {0, 1}), ((3, 0), {1}), ((2, 1), set())):
        finished[finish] = None
        scratch.tidy()
        for number, plane in enumerate(planes):
            found = scratch.load(3, 1, number)
            assert (found is not None) == (number in left)
            if found:
                for one, other in zip(found, plane, strict=True):
                    assert one is not None
                    assert other is not None
                    assert np.array_equal(one, other)
    assert not (tmp_path / "kept").exists()


def test_nothing_is_kept_without_a_folder() -> None:
    rules = Quixo(3)
    statistics = solve_pairs(rules, CpuEngine(rules, small=BITMAPS), Store())
    assert statistics == inarow.solve(rules).statistics
