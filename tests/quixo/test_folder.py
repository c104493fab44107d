"""A table's folder while it is written: pairs are written beside the solving, and listed in their order."""

import errno
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quixo.entries import BITMAPS
from quixo.forms import Forms, contents

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver import plan as plan_module
from inarow.quixo.solver import schedule as schedule_module
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table import folder as folders
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.files import TableFiles
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId, pairs_of
from inarow.quixo.table.store import Store

RULES = Quixo(3)
PAIRS = list(pairs_of(RULES))


@pytest.fixture
def whole(three: Forms) -> dict[str, bytes]:
    return contents(three.folder / "outcomes")


def solve(path: Path, progress: Any = None) -> TableFolder:
    folder = TableFolder(path, RULES, plies=False)
    with folder.prepare(0):
        solve_pairs(RULES, CpuEngine(RULES, plies=False), folder, progress=progress)
    return folder


def listed(path: Path) -> list[tuple[int, int]]:
    return [record.pair for record in Manifest.load(path).pairs]


def watch_writes(monkeypatch: pytest.MonkeyPatch, before: Callable[[PairId], object]) -> list[PairId]:
    """Grows by each pair that was written; `before` is called before it is."""
    pairs: list[PairId] = []
    write = TableFiles.write

    def watched(files: TableFiles, a: int, b: int, *rest: Any) -> Any:
        before((a, b))
        record = write(files, a, b, *rest)
        pairs.append((a, b))
        return record

    monkeypatch.setattr(TableFiles, "write", watched)
    return pairs


def test_pairs_are_listed_in_the_order_of_solving(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though they are written in another, and none is listed before its files are there."""
    others = threading.Event()
    save = Manifest.save

    def checked(manifest: Manifest, path: Path) -> None:
        assert [record.pair for record in manifest.pairs] == PAIRS[: len(manifest.pairs)]
        assert all((path / name).is_file() for name in manifest.files)
        save(manifest, path)

    def first_later(pair: PairId) -> None:
        if pair == PAIRS[0]:
            others.wait(60)
        elif written:
            others.set()

    written = watch_writes(monkeypatch, first_later)
    monkeypatch.setattr(Manifest, "save", checked)
    monkeypatch.setattr(folders, "_WRITERS", 5)
    solve(tmp_path / "t")
    assert written != PAIRS
    assert sorted(written) == sorted(PAIRS)
    assert contents(tmp_path / "t") == whole


@pytest.mark.parametrize("failing", [(5, 1), PAIRS[-1]])
def test_what_goes_wrong_beside_the_solving_is_raised(
    failing: PairId, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(pair: PairId) -> None:
        if pair == failing:
            time.sleep(0.05)
            raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as patch:
        watch_writes(patch, full)
        with pytest.raises(OSError, match="no room"):
            solve(tmp_path / "t")
    assert listed(tmp_path / "t") == PAIRS[: PAIRS.index(failing)]
    solve(tmp_path / "t")
    assert contents(tmp_path / "t") == whole


def test_what_was_solved_before_an_interruption_is_kept(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        watch_writes(patch, lambda _: time.sleep(0.02))
        calls = 0

        def interrupt(done: int, total: int) -> None:
            nonlocal calls
            calls += 1
            if calls == 12:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            solve(tmp_path / "t", interrupt)
    assert listed(tmp_path / "t") == PAIRS[:12]
    solve(tmp_path / "t")
    assert contents(tmp_path / "t") == whole


def test_the_memory_of_what_waits_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller waits for the disk."""
    monkeypatch.setattr(folders, "BYTES_AHEAD", 1)
    monkeypatch.setattr(folders, "_WRITERS", 1)
    go_on = threading.Event()
    written = watch_writes(monkeypatch, lambda _: go_on.wait())
    folder = TableFolder(tmp_path / "t", RULES)
    solved: list[int] = []

    def solve_into_folder() -> None:
        with folder.prepare(0):
            solve_pairs(RULES, CpuEngine(RULES), folder, progress=lambda done, _: solved.append(done))

    solving = threading.Thread(target=solve_into_folder, daemon=True)
    solving.start()
    time.sleep(0.3)
    assert not written
    assert len(solved) == 1  # the second pair waits
    go_on.set()
    solving.join(30)
    assert len(solved) == len(written) == len(PAIRS)
    assert folder.timing["waiting"] > 0.1


# --- The planes that the engine keeps ---


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
