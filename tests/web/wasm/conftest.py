"""The modules of the core in Node, and the files of a site that they ask for."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from inarow.web.site.data import data_files

# Asks one question after the other, and returns the answers: {"record": …} or {"refused": …}.
Questions = list[tuple[str, dict[str, Any]]]
Ask = Callable[[str, Questions], list[dict[str, Any]]]  # a module


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = tmp_path_factory.mktemp("data")
    for name, content in data_files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with ExitStack() as opened:
        start = cache(lambda module: opened.enter_context(core(module, folder)))
        yield lambda module, questions: start(module)(questions)


@contextmanager
def core(module: str, folder: Path) -> Iterator[Callable[[Questions], list[dict[str, Any]]]]:
    """A module with the files of a folder."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    path = str(files("inarow.web") / "wasm" / f"{module}.wasm.gz")
    command = [node, str(Path(__file__).with_name("ask.mjs")), path, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def answer(name: str, fields: dict[str, Any]) -> dict[str, Any]:
            asked.write(json.dumps({"name": name, "fields": fields}) + "\n")
            asked.flush()
            found: dict[str, Any] = json.loads(answers.readline())
            return found

        yield lambda questions: [answer(*question) for question in questions]
