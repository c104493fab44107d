"""The modules of the core in Node, and the files of a site that they ask for."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from inarow.web.site.data import data_files

# Asks a module one question after the other, and returns its answers: {"record": …} or {"refused": …}.
Ask = Callable[[str, list[tuple[str, dict[str, Any]]]], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def site_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name, content in data_files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture(scope="session")
def ask(site_data: Path) -> Iterator[Ask]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    with ExitStack() as opened:
        running: dict[str, subprocess.Popen[str]] = {}

        def start(module: str) -> subprocess.Popen[str]:
            path = str(files("inarow.web") / "wasm" / f"{module}.wasm.gz")
            command = [node, str(Path(__file__).with_name("ask.mjs")), path, str(site_data)]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            opened.callback(process.wait, 30)
            assert process.stdin is not None
            opened.callback(process.stdin.close)
            return process

        def all_of(module: str, questions: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
            if module not in running:
                running[module] = start(module)
            process = running[module]
            assert process.stdin is not None
            assert process.stdout is not None
            answers = []
            for name, fields in questions:
                process.stdin.write(json.dumps({"name": name, "fields": fields}) + "\n")
                process.stdin.flush()
                answers.append(json.loads(process.stdout.readline()))
            return answers

        yield all_of
