"""The schedule, with plies and without: resumed, stopped, killed, short of disk, on a cluster."""

import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cli.calling import PROGRAM
from hypothesis import given
from hypothesis import strategies as st
from quixo.forms import Forms, contents, flip

import inarow
from inarow._native.quixo import Solver, Stop
from inarow.errors import InarowError, WrongTable
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines import cpu as cpu_module
from inarow.quixo.solver.engines.cpu import CpuEngine, side_by_side
from inarow.quixo.solver.engines.engine import Solved
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import Solution
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId, pairs_of
from inarow.quixo.table.store import Store, StoredPair

SCRIPT = """
import sys, inarow
from inarow.quixo.rules import Quixo
inarow.solve(Quixo(4), sys.argv[1], outcomes_only=sys.argv[2] == "True")
"""


each_form = pytest.mark.parametrize("outcomes_only", [False, True], ids=["plies", "outcomes"])


def solve_into(folder: Path, engine: CpuEngine, rules: Quixo, plies: bool, room: int = 0) -> None:
    table = TableFolder(folder, rules, plies=plies)
    with table.prepare(0):
        solve_pairs(rules, engine, table, room=room)


# --- The same bytes ---


@pytest.mark.parametrize("rules", [Quixo(4), Quixo(3, 4), Quixo(7, 2, line=3, double_line="wins")], ids=str)
def test_the_outcomes_are_those_with_plies(rules: Quixo, tmp_path: Path) -> None:
    for outcomes_only in (False, True):
        inarow.solve(rules, tmp_path / str(outcomes_only), outcomes_only=outcomes_only)
    with_plies, without = (
        {name: content for name, content in contents(tmp_path / kind).items() if name.endswith(".values")}
        for kind in ("False", "True")
    )
    assert with_plies == without


@pytest.mark.parametrize(("threads", "lanes"), [(3, "auto"), (2, "portable")])
def test_the_bytes_do_not_depend_on_how(four: Forms, tmp_path: Path, threads: int, lanes: str) -> None:
    solve_into(tmp_path / "t", CpuEngine(Quixo(4), False, threads, lanes), Quixo(4), plies=False)
    assert contents(tmp_path / "t") == contents(four.folder / "outcomes")


def test_outcomes_in_memory(four: Forms) -> None:
    solution = inarow.solve(Quixo(4), outcomes_only=True)
    assert solution.table is None
    assert solution.statistics.states == {"win": 26434489, "loss": 15003736, "draw": 1608496}  # the paper
    assert solution.start is not None
    assert (solution.start.value, solution.start.plies) == ("win", None)
    assert solution.statistics == Manifest.load(four.folder / "outcomes").statistics


@each_form
def test_large_pairs_are_read_from_their_files(
    outcomes_only: bool,
    three: Forms,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("inarow.quixo.solver.schedule.LARGE", 20)
    loaded: list[tuple[int, int]] = []

    class Watched(CpuEngine):
        def load(self, stored: StoredPair) -> Any:
            loaded.append(stored.record.pair)
            return super().load(stored)

    engine = Watched(Quixo(3), not outcomes_only)
    for room, read in ((0, {(3, 3), (3, 2)}), (1 << 20, set())):
        loaded.clear()
        solve_into(tmp_path / str(room), engine, Quixo(3), not outcomes_only, room)
        assert read <= set(loaded), room
        assert (9, 0) not in loaded
        assert bool(loaded) == bool(read)
        assert contents(tmp_path / str(room)) == contents(three.of(outcomes_only))
    loaded.clear()
    solve_pairs(Quixo(3), engine, Store())
    assert not loaded


# --- Resumed ---


@each_form
def test_a_run_that_stops_at_some_marks_is_resumed(outcomes_only: bool, three: Forms, tmp_path: Path) -> None:
    def solve(stop_at: int) -> tuple[Solution, list[tuple[int, int]]]:
        seen: list[tuple[int, int]] = []
        options: dict[str, Any] = {"outcomes_only": outcomes_only, "stop_at": stop_at}
        return inarow.solve(Quixo(3), tmp_path / "t", **options, progress=lambda *at: seen.append(at)), seen

    whole = Manifest.load(three.of(outcomes_only)).statistics
    for stop_at in (9, 6, 6, 1, 0):
        part, seen = solve(stop_at)
        assert (part.start is None) == (stop_at > 0)
        assert part.statistics.classes == tuple(c for c in whole.classes if c.x + c.o >= stop_at)
        assert seen[-1][0] == seen[-1][1]
        marks = {sum(map(int, file.stem.split("-")[1:])) for file in (tmp_path / "t").glob("pair-*")}
        assert marks == set(range(stop_at, 10))
    assert contents(tmp_path / "t") == contents(three.of(outcomes_only))


def test_a_stopped_run_is_resumed(three: Forms, tmp_path: Path) -> None:
    for pairs in (1, 7, 20, 29):

        def stop(done: int, total: int, left: list[int] = [pairs]) -> None:  # noqa: B006
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            inarow.solve(Quixo(3), tmp_path / str(pairs), progress=stop)
        assert len(list((tmp_path / str(pairs)).glob("pair-*.values"))) == pairs
        inarow.solve(Quixo(3), tmp_path / str(pairs))
        assert contents(tmp_path / str(pairs)) == contents(three.folder / "compact")


@each_form
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.exhaustive)])
def test_a_killed_run_is_resumed_to_the_same_bytes(
    kills: int, outcomes_only: bool, four: Forms, tmp_path: Path
) -> None:
    chance, folder = random.Random(kills), tmp_path / "t"
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), str(outcomes_only)])
        deadline = time.monotonic() + 60
        pairs = len(list(folder.glob("pair-*"))) + chance.randrange(1, 40)
        while process.poll() is None and len(list(folder.glob("pair-*"))) < pairs:
            assert time.monotonic() < deadline
            time.sleep(0.0005)
        time.sleep(chance.random() * 0.003)
        process.send_signal(signal.SIGKILL)
        process.wait()
    inarow.solve(Quixo(4), folder, outcomes_only=outcomes_only)
    assert contents(folder) == contents(four.of(outcomes_only))


