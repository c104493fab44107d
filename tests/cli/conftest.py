"""The command line called from tests: in this process, or as a program where the process matters."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.calling import PROGRAM, Inarow, Program, Result

from inarow.cli.main import main
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own tables are left alone, and lines are as long on every terminal."""
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def inarow(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inarow:
    def call(*args: str | Path, stdin: str = "", code: int | None = 0) -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        found = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert code in (found, None), captured.err
        assert "Traceback" not in captured.err
        return Result(captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def table3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "3x3"
    solve(Quixo(3), folder)
    return folder


@pytest.fixture(scope="session")
def table4(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "4x4"
    solve(Quixo(4), folder)
    return folder


@pytest.fixture
def program() -> Program:
    def call(*args: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"capture_output": True, **options}
        return subprocess.run([*PROGRAM, *map(str, args)], text=True, timeout=60, **options)

    return call
