"""A table's folder while it is written: pairs are written beside the solving, and listed in their order."""

import errno
import shutil
import threading
import time
from pathlib import Path
from typing import Any

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
from inarow.quixo.table import folder as folders
from inarow.quixo.table.entries import Plane
from inarow.quixo.table.files import TableFiles
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import pairs_of
from inarow.quixo.table.store import NoStore

RULES = Quixo(3)
PAIRS = list(pairs_of(RULES))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("folder") / "whole"
    inarow.solve(RULES, path, outcomes_only=True)
    return contents(path)


def solve(path: Path, progress: Any = None) -> TableFolder:
    folder = TableFolder(path, RULES, plies=False)
    with folder.prepare(0):
        solve_pairs(RULES, CpuEngine(RULES, plies=False), folder, progress=progress)
    return folder


def listed(path: Path) -> list[tuple[int, int]]:
    return [record.pair for record in Manifest.load(path).pairs]


class Writes:
    """Takes the place of `TableFiles.write`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pairs: list[tuple[int, int]] = []
        write = TableFiles.write

        def watched(files: TableFiles, a: int, b: int, *rest: Any) -> Any:
            self.before(a, b)
            record = write(files, a, b, *rest)
            self.pairs.append((a, b))
            return record

        monkeypatch.setattr(TableFiles, "write", watched)

    def before(self, a: int, b: int) -> None:
        raise NotImplementedError


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

    class FirstLater(Writes):
        def before(self, a: int, b: int) -> None:
            if (a, b) == PAIRS[0]:
                others.wait(60)
            elif self.pairs:
                others.set()

    writes = FirstLater(monkeypatch)
    monkeypatch.setattr(Manifest, "save", checked)
    monkeypatch.setattr(folders, "_WRITERS", 5)
    solve(tmp_path / "t")
    assert writes.pairs != PAIRS
    assert sorted(writes.pairs) == sorted(PAIRS)
    assert contents(tmp_path / "t") == whole


def test_what_goes_wrong_beside_the_solving_is_raised(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        class Full(Writes):
            def before(self, a: int, b: int) -> None:
                if (a, b) == (5, 1):
                    raise OSError(errno.ENOSPC, "no room")

        Full(patch)
        with pytest.raises(OSError, match="no room"):
            solve(tmp_path / "t")
    assert listed(tmp_path / "t") == PAIRS[: PAIRS.index((5, 1))]
    solve(tmp_path / "t")
    assert contents(tmp_path / "t") == whole


def test_the_last_pair_may_go_wrong_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Writes):
        def before(self, a: int, b: int) -> None:
            if (a, b) == (0, 0):
                time.sleep(0.05)
                raise OSError(errno.ENOSPC, "no room")

    Full(monkeypatch)
    with pytest.raises(OSError, match="no room"):
        solve(tmp_path / "t")
    assert listed(tmp_path / "t") == PAIRS[:-1]


def test_what_was_solved_before_an_interruption_is_kept(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        class Slow(Writes):
            def before(self, a: int, b: int) -> None:
                time.sleep(0.02)

        Slow(patch)
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

    class Held(Writes):
        def before(self, a: int, b: int) -> None:
            go_on.wait()

    writes = Held(monkeypatch)
    folder = TableFolder(tmp_path / "t", RULES)
    solved: list[int] = []

    def solve_into_folder() -> None:
        with folder.prepare(0):
            solve_pairs(RULES, CpuEngine(RULES), folder, progress=lambda done, _: solved.append(done))

    solving = threading.Thread(target=solve_into_folder, daemon=True)
    solving.start()
    time.sleep(0.3)
    assert not writes.pairs
    assert len(solved) == 1  # the second pair waits
    go_on.set()
    solving.join(30)
    assert len(solved) == len(writes.pairs) == len(PAIRS)
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
    statistics = solve_pairs(rules, CpuEngine(rules, small=BITMAPS), NoStore())
    assert statistics == inarow.solve(rules).statistics
