"""The programs of the C++ unit tests, built without Python.

`test_native.py` builds and runs them; `python tests/native_programs.py` builds them ahead of it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The test extra installs CMake and Ninja beside the interpreter, whether that environment is active or not.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


class CannotBuild(Exception):
    """Something that is needed is not installed."""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, env={**os.environ, "PATH": PATH}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout)  # shown if the test fails
    return done


def build() -> Path:
    """The folder with the programs. It is kept: the next build is quick. One that is under way is awaited."""
    cmake, ninja, ccache = (shutil.which(name, path=PATH) for name in ("cmake", "ninja", "ccache"))
    if cmake is None:
        raise CannotBuild("there is no CMake: pip install '.[test]'")
    compiler = os.environ.get("CXX", "default").replace("/", "_")
    folder = ROOT / "build" / f"tests-{'ninja' if ninja else 'make'}-{compiler}"
    folder.mkdir(parents=True, exist_ok=True)
    # Compiled quickly rather than well, with assertions and AddressSanitizer on; .ci/sanitize has the others.
    options = ["-DINAROW_TESTS=ON", "-DINAROW_BINDINGS=OFF", "-DCMAKE_BUILD_TYPE=Debug"]
    options += [
        "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS",
        "-DINAROW_SANITIZE=address",
        "-DINAROW_JOIN_TESTS=ON",
    ]
    options += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    options += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache or ''}"]
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # against another run of the tests
        configured = run(cmake, "-S", ROOT, "-B", folder, *options)
        if missing := re.search(r"doctest is not installed.*", configured.stdout):
            raise CannotBuild(missing.group())
        assert configured.returncode == 0
        assert run(cmake, "--build", folder, "--parallel", str(os.cpu_count() or 1)).returncode == 0
    return folder


if __name__ == "__main__":
    try:
        build()
    except CannotBuild as problem:
        sys.exit(str(problem))
