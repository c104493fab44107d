"""The solver against the oracle, the paper, itself on other instructions, and interruptions."""

import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.quixo_paper import START, TABLE_3_4X4, TOTALS_4X4
from numpy.typing import NDArray
from oracle import quixo as oracle
from quixo.entries import ENTRIES, narrowed, solve_entries
from quixo.forms import contents

import inarow
from inarow._native.quixo import Solver
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.solution import Solution
from inarow.quixo.solver.user_table import ensure_table, user_table
from inarow.quixo.table.pairs import pairs_above, pairs_of

VARIANTS: list[tuple[int, int, DoubleLine]] = [
    (size, line, double_line)
    for size, line in [(2, 2), (3, 3), (4, 3), (4, 4)]
    for double_line in ("loses", "wins")
]
each_variant = pytest.mark.parametrize(("size", "line", "double_line"), VARIANTS)
each_small_variant = pytest.mark.parametrize(
    ("size", "line", "double_line"), [variant for variant in VARIANTS if variant[0] < 4]
)


@cache
def solution(size: int, line: int, double_line: DoubleLine) -> Solution:
    return inarow.solve(Quixo(size, line=line, double_line=double_line))


def all_pairs(
    rules: Quixo, threads: int = 1, lanes: str = "auto", small: int = ENTRIES
) -> dict[tuple[int, int], NDArray[np.uint8]]:
    """Entries of one byte of all pairs."""
    solver = Solver(rules.native, threads, lanes, small)
    solved: dict[tuple[int, int], NDArray[np.uint8]] = {}
    for pair in pairs_of(rules):
        larger, smaller = [*(solved[above] for above in pairs_above(rules, *pair)), None, None][:2]
        solved[pair] = narrowed(solve_entries(solver, *pair, larger, smaller)[0])
    return solved


def assert_same(left: dict[Any, NDArray[Any]], right: dict[Any, NDArray[Any]]) -> None:
    assert left.keys() == right.keys()
    for pair in left:
        assert np.array_equal(left[pair], right[pair]), pair


@each_small_variant
def test_every_state_is_the_oracles(size: int, line: int, double_line: DoubleLine, tmp_path: Path) -> None:
    inarow.solve(Quixo(size, line=line, double_line=double_line), tmp_path / "table")
    expected = oracle.solve(size, size, line, double_line)
    assert len(expected) == 3 ** (size * size)
    words = np.array([x << 32 | o for x, o in expected], np.uint64)
    with inarow.open_table(tmp_path / "table") as table:
        values, plies = table.probe_many(words)
    names = {1: "win", 0: "draw", -1: "loss"}
    found = [(names[v], None if v == 0 else p) for v, p in zip(values.tolist(), plies.tolist(), strict=True)]
    assert found == list(expected.values())


def test_table_3_of_the_paper() -> None:
    statistics = solution(4, 4, "loses").statistics
    assert tuple(statistics.by_plies) == TABLE_3_4X4[:-1]
    assert TABLE_3_4X4[-1] == (23, 0, 0)
    assert statistics.states == TOTALS_4X4


@pytest.mark.parametrize("size", [3, 4])
def test_the_start_is_as_published(size: int) -> None:
    start = solution(size, size, "loses").start
    assert start is not None
    assert (start.value, start.plies) == START[size]


@each_variant
def test_counts_add_up(size: int, line: int, double_line: DoubleLine) -> None:
    solved = solution(size, line, double_line)
    cells = size * size
    assert sum(solved.statistics.states.values()) == 3**cells
    assert len(solved.statistics.classes) == (cells + 1) * (cells + 2) // 2
    assert (
        sum(win + loss for _, win, loss in solved.statistics.by_plies)
        == 3**cells - solved.statistics.states["draw"]
    )


