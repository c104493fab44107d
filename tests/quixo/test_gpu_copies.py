"""Entries that leave a GPU and come back; its kernels run on the CPU where there is none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from quixo.entries import outcomes, plies
from quixo.host_device import HostDevice
from quixo.test_gpu_pairs import each_device

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines import gpu_copies
from inarow.quixo.solver.engines.gpu_copies import cut, from_device, restore, to_device
from inarow.quixo.statistics import ClassCounts
from inarow.quixo.table import files as files_module
from inarow.quixo.table.entries import WIDE_DRAW, WIDE_TOP, Plane
from inarow.quixo.table.files import Content, TableFiles, plane_runs
from inarow.quixo.table.pairs import entry_count
from inarow.quixo.table.pieces import PIECE, Run


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
