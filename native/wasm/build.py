"""Builds the modules of the explorer: the C++ core as WebAssembly, which runs in the pages.

    pip install '.[wasm]' && python native/wasm/build.py

Zig brings the compiler, the C++ library and the linker, so one version of it, and of Zopfli, gives the same
bytes everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ZIG = "0.17.0"  # as in pyproject.toml
NATIVE = Path(__file__).resolve().parents[1]
SHIPPED = NATIVE.parent / "src" / "inarow" / "web" / "wasm"
# What each module was built from, so that one that is out of date is noticed without building it.
BUILT = Path(__file__).with_name("built.json")

SOURCES = {
    "quixo": ["quixo/solver.cpp", "quixo/prober.cpp", "quixo/player.cpp", "wasm/quixo/module.cpp"],
    "qubic": ["wasm/qubic/module.cpp"],
    "ultimate": ["ultimate/mcts.cpp", "ultimate/strategy.cpp", "wasm/ultimate/module.cpp"],
}
_FLAGS = (
    "-target wasm32-wasi -mexec-model=reactor -msimd128 -s -std=c++20 -Wall -Wextra "
    "-Wno-missing-field-initializers -Wl,-z,stack-size=1048576 -I."
)
# A page waits for its module, so what does not solve or play out is kept small.
_SMALL = {"wasm/module.cpp", "quixo/prober.cpp", "quixo/player.cpp", "wasm/quixo/module.cpp"}


def build(name: str, folder: Path) -> bytes:
    """A module, built in a folder."""
    target = folder.resolve() / f"{name}.wasm"
    compiler = [sys.executable, "-m", "ziglang", "c++", *_FLAGS.split()]
    objects = []
    for source in ("wasm/module.cpp", *SOURCES[name]):
        objects.append(str(folder.resolve() / f"{source.replace('/', '_')}.o"))
        # In the folder of the sources, so that no path of this machine gets into the module.
        subprocess.run(
            [*compiler, _optimization(source), "-c", source, "-o", objects[-1]], cwd=NATIVE, check=True
        )
    subprocess.run([*compiler, "-O3", *objects, "-o", str(target)], cwd=NATIVE, check=True)
    return target.read_bytes()


def _optimization(source: str) -> str:
    return "-Os" if source in _SMALL else "-O3"


def origin(name: str) -> str:
    """A digest of what makes a module: the compiler, its flags, and the sources with what they include."""
    sources = ["wasm/module.cpp", *SOURCES[name]]
    found = hashlib.sha256(f"{ZIG} {_FLAGS} {[_optimization(source) for source in sources]}".encode())
    waiting, seen = [NATIVE / source for source in sources], set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = path.read_bytes()
        found.update(f"{path.relative_to(NATIVE).as_posix()} {len(text)}\n".encode() + text)
        for included in re.findall(r'^\s*#include "(.+)"', text.decode(), re.MULTILINE):
            places = [folder / included for folder in (path.parent, NATIVE)]
            waiting += [place.resolve() for place in places if place.is_file()][:1]
    return found.hexdigest()


if __name__ == "__main__":
    import zopfli.gzip  # only to build: tests import this file for the digests alone

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SOURCES), help="the modules to build")
    SHIPPED.mkdir(exist_ok=True)
    built = json.loads(BUILT.read_text()) if BUILT.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in parser.parse_args().names:
            # Packed, as most hosts send files as they are. Zopfli makes them a twentieth smaller than gzip.
            packed = zopfli.gzip.compress(build(name, Path(folder)))
            (SHIPPED / f"{name}.wasm.gz").write_bytes(packed)
            built[name] = origin(name)
            print(f"{name}: {len(packed):,} bytes")
    BUILT.write_text(json.dumps(built, indent=2) + "\n")
