"""The GPU's checker, run by a CPU: the same verdicts as the CPU's own, on right tables and on wrong ones."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from verify.quixo.small_tables import solved, write_table

from inarow import DamagedFile, InarowError
from inarow._native import verify_quixo as native
from inarow.verify.quixo import gpu, table_files
from inarow.verify.quixo.report import TableReport
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table import verify_table

RULES = [
    Rules(2, 2, 2, "loses"),
    Rules(2, 4, 3, "wins"),
    Rules(3, 3, 3, "loses"),
    Rules(3, 3, 3, "wins"),
    Rules(3, 3, 2, "loses"),
    Rules(3, 4, 3, "loses"),
    Rules(5, 2, 4, "wins"),
    Rules(3, 3, 3, "draws", wrap=True),
    Rules(2, 4, 2, "draws", misere=True, diagonals=False),
]


CUDA_DEVICE = gpu.CudaDevice
DEVICES: list[Literal["cpu", "cuda"]] = ["cpu", "cuda"]


class DeviceOnCpu:
    """Runs the kernels on a CPU. Arrays are NumPy's."""

    xp, free_bytes = np, 10**9

    def address(self, array: NDArray[Any]) -> int:
        return array.ctypes.data

    def to_host(self, array: NDArray[Any]) -> NDArray[Any]:
        return array

    def run(self, kernel: str, *arguments: Any) -> None:
        getattr(native.GpuOnCpu, kernel)(*arguments)


@pytest.fixture(autouse=True, scope="module", params=["on a CPU", "on a GPU"])
def device(request: pytest.FixtureRequest) -> Iterator[None]:
    """What runs the kernels."""
    if request.param == "on a GPU":
        try:
            gpu.CudaDevice()
        except InarowError as error:
            pytest.skip(str(error))
        yield
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpu, "CudaDevice", DeviceOnCpu)
            yield


def same_reports(folder: Path, **options: Any) -> TableReport:
    """The report of both devices."""
    found = [verify_table(folder, threads=2, device=device, **options) for device in DEVICES]
    first, second = (replace(report, seconds=0.0) for report in found)
    assert first == second
    return first


THREE = solved(Rules(3, 3, 3, "loses"))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_right_tables_pass(rules: Rules, tmp_path: Path) -> None:
    for plies in (True, False):
        write_table(tmp_path / str(plies), solved(rules), plies=plies)
    report = same_reports(tmp_path / "True")
    assert (report.verdict, report.method, report.positions) == ("proven", "plies", 3**rules.cells)
    report = same_reports(tmp_path / "False", derive=False)
    assert (report.verdict, report.method, report.positions) == ("consistent", None, 3**rules.cells)


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_wrong_entries_are_found_alike(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """One entry becomes something else, or two are swapped; checksums and counts are right."""
    rules = data.draw(st.sampled_from(RULES), label="rules")
    small, path = solved(rules), tmp_path_factory.mktemp("wrong")
    values = small.values.copy()
    at = data.draw(st.integers(0, values.size - 1), label="at")
    other = data.draw(st.integers(0, values.size - 1), label="other")
    if data.draw(st.booleans(), label="swap"):
        values[[at, other]] = values[[other, at]]
    else:
        lost = st.integers(0, 20) | st.sampled_from([255, 256, 300, 32766])
        values[at] = data.draw(st.sampled_from([native.DRAW, 65535]) | lost, label="value")
    plies = data.draw(st.booleans(), label="plies")
    write_table(path, small, values, plies=plies)
    report = same_reports(path) if plies else same_reports(path, derive=False)
    is_lost, was_lost = values < native.DRAW, small.values < native.DRAW
    is_same = np.array_equal(is_lost, was_lost) and np.array_equal(
        values == native.DRAW, small.values == native.DRAW
    )
    if plies:
        is_same = is_same and np.array_equal(values[is_lost], small.values[was_lost])
    if not is_same:
        assert report.verdict == "wrong"
    elif np.array_equal(values, small.values):  # otherwise the counts of wins are wrong
        assert report.verdict == ("proven" if plies else "consistent")


def test_a_flipped_entry_is_found_with_its_position(tmp_path: Path) -> None:
    values = THREE.values.copy()
    where = THREE.pair(4, 3)
    at = int(where.start + np.flatnonzero(values[where] == 65535 - 1)[5])
    values[at] = native.DRAW
    write_table(tmp_path, THREE, values)
    found = same_reports(tmp_path).counterexample
    assert found is not None
    assert found.position == THREE.rules.position_text(int(THREE.words[at]))
    assert (found.stored, found.expected) == ("draw", "win in 1")


@pytest.mark.parametrize("what", ["win", "loss", "draw", "by_plies"])
def test_wrong_counts_in_the_manifest(tmp_path: Path, what: str) -> None:
    def change(manifest: dict[str, Any]) -> None:
        counts = next(pair for pair in manifest["pairs"] if (pair["a"], pair["b"]) == (3, 1))["classes"][1]
        if what == "by_plies":
            counts[what][0][1] += 1
        else:
            counts[what] += 1

    write_table(tmp_path, THREE, change=change)
    report = same_reports(tmp_path)
    assert report.problem is not None
    assert report.problem.startswith("pair-03-01.values, class of 1 and 3 marks")


def test_a_piece_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in large tables, whose planes are read in several runs."""
    write_table(tmp_path, solved(Rules(3, 4, 3, "loses")))
    monkeypatch.setattr(table_files, "_PIECES_AT_ONCE", 1)
    assert same_reports(tmp_path).verdict == "proven"


@pytest.mark.parametrize("after", [1, 7, 20])
def test_an_interrupted_check_resumes(tmp_path: Path, after: int) -> None:
    """Whichever device began it."""
    write_table(tmp_path / "t", THREE)

    def interrupt(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) > after:
            raise KeyboardInterrupt

    for one, other in (("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")):
        calls: list[int] = []
        folder = Path(shutil.copytree(tmp_path / "t", tmp_path / f"{one}-{other}"))
        with pytest.raises(KeyboardInterrupt):
            verify_table(folder, device=one, progress=interrupt, remember=True, threads=1)  # type: ignore[arg-type]
        report = verify_table(folder, device=other, resume=True, threads=1)  # type: ignore[arg-type]
        assert (report.verdict, report.remembered > 0) == ("proven", after > 1)
        recorded = json.loads((folder / "verified.json").read_text())
        assert recorded["verdict"] == "proven"
        assert len(recorded["pairs"]) == len(list(THREE.rules.pairs()))


def test_damaged_pieces(tmp_path: Path) -> None:
    write_table(tmp_path, THREE)
    file = tmp_path / "pair-04-03.plies"
    content = file.read_bytes()
    file.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    with pytest.raises(DamagedFile, match=r"pair-04-03\.plies: the checksum of piece"):
        verify_table(tmp_path, device="cuda")


def test_what_a_gpu_does_not_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(tmp_path, THREE)
    with pytest.raises(InarowError, match="on a CPU only"):
        verify_table(tmp_path, device="cuda", derive=True)
    monkeypatch.setattr(DeviceOnCpu, "free_bytes", 1000)
    with pytest.raises(InarowError, match=r"takes 0\.0 GB of GPU memory"):
        verify_table(tmp_path, device="cuda")
    monkeypatch.undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "CudaDevice", CUDA_DEVICE)
        patch.setitem(sys.modules, "cupy", None)
        with pytest.raises(InarowError, match="needs CuPy"):
            verify_table(tmp_path, device="cuda")
