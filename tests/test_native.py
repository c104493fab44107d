"""The C++ unit tests, which stand beside the sources in native/: one program for each folder that has any."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "native"
# The test extra installs CMake and Ninja beside the interpreter, whether that environment is active or not.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
FOLDERS = sorted({test.parent.relative_to(NATIVE).as_posix() for test in NATIVE.rglob("*_test.cpp")})


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, env={**os.environ, "PATH": PATH}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)  # shown if the test fails
    return done


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder with the test programs, built without Python. It is kept: the next build is quick."""
    cmake, ninja, ccache = (shutil.which(name, path=PATH) for name in ("cmake", "ninja", "ccache"))
    if cmake is None:
        pytest.skip("there is no CMake: pip install '.[test]'")
    compiler = os.environ.get("CXX", "default").replace("/", "_")
    folder = ROOT / "build" / f"tests-{'ninja' if ninja else 'make'}-{compiler}"
    folder.mkdir(parents=True, exist_ok=True)
    # Compiled quickly rather than well, with assertions and AddressSanitizer on; .ci/sanitize has the others.
    options = ["-DINAROW_TESTS=ON", "-DINAROW_BINDINGS=OFF", "-DCMAKE_BUILD_TYPE=Debug"]
    options += ["-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS", "-DINAROW_SANITIZE=address"]
    options += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    options += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache or ''}"]
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # against another run of the tests
        configured = run(cmake, "-S", ROOT, "-B", folder, *options)
        if missing := re.search(r"doctest is not installed.*", configured.stdout):
            pytest.skip(missing.group())
        assert configured.returncode == 0
        assert run(cmake, "--build", folder, "--parallel", str(os.cpu_count() or 1)).returncode == 0
    return folder


@pytest.mark.parametrize("folder", FOLDERS)
def test_unit_tests(programs: Path, folder: str) -> None:
    assert run(programs / f"{folder.replace('/', '_')}_test").returncode == 0


def test_folders_include_nothing_of_each_other() -> None:
    """A game includes nothing of another, a checker nothing of what it checks.

    A header beside the folders belongs to no game; checkers do without those too.
    """
    for source in NATIVE.rglob("*.[ch]pp"):
        path = source.relative_to(NATIVE)
        if path.parts[0] in ("bindings", "testing", "wasm"):
            continue
        room = path.parts[: 2 if path.parts[0] == "verify" else 1]
        for included in re.findall(r'#include "(.+)"', source.read_text()):
            if (source.parent / included).is_file():
                continue
            parts = Path(included).parts
            allowed = parts[: len(room)] == room or (parts[0] == "testing" and "test" in path.name)
            allowed |= len(parts) == 1 and room[0] != "verify"
            assert allowed, f"{path} includes {included}"