def test_json_has_the_documented_shape() -> None:
    data = solution(3, 3, "loses").to_json()
    assert list(data) == [
        *("game", "rows", "columns", "line", "double_line", "value", "plies"),
        *("states", "by_plies", "classes", "seconds"),
    ]
    assert (data["game"], data["rows"], data["columns"]) == ("quixo", 3, 3)
    assert (data["line"], data["double_line"]) == (3, "loses")
    assert (data["value"], data["plies"]) == ("win", 7)
    assert data["states"] == {"win": 12748, "loss": 6935, "draw": 0}
    assert data["by_plies"][8] == {"plies": 8, "win": 0, "loss": 4}
    assert {"x": 0, "o": 0, "win": 1, "loss": 0, "draw": 0, "max_plies": 7} in data["classes"]


@each_variant
def test_all_instructions_give_the_same(size: int, line: int, double_line: DoubleLine) -> None:
    rules = Quixo(size, line=line, double_line=double_line)
    best = all_pairs(rules)
    assert_same(best, all_pairs(rules, lanes="portable"))
    assert_same(best, all_pairs(rules, threads=3))


def test_progress_runs_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    inarow.solve(Quixo(3), progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1] > 3732  # entries, some of which are more work than others


def test_threads_may_solve_the_same_game_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        for outcomes_only in (False, True):
            solving = [pool.submit(inarow.solve, Quixo(4), outcomes_only=outcomes_only) for _ in range(4)]
            assert [solved.result().statistics.states for solved in solving] == [TOTALS_4X4] * 4


def test_arguments_are_checked() -> None:
    for marks in (-1, 10):
        with pytest.raises(inarow.InarowError, match="0 to 9 marks"):
            inarow.solve(Quixo(3), stop_at=marks)
    with pytest.raises(inarow.InarowError, match="threads"):
        inarow.solve(Quixo(3), threads=0)
    with pytest.raises(ValueError, match="lanes"):
        CpuEngine(Quixo(3), lanes="quantum")
    solver = Solver(Quixo(3).native, 1)
    for a, b in [(1, 2), (9, 1), (0, -1)]:
        with pytest.raises(ValueError, match="no such pair"):
            solve_entries(solver, a, b, None, None)
    plane = np.zeros(3, np.uint8)
    for planes, what in [((plane, plane), "outcomes: expected"), ((plane, None), "outcomes: expected")]:
        with pytest.raises(ValueError, match=what):
            solver.solve(4, 4, True, lambda _, planes=planes: planes)  # type: ignore[misc]
    with pytest.raises(ValueError, match="planes need plies, or none"):
        solver.solve(8, 0, False, lambda _: (np.zeros(1, np.uint8), plane[:2]))


def test_the_users_table_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    rules = Quixo(3, double_line="wins")
    path = ensure_table(rules)
    assert path == user_table(rules)
    assert path.name == "3x3-line3-wins"
    assert path.is_relative_to(tmp_path)
    before = {file: file.stat().st_mtime_ns for file in path.iterdir()}
    assert ensure_table(rules) == path
    assert before == {file: file.stat().st_mtime_ns for file in path.iterdir()}


@pytest.mark.parametrize("manifest", [{"format": "inarow-quixo", "version": 2}, {"version": 1}])
def test_a_users_table_of_an_older_release_is_made_again(
    manifest: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = ensure_table(Quixo(2))
    whole = contents(path)
    data = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(data | manifest))
    (path / "pair-00-00.bin").write_bytes(b"")
    assert contents(ensure_table(Quixo(2))) == whole


def test_a_stopped_run_is_resumed(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "whole")
    for pairs in (1, 7, 20, 29):

        def stop(done: int, total: int, left: list[int] = [pairs]) -> None:  # noqa: B006
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            inarow.solve(Quixo(3), tmp_path / str(pairs), progress=stop)
        assert len(list((tmp_path / str(pairs)).glob("pair-*.values"))) == pairs
        inarow.solve(Quixo(3), tmp_path / str(pairs))
        assert contents(tmp_path / str(pairs)) == contents(tmp_path / "whole")


def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path: Path) -> None:
    inarow.solve(Quixo(4), tmp_path / "whole")
    program = "import sys, inarow; from inarow.quixo.rules import Quixo; inarow.solve(Quixo(4), sys.argv[1])"
    rng = random.Random(4)
    for attempt in range(4):
        folder = tmp_path / str(attempt)
        for _ in range(3):
            process = subprocess.Popen([sys.executable, "-c", program, str(folder)])
            deadline = time.monotonic() + 20
            pairs = rng.randrange(1, 60)
            while process.poll() is None and len(list(folder.glob("pair-*"))) < pairs:
                assert time.monotonic() < deadline
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.wait()
        inarow.solve(Quixo(4), folder)
        assert contents(folder) == contents(tmp_path / "whole")


