"""The modules in the package are what their sources give."""

from __future__ import annotations

import gzip
import importlib.util
import json
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


def builder() -> ModuleType:
    found = importlib.util.spec_from_file_location("build_wasm", ROOT / "native" / "wasm" / "build.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


each_module = pytest.mark.parametrize("name", list(builder().SOURCES))


@each_module
def test_a_module_was_built_from_the_sources_as_they_are(name: str) -> None:
    built = json.loads(builder().BUILT.read_text())
    assert built[name] == builder().origin(name), "run native/wasm/build.py"


@pytest.mark.exhaustive
@each_module
def test_a_rebuilt_module_has_the_same_bytes(name: str, tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="there is no Zig: pip install '.[wasm]'")
    if version("ziglang") != builder().ZIG:
        pytest.skip(f"Zig {version('ziglang')} may give other bytes than {builder().ZIG}")
    shipped = gzip.decompress((files("inarow.web") / "wasm" / f"{name}.wasm.gz").read_bytes())
    assert builder().build(name, tmp_path) == shipped
