"""GCC and Clang make the same of the solvers' vector code."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "native/quixo" / f"{name}.cpp" for name in ("solver", "neon")]
VECTORS = [ROOT / "native/quixo/avx2.cpp", ROOT / "native/quixo/avx512.cpp"]
FLAGS = ["-std=c++20", "-O1", "-DINAROW_X86_VECTORS=1", "-Wno-psabi", f"-I{ROOT / 'native'}"]

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="AVX is for x86-64")


def tool(name: str) -> str:
    """The path of a program. Skips the test where there is none."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def digests(compiler: str, folder: Path) -> list[str]:
    """What `digests.cpp` prints, built by a compiler."""
    program = folder / Path(compiler).name
    objects = []
    for source in [*SOURCES, *VECTORS, Path(__file__).with_name("digests.cpp")]:
        objects.append(program.with_suffix(f".{source.stem}.o"))
        subprocess.run([compiler, *FLAGS, "-c", source, "-o", objects[-1]], check=True)
    subprocess.run([compiler, *objects, "-pthread", "-o", program], check=True)
    return subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()


@pytest.mark.exhaustive
def test_tables_are_the_same(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tables are the same with both compilers, and with all instructions that this machine has."""
    compilers = [tool("g++"), tool("clang++")]
    folder = tmp_path_factory.mktemp("digests")
    by_gcc, by_clang = (digests(compiler, folder) for compiler in compilers)
    assert by_gcc == by_clang
    tables: dict[str, set[str]] = {}
    for line in by_gcc:
        table, digest = line.split(" ", 1)[1].split(": ")
        tables.setdefault(table, set()).add(digest)
    assert len(tables) == 3
    assert all(len(found) == 1 for found in tables.values()), by_gcc


def instructions(of: Path) -> list[str]:
    """The instructions of an object file, less what assemblers choose: addresses, kinds of jumps, padding."""
    listing = subprocess.run(
        [tool("objdump"), "-d", "--no-show-raw-insn", of], check=True, text=True, stdout=subprocess.PIPE
    ).stdout
    found = re.findall(r"^ *[0-9a-f]+:\t([^#\n]*)", listing, re.MULTILINE)
    plain = (re.sub(r"^(j\w+|call) .*", r"\1", instruction.strip()) for instruction in found)
    return [instruction for instruction in plain if not re.search(r"\bnop|^xchg +%ax,%ax", instruction)]


def test_clang_encodes_what_it_means(tmp_path: Path) -> None:
    """The GNU assembler makes the same instructions of what Clang writes as Clang itself, which gives some of
    them wrong addresses before version 20 (`native/quixo/gf2_matrix.hpp`). It needs no AVX-512 to be seen."""
    clang, assembler = tool("clang++"), tool("as")
    text, own, gnu = (tmp_path / name for name in ("avx512.s", "own.o", "gnu.o"))
    subprocess.run([clang, *FLAGS, "-fno-addrsig", "-S", VECTORS[1], "-o", text], check=True)
    subprocess.run([clang, "-c", text, "-o", own], check=True)
    subprocess.run([assembler, text, "-o", gnu], check=True)
    encoded, meant = instructions(own), instructions(gnu)
    assert any("%zmm" in instruction for instruction in meant)
    assert [pair for pair in zip(meant, encoded, strict=True) if pair[0] != pair[1]] == []