def test_a_run_that_stops_at_some_marks_is_resumed(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "whole")
    whole = solution(3, 3, "loses")
    for stop_at in (9, 6, 6, 1):
        seen: list[tuple[int, int]] = []
        part = inarow.solve(
            Quixo(3), tmp_path / "table", stop_at=stop_at, progress=lambda *at, seen=seen: seen.append(at)
        )
        assert part.start is None
        assert seen[-1][0] == seen[-1][1]
        assert part.statistics.classes == tuple(c for c in whole.statistics.classes if c.x + c.o >= stop_at)
        assert {
            sum(map(int, file.stem.split("-")[1:])) for file in (tmp_path / "table").glob("pair-*")
        } == set(range(stop_at, 10))
    assert inarow.solve(Quixo(3), tmp_path / "table").start == whole.start
    assert contents(tmp_path / "table") == contents(tmp_path / "whole")
    with pytest.raises(inarow.InarowError, match="a book"):
        inarow.solve(Quixo(3), tmp_path / "book", store=False, stop_at=6)
    assert not (tmp_path / "book").exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    inarow.solve(Quixo(2), tmp_path / "table")
    with pytest.raises(inarow.WrongTable, match=r"2×2.*not a table of.*3×3"):
        inarow.solve(Quixo(3), tmp_path / "table")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.txt").write_text("do not touch")
    with pytest.raises(inarow.WrongTable, match="not empty"):
        inarow.solve(Quixo(3), tmp_path / "papers")
    assert [file.name for file in (tmp_path / "papers").iterdir()] == ["thesis.txt"]


def test_a_run_killed_before_its_first_pair_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / ".writing-abc").write_bytes(b"half a manifest")
    inarow.solve(Quixo(2), tmp_path / "table")
    inarow.solve(Quixo(2), tmp_path / "whole")
    assert contents(tmp_path / "table") == contents(tmp_path / "whole")


def test_damaged_pairs_are_solved_again(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "table")
    whole = contents(tmp_path / "table")
    file = tmp_path / "table" / "pair-05-03.plies"
    content = bytearray(file.read_bytes())
    content[40] ^= 1
    file.write_bytes(content)
    (tmp_path / "table" / "pair-02-01.values").unlink()
    solved = inarow.solve(Quixo(3), tmp_path / "table")
    assert solved.repaired == (
        *("pair-05-03.values", "pair-05-03.plies"),
        *("pair-02-01.values", "pair-02-01.plies"),
    )
    assert contents(tmp_path / "table") == whole
    assert inarow.solve(Quixo(3), tmp_path / "table").repaired == ()


def test_a_manifest_with_a_wrong_checksum_is_not_believed(tmp_path: Path) -> None:
    inarow.solve(Quixo(3), tmp_path / "table")
    manifest = tmp_path / "table" / "manifest.json"
    data = json.loads(manifest.read_text())
    data["pairs"][5]["sha256"] = "0" * 64
    manifest.write_text(json.dumps(data))
    with pytest.raises(inarow.DamagedFile, match="manifest"):
        inarow.solve(Quixo(3), tmp_path / "table")


def test_other_devices_and_too_many_threads(tmp_path: Path) -> None:
    for device in ("tpu", "CPU", ""):
        with pytest.raises(inarow.InarowError, match="the device is 'cpu' or 'cuda'"):
            inarow.solve(Quixo(2), device=device)  # type: ignore[arg-type]
    for threads in (0, -1, 1025, 100_000):
        with pytest.raises(inarow.InarowError, match="threads must be 1 to 1,024"):
            inarow.solve(Quixo(2), tmp_path / "table", threads=threads)
    with pytest.raises(inarow.InarowError, match="--memory allows"):
        inarow.solve(Quixo(2), tmp_path / "table", memory=1)
    assert not (tmp_path / "table").exists()
