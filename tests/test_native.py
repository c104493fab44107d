"""The C++ unit tests, which stand beside the sources in native/: one program for each folder that has any."""

from __future__ import annotations

import re
from pathlib import Path

import native_programs
import pytest

NATIVE = native_programs.ROOT / "native"
FOLDERS = sorted({test.parent.relative_to(NATIVE).as_posix() for test in NATIVE.rglob("*_test.cpp")})


@pytest.fixture(scope="module")
def programs() -> Path:
    try:
        return native_programs.build()
    except native_programs.CannotBuild as problem:
        pytest.skip(str(problem))


@pytest.mark.parametrize("folder", FOLDERS)
def test_unit_tests(programs: Path, folder: str) -> None:
    assert native_programs.run(programs / f"{folder.replace('/', '_')}_test").returncode == 0


def test_folders_include_nothing_of_each_other() -> None:
    """A game includes nothing of another, a checker nothing of what it checks.

    A header beside the folders belongs to no game; checkers do without those too. Where a CPU runs a kernel,
    its source is included.
    """
    kernels = {path.name for path in (NATIVE.parent / "kernels").iterdir()}
    for source in NATIVE.rglob("*.[ch]pp"):
        path = source.relative_to(NATIVE)
        if path.parts[0] in ("bindings", "testing", "wasm"):
            continue
        room = path.parts[: 2 if path.parts[0] == "verify" else 1]
        for included in re.findall(r'#include "(.+)"', source.read_text()):
            if (source.parent / included).is_file() or included in kernels:
                continue
            parts = Path(included).parts
            allowed = parts[: len(room)] == room or (parts[0] == "testing" and "test" in path.name)
            allowed |= len(parts) == 1 and room[0] != "verify"
            assert allowed, f"{path} includes {included}"
