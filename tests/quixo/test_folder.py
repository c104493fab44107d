"""A table's folder while it is written: pairs are written beside the solving, and listed in their order."""

import errno
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from quixo.forms import contents

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table import folder as folders
from inarow.quixo.table.files import TableFiles
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import pairs_of

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
