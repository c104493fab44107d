"""4×4 Quixo solved with plies as pages do, in WebAssembly with one thread, in Node.

    python benchmarks/wasm.py

The yardstick is the same solver as native code, with one thread and portable instructions. Needs Node.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files

from quixo import in_its_own_process
from rows import ROOT, Row, Skipped, arguments, main

RUNS = 5


def in_node() -> float:
    question = json.dumps(
        {"name": "stats", "fields": {"rows": 4, "columns": 4, "line": 4, "double_line": "loses"}}
    )
    module = str(files("inarow.web") / "wasm" / "quixo.wasm.gz")
    command = ["node", str(ROOT / "tests" / "web" / "wasm" / "ask.mjs"), module, "."]
    done = subprocess.run(command, input=question, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["seconds"])


def measure(options: argparse.Namespace) -> Iterator[Row]:
    if not shutil.which("node"):
        raise Skipped("needs Node")
    both = [(in_node(), in_its_own_process(1, "portable")["cpu"]) for _ in range(RUNS)]
    wasm, native = (min(times) for times in zip(*both, strict=True))
    yield Row("solve 4×4 in WebAssembly", wasm, "s", "native, portable code", native)


if __name__ == "__main__":
    main(measure, arguments(__doc__))
