"""One process at a time writes to a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from quixo.forms import contents

import inarow
from inarow.locking import LOCK_NAME, FolderInUse, locked
from inarow.quixo.rules import Quixo
from inarow.quixo.table.copy import copy_table
from inarow.quixo.table.folder import manifest_in
from inarow.quixo.table.manifest import Manifest

HOLD = """
import sys
from pathlib import Path
from inarow.locking import locked
with locked(Path(sys.argv[1]), "holding it"):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_the_second_hears_who_holds_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        told = rf"process {holder.pid} on .* has been holding it since 20"
        with pytest.raises(FolderInUse, match=told), locked(tmp_path, "trying"):
            pass
        holder.kill()
    assert (tmp_path / LOCK_NAME).exists()
    with locked(tmp_path, "trying"):  # the system let go of it
        pass
    assert list(tmp_path.iterdir()) == []


def test_no_two_threads_at_once(tmp_path: Path) -> None:
    """The file comes and goes: nobody may hold one that others do not see."""
    inside = 0

    def enter(_: int) -> int:
        nonlocal inside
        entered = 0
        for _ in range(200):
            try:
                with locked(tmp_path, "entering"):
                    inside += 1
                    assert inside == 1
                    entered += 1
                    inside -= 1
            except FolderInUse:
                pass
        return entered

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(enter, range(4))) > 0


def test_who_writes_tables_locks_their_folder(tmp_path: Path) -> None:
    rules, taken = Quixo(2), tmp_path / "taken"
    inarow.solve(rules, tmp_path / "table")
    taken.mkdir()
    with locked(taken, "testing"):
        for write in (
            lambda: inarow.solve(rules, taken),
            lambda: inarow.solve(rules, taken, store=False),
            lambda: copy_table(tmp_path / "table", taken),
        ):
            with pytest.raises(FolderInUse, match=f"{taken} is in use: process {os.getpid()}"):
                write()
    inarow.solve(rules, taken)
    assert contents(taken) == contents(tmp_path / "table")


def test_two_solves_into_one_folder(tmp_path: Path) -> None:
    """One of them may be refused; what is there is right."""
    inarow.solve(Quixo(3), tmp_path / "whole")

    def solve(out: Path) -> bool:
        try:
            inarow.solve(Quixo(3), out)
        except FolderInUse:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        for nth in range(5):
            out = tmp_path / str(nth)
            assert any(pool.map(solve, [out, out]))
            assert contents(out) == contents(tmp_path / "whole")


def test_another_run_writes_a_table_while_its_folder_is_looked_at(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    inarow.solve(Quixo(2), whole)
    out.mkdir()
    exists = Path.exists

    def look_too_early(path: Path) -> bool:
        found = exists(path)
        shutil.copytree(whole, out, dirs_exist_ok=True)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "exists", look_too_early)
        assert not manifest_in(out, Manifest(Quixo(2))).pairs
    assert manifest_in(out, Manifest(Quixo(2))).pairs