def test_a_run_killed_before_its_first_pair_is_resumed(three: Forms, tmp_path: Path) -> None:
    (tmp_path / ".writing-abc").write_bytes(b"half a manifest")
    inarow.solve(Quixo(3), tmp_path)
    assert contents(tmp_path) == contents(three.folder / "compact")


@each_form
def test_damaged_pairs_are_solved_again(outcomes_only: bool, three: Forms, tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=outcomes_only)
    kinds = ("values",) if outcomes_only else ("values", "plies")
    damaged, cut, missing = (
        tmp_path / "t" / f"pair-{pair}.{kinds[-1]}" for pair in ("05-03", "04-02", "02-01")
    )
    flip(damaged)
    cut.write_bytes(cut.read_bytes()[:-1])
    missing.unlink()
    solved = inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=outcomes_only)
    assert solved.repaired == tuple(
        f"{file.stem}.{kind}" for file in (damaged, cut, missing) for kind in kinds
    )
    assert contents(tmp_path / "t") == contents(three.of(outcomes_only))
    assert inarow.solve(Quixo(3), tmp_path / "t", outcomes_only=outcomes_only).repaired == ()


# --- Refused ---


def test_folders_of_others_are_left_alone(three: Forms, four: Forms, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not touch")
    for folder, rules, outcomes_only, says in (
        (four.folder / "outcomes", Quixo(4), False, "table without plies"),
        (four.folder / "outcomes", Quixo(4, line=3), True, "line 3"),
        (three.folder / "compact", Quixo(3), True, "not a table without plies of"),
        (three.folder / "compact", Quixo(2), False, r"3×3.*not a table of.*2×2"),
        (tmp_path, Quixo(3), False, "not empty"),
    ):
        before = contents(folder)
        with pytest.raises(WrongTable, match=says):
            inarow.solve(rules, folder, outcomes_only=outcomes_only)
        assert contents(folder) == before


@pytest.mark.parametrize(
    ("out", "options", "says"),
    [
        (False, {"dask": "tcp://127.0.0.1:1"}, "name its folder"),
        (False, {"store": False}, "writes a book and counts to a folder"),
        (True, {"store": False, "outcomes_only": True}, "a book"),
        (True, {"store": False, "stop_at": 6}, "a book"),
        (True, {"device": "cuda", "outcomes_only": True}, "on CPUs"),
        (True, {"device": "cuda", "dask": "tcp://127.0.0.1:1"}, "on CPUs"),
        (True, {"gpu_memory": 10**9}, r"--gpu-memory\) is for solving there \(--device cuda\)"),
        *((True, {"device": device}, "the device is 'cpu' or 'cuda'") for device in ("tpu", "CPU", "")),
        *((True, {"threads": threads}, "threads must be 1 to 1,024") for threads in (0, -1, 1025)),
        *((True, {"stop_at": marks}, "0 to 9 marks") for marks in (-1, 10)),
        (True, {"memory": 1}, r"up to [\d.]+ MB of memory; --memory allows 1 byte"),
        (False, {"memory": 10**8}, r"up to [\d.]+ MB of memory; --memory allows 100\.0 MB"),
    ],
)
def test_what_makes_no_sense_is_refused(out: bool, options: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(InarowError, match=says):
        inarow.solve(Quixo(3), tmp_path / "t" if out else None, **options)
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


def test_a_disk_that_gets_full(small_disk: Path, four: Forms) -> None:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [*PROGRAM, "quixo", "solve", "--size", "4", "--out", str(small_disk / "t"), *options]
        return subprocess.run(command, capture_output=True, text=True)

    result = run()  # a table with plies is known to be too large
    assert result.returncode == 5
    assert "are free" in result.stderr
    result = run("--outcomes-only")
    assert result.returncode == 5
    lines = result.stderr.splitlines()
    assert "No space left on device" in lines[0]
    assert re.fullmatch(r"About [\d,]+ bytes more are needed\.", lines[1])
    assert "the same command resumes" in lines[2]
    assert not list((small_disk / "t").glob(".*"))
    assert 0 < len(Manifest.load(small_disk / "t").pairs) < len(list(pairs_of(Quixo(4))))
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    assert run("--outcomes-only").returncode == 0
    assert contents(small_disk / "t") == contents(four.folder / "outcomes")


# --- On a cluster ---


@pytest.mark.parametrize(
    "outcomes_only", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["plies", "outcomes"]
)
def test_two_workers_one_of_which_is_killed(
    two_workers: tuple[str, list[subprocess.Popen[bytes]]],
    four: Forms,
    tmp_path: Path,
    outcomes_only: bool,
) -> None:
    address, workers = two_workers
    killed_at = 0

    def kill(done: int, total: int) -> None:
        nonlocal killed_at
        if not killed_at and done > total // 3:
            killed_at = done
            workers[0].kill()

    inarow.solve(Quixo(4), tmp_path, outcomes_only=outcomes_only, dask=address, progress=kill)
    assert killed_at
    assert workers[0].wait(timeout=10) != 0
    assert workers[1].poll() is None
    found = {name: data for name, data in contents(tmp_path).items() if not name.startswith(".")}
    assert found == contents(four.of(outcomes_only))


# --- Pairs that are solved side by side ---


class Work:
    """Solves pairs by sleeping, and keeps count of the memory that it would take."""

    def __init__(self, peaks: list[int]) -> None:
        self.pairs: list[PairId] = [(number, 0) for number in range(len(peaks))]
        self.peaks = peaks
        self.held: dict[PairId, int] = {}  # of what is being solved, and of what nobody has asked for yet
        self.most = self.at_once = 0
        self._lock = threading.Lock()

    def peak(self, a: int, _: int) -> int:
        return self.peaks[a]

    def solve(self, pair: PairId, _: Stop) -> Solved:
        with self._lock:
            self.held[pair] = self.peaks[pair[0]]
            self.most = max(self.most, sum(self.held.values()))
            self.at_once = max(self.at_once, len(self.held))
        time.sleep(0.001)
        with self._lock:
            self.held[pair] //= 2
        return Solved(pair, (), memory=self.held[pair])


@given(st.lists(st.integers(0, 100), max_size=12), st.integers(0, 300), st.integers(1, 4))
def test_in_their_order_and_within_the_room(peaks: list[int], room: int, most: int) -> None:
    work, found = Work(peaks), []
    for solved in side_by_side(work.pairs, work.solve, work.peak, room, most):
        found.append(solved.kept)
        del work.held[solved.kept]  # the caller has it now
    assert found == work.pairs
    # The first one that is not asked for yet may be there in any case.
    assert work.most <= room + max(peaks, default=0)


def test_several_at_a_time() -> None:
    work = Work([1] * 12)
    assert len(list(side_by_side(work.pairs, work.solve, work.peak, 100, 4))) == 12
    assert work.at_once > 1


def above(side: int) -> Any:
    raise AssertionError("a full board has no pair above it")


def solve_until_stopped(stop: Stop) -> None:
    """On another thread than the one that gets Ctrl-C."""
    solver = Solver(Quixo(3).native, 1)
    with suppress(RuntimeError):
        while True:
            solver.solve(9, 0, False, above, stop)


def test_what_goes_wrong_is_raised_and_the_others_are_stopped() -> None:
    stopped = threading.Event()

    def solve(pair: PairId, stop: Stop) -> Solved:
        if pair == (0, 0):
            time.sleep(0.02)
            raise OverflowError("too many plies")
        solve_until_stopped(stop)
        stopped.set()
        return Solved(pair, ())

    with pytest.raises(OverflowError, match="too many plies"):
        list(side_by_side([(0, 0), (1, 0)], solve, lambda *_: 1, 10, 4))
    assert stopped.is_set()


def test_closing_it_stops_what_is_being_solved() -> None:
    begun: list[PairId] = []

    def solve(pair: PairId, stop: Stop) -> Solved:
        begun.append(pair)
        if pair != (0, 0):
            solve_until_stopped(stop)
        return Solved(pair, ())

    solving = side_by_side([(number, 0) for number in range(9)], solve, lambda *_: 1, 10, 4)
    assert next(solving).kept == (0, 0)
    solving.close()
    assert len(begun) < 9


@pytest.mark.parametrize("plies", [True, False], ids=["plies", "outcomes"])
def test_the_same_files_as_one_after_the_other(
    plies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_module, "_THREADS_OF_A_PAIR", 1)
    rules = Quixo(3, 4)
    for threads in (1, 3):
        inarow.solve(rules, tmp_path / str(threads), outcomes_only=not plies, threads=threads)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
