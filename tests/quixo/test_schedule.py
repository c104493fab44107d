"""The schedule, mostly with outcomes alone: in memory, resumed, killed, short of disk, on a cluster."""

import errno
import itertools
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import PROGRAM
from quixo.forms import change_outcomes, contents, opened, replace_record, run_of
from quixo.host_device import HostDevice

import inarow
from inarow.errors import DamagedFile, InarowError, WrongTable
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.engines.cuda import SOURCES, CudaEngine
from inarow.quixo.solver.engines.engine import Engine
from inarow.quixo.solver.plan import Plan
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.entries import WIN
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of
from inarow.quixo.table.store import NoStore, StoredPair

FIVE = Quixo(5)

SCRIPT = """
import sys, inarow
from inarow.quixo.rules import Quixo
inarow.solve(Quixo(4), sys.argv[1], outcomes_only=True)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outcomes") / "whole"
    solution = inarow.solve(Quixo(4), folder, outcomes_only=True)
    assert solution.statistics.states == {"win": 26434489, "loss": 15003736, "draw": 1608496}  # the paper
    assert solution.start is not None
    assert (solution.start.value, solution.start.plies) == ("win", None)
    return folder


def outcomes_of(folder: Path) -> dict[str, bytes]:
    """The files of the outcomes of a table."""
    return {name: content for name, content in contents(folder).items() if name.endswith(".values")}


@pytest.mark.parametrize("rules", [Quixo(4), Quixo(3, 4), Quixo(7, 2, line=3, double_line="wins")], ids=str)
def test_the_outcomes_are_those_with_plies(rules: Quixo, tmp_path: Path) -> None:
    inarow.solve(rules, tmp_path / "plies")
    inarow.solve(rules, tmp_path / "outcomes", outcomes_only=True)
    assert outcomes_of(tmp_path / "plies") == outcomes_of(tmp_path / "outcomes")


def solve_outcomes(folder: Path, engine: Engine) -> None:
    table = TableFolder(folder, Quixo(4), plies=False)
    with table.prepare(0):
        solve_pairs(Quixo(4), engine, table)


@pytest.mark.parametrize(("threads", "lanes"), [(1, "auto"), (3, "auto"), (2, "portable")])
def test_the_bytes_do_not_depend_on_how(whole: Path, tmp_path: Path, threads: int, lanes: str) -> None:
    solve_outcomes(tmp_path / "t", CpuEngine(Quixo(4), False, threads, lanes))
    assert contents(tmp_path / "t") == contents(whole)


def gpu_engine(rules: Quixo) -> CudaEngine:
    """The engine of a GPU whose kernels run on the CPU."""
    return CudaEngine(rules, HostDevice())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules", [Quixo(3), Quixo(3, double_line="wins"), Quixo(2, 4, line=3, double_line="wins")], ids=str
)
def test_the_engine_of_a_gpu_writes_the_same_files(rules: Quixo, tmp_path: Path) -> None:
    inarow.solve(rules, tmp_path / "cpu")
    for stop_at in (6, 6, 5, 0):  # what is finished is loaded
        folder = TableFolder(tmp_path / "gpu", rules)
        with folder.prepare(0):
            solve_pairs(rules, gpu_engine(rules), folder, stop_at=stop_at)
    assert contents(tmp_path / "gpu") == contents(tmp_path / "cpu")


def test_the_engine_of_a_gpu_goes_on_after_any_pair(tmp_path: Path) -> None:
    """Wherever it is stopped, also in the middle of a layer, and on files that are damaged."""
    rules = Quixo(2, 4, line=3)
    inarow.solve(rules, tmp_path / "cpu")
    whole = Manifest.load(tmp_path / "cpu")
    for count in range(len(whole.pairs)):
        copy = tmp_path / str(count)
        shutil.copytree(tmp_path / "cpu", copy)
        replace(whole, pairs=whole.pairs[:count]).save(copy)
        if count > 3:
            file = copy / (whole.files[count - 3])
            file.write_bytes(file.read_bytes()[:-1])
        folder = TableFolder(copy, rules)
        with folder.prepare(0):
            solve_pairs(rules, gpu_engine(rules), folder)
        assert len(folder.damaged) == (0 if count <= 3 else 2)
        assert contents(copy) == contents(tmp_path / "cpu"), count


def test_a_win_that_cannot_be_one_is_noticed_when_it_is_loaded(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "t", stop_at=6)
    change_outcomes(tmp_path / "t", 3, 3, lambda _, codes: np.full_like(codes, WIN))
    rewritten, record = opened(tmp_path / "t", 3, 3)
    none = rewritten.write_pieces(3, 3, 1, [run_of([b""])])
    replace_record(tmp_path / "t", replace(record, plies=none))
    folder = TableFolder(tmp_path / "t", Quixo(3))
    found = pytest.raises(DamagedFile, match=r"pair \{3, 3\} has a win that no lost position follows")
    with found, folder.prepare(0):
        solve_pairs(Quixo(3), gpu_engine(Quixo(3)), folder)


def test_the_sources_of_the_kernels_are_in_the_package() -> None:
    assert (SOURCES / "quixo.cu").is_file()


def test_a_gpu_with_too_little_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostDevice, "free_bytes", 1000)
    with pytest.raises(InarowError, match=r"3×3 needs \d\.\d MB of GPU memory; this CPU has 1\.0 kB free"):
        gpu_engine(Quixo(3))


def test_outcomes_in_memory(whole: Path) -> None:
    solution = inarow.solve(Quixo(4), outcomes_only=True)
    assert solution.table is None
    assert solution.statistics == Manifest.load(whole).statistics


@pytest.mark.parametrize("plies", [True, False])
def test_large_pairs_are_read_from_their_files(
    plies: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("inarow.quixo.solver.schedule.LARGE", 20)
    loaded: list[tuple[int, int]] = []

    class Watched(CpuEngine):
        def load(self, stored: StoredPair) -> Any:
            loaded.append(stored.record.pair)
            return super().load(stored)

    inarow.solve(Quixo(3), tmp_path / "kept", outcomes_only=not plies)
    for room, read in ((0, {(3, 3), (3, 2)}), (1 << 20, set())):
        loaded.clear()
        folder = TableFolder(tmp_path / str(room), Quixo(3), plies=plies)
        with folder.prepare(0):
            solve_pairs(Quixo(3), Watched(Quixo(3), plies), folder, room=room)
        assert read <= set(loaded), room
        assert (9, 0) not in loaded
        assert bool(loaded) == bool(read)
        assert contents(tmp_path / str(room)) == contents(tmp_path / "kept")
    loaded.clear()
    solve_pairs(Quixo(3), Watched(Quixo(3), plies), NoStore())
    assert not loaded


def test_a_run_that_stops_early_is_resumed(whole: Path, tmp_path: Path) -> None:
    for stop_at in (16, 11, 4, 0):
        solution = inarow.solve(Quixo(4), tmp_path / "t", outcomes_only=True, stop_at=stop_at)
        assert (solution.start is None) == (stop_at > 0)
        assert all(c.x + c.o >= stop_at for c in solution.statistics.classes)
    assert contents(tmp_path / "t") == contents(whole)


def test_killed_many_times(whole: Path, tmp_path: Path) -> None:
    chance = random.Random(9)
    for attempt in range(3):
        folder = tmp_path / str(attempt)
        for _ in range(5):
            process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)])
            deadline = time.monotonic() + 60
            pairs = chance.randrange(1, 81)
            while process.poll() is None and len(list(folder.glob("pair-*"))) < pairs:
                assert time.monotonic() < deadline
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.003)
            process.send_signal(signal.SIGKILL)
            process.wait()
        inarow.solve(Quixo(4), folder, outcomes_only=True)
        assert contents(folder) == contents(whole)


def test_what_was_damaged_is_solved_again(whole: Path, tmp_path: Path) -> None:
    inarow.solve(Quixo(4), tmp_path / "t", outcomes_only=True)
    damaged, cut, missing = (tmp_path / "t" / f"pair-{name}.values" for name in ("07-05", "09-02", "06-06"))
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 4
    damaged.write_bytes(data)
    cut.write_bytes(cut.read_bytes()[:-9])
    missing.unlink()
    solution = inarow.solve(Quixo(4), tmp_path / "t", outcomes_only=True)
    assert set(solution.repaired) == {damaged.name, cut.name, missing.name}
    assert contents(tmp_path / "t") == contents(whole)


def test_folders_of_other_tables_are_left_alone(whole: Path, tmp_path: Path) -> None:
    before = contents(whole)
    with pytest.raises(WrongTable, match="table without plies"):
        inarow.solve(Quixo(4), whole)
    with pytest.raises(WrongTable, match="line 3"):
        inarow.solve(Quixo(4, line=3), whole, outcomes_only=True)
    assert contents(whole) == before
    inarow.solve(Quixo(3), tmp_path / "plies")
    with pytest.raises(WrongTable, match="not a table without plies of"):
        inarow.solve(Quixo(3), tmp_path / "plies", outcomes_only=True)


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="name its folder"):
        inarow.solve(Quixo(3), dask="tcp://127.0.0.1:1")
    with pytest.raises(InarowError, match="on CPUs"):
        inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=True, device="cuda")
    with pytest.raises(InarowError, match="on CPUs"):
        inarow.solve(Quixo(3), tmp_path / "t", dask="tcp://127.0.0.1:1", device="cuda")
    with pytest.raises(InarowError, match="a book"):
        inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=True, store=False)
    with pytest.raises(InarowError, match="writes a book and counts to a folder"):
        inarow.solve(Quixo(3), store=False)
    assert not (tmp_path / "t").exists()


# --- What it takes ---


def test_the_largest_size_fits_its_budget(tmp_path: Path) -> None:
    needs = Plan(Quixo(5), tmp_path / "t", plies=False).needs()
    assert 10e9 < needs.memory < 18e9
    assert 3e9 < needs.disk < 4.5e9
    assert needs.seconds > 60
    least, most = needs.seconds_between
    assert least < needs.seconds < most < 2 * least
    with_plies = Plan(Quixo(5), tmp_path / "t").needs()
    assert 18e9 < with_plies.memory < 24 << 30
    assert 12e9 < with_plies.disk < 20e9
    table = Plan(Quixo(5), device="cuda").disk(list(pairs_of(Quixo(5))))
    assert 12e9 < table < 14e9


def test_less_is_left_to_do_when_it_is_resumed(whole: Path) -> None:
    needs = Plan(Quixo(4), whole, plies=False).needs()
    assert (needs.seconds, needs.memory, needs.disk) == (0, 0, 0)


def test_nearly_full_boards_take_more_for_an_entry(tmp_path: Path) -> None:
    def seconds(threads: int, stop_at: int = 0) -> float:
        return Plan(FIVE, tmp_path / "t", plies=False, threads=threads, stop_at=stop_at).needs().seconds

    whole, half, top = seconds(1), seconds(2), seconds(1, stop_at=22)
    assert half == pytest.approx(whole / 2)
    entries = [sum(entry_count(FIVE, *pair) for pair in pairs_of(FIVE, at)) for at in (0, 22)]
    assert top / whole > 2 * entries[1] / entries[0]


@pytest.mark.parametrize("plies", [False, True])
def test_needs_of_any_shape(tmp_path: Path, plies: bool) -> None:
    shapes = [(4, 4), (3, 6), (4, 5), (3, 8), (5, 5)]
    needs = [Plan(Quixo(*shape), tmp_path / "t", plies=plies).needs() for shape in shapes]
    assert needs[0].seconds == 0  # sooner done than estimated
    for smaller, larger in itertools.pairwise(needs):
        assert smaller.seconds < larger.seconds
        assert smaller.memory < larger.memory
        assert smaller.disk < larger.disk


def test_a_budget_in_memory() -> None:
    with pytest.raises(InarowError, match=r"up to [\d.]+ MB of memory; --memory allows 100\.0 MB"):
        inarow.solve(Quixo(4), memory=10**8)


@pytest.mark.parametrize("outcomes_only", [True, False])
def test_a_budget_that_is_too_small_is_refused_before_it_begins(tmp_path: Path, outcomes_only: bool) -> None:
    with pytest.raises(InarowError, match=r"up to \d+\.\d GB of memory; --memory allows 1\.0 GB"):
        inarow.solve(Quixo(5), tmp_path / "t", outcomes_only=outcomes_only, memory=10**9)
    assert not (tmp_path / "t").exists()


def test_there_must_be_a_thread(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="threads must be 1 to 1,024, not 0"):
        inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=True, threads=0)


def test_a_disk_that_is_too_small_is_refused_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 10**9}))
    with pytest.raises(
        OSError, match=r"takes about 3,\d{3},\d{3},\d{3} bytes; 1,000,000,000 are free"
    ) as caught:
        inarow.solve(Quixo(5), tmp_path / "t", outcomes_only=True)
    assert caught.value.errno == errno.ENOSPC
    assert not (tmp_path / "t").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("this user may not mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def run_solve(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "quixo", "solve", "--size", "4", "--out", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_disk_that_gets_full(small_disk: Path, whole: Path) -> None:
    result = run_solve(small_disk / "t", "--outcomes-only")
    assert result.returncode == 5
    lines = result.stderr.splitlines()
    assert "No space left on device" in lines[0]
    assert re.fullmatch(r"About [\d,]+ bytes more are needed\.", lines[1])
    assert "the same command resumes" in lines[2]
    assert not list((small_disk / "t").glob(".*"))
    assert 0 < len(Manifest.load(small_disk / "t").pairs) < 81
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    assert run_solve(small_disk / "t", "--outcomes-only").returncode == 0
    assert contents(small_disk / "t") == contents(whole)


def test_a_disk_that_is_known_to_be_too_small(small_disk: Path) -> None:
    result = run_solve(small_disk / "t")
    assert result.returncode == 5
    assert "are free" in result.stderr


# --- On a cluster ---


@pytest.mark.parametrize("plies", [False, True])
def test_two_workers_one_of_which_is_killed(
    two_workers: tuple[str, list[subprocess.Popen[bytes]]], whole: Path, tmp_path: Path, plies: bool
) -> None:
    address, workers = two_workers
    killed_at = 0

    def kill(done: int, total: int) -> None:
        nonlocal killed_at
        if not killed_at and done > total // 3:
            killed_at = done
            workers[0].kill()

    out = tmp_path / "t"
    inarow.solve(Quixo(4), out, outcomes_only=not plies, dask=address, progress=kill)
    assert killed_at
    assert workers[0].wait(timeout=10) != 0
    assert workers[1].poll() is None
    if plies:
        inarow.solve(Quixo(4), tmp_path / "alone")
    expected = contents(tmp_path / "alone" if plies else whole)
    found = {name: data for name, data in contents(out).items() if not name.startswith(".")}
    assert found == expected
