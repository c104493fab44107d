"""Compiling kernels: what CuPy is given. Whether they compile is tested where there is a GPU."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from inarow.cuda import compiled_module


def test_other_headers_are_another_program(tmp_path: Path) -> None:
    given: list[dict[str, object]] = []
    cupy = SimpleNamespace(RawModule=lambda **program: given.append(program))
    source, header = tmp_path / "a.cu", tmp_path / "work.hpp"
    source.write_text('#include "work.hpp"', encoding="utf-8")
    for text in ("int one;", "int one;", "int other;"):
        header.write_text(text, encoding="utf-8")
        compiled_module(cupy, source)
    first, again, other = (program["options"] for program in given)
    assert first == again
    assert first != other
    assert {program["code"] for program in given} == {'#include "work.hpp"'}
