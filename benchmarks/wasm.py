"""Solves 4×4 Quixo with plies as pages do, in WebAssembly with one thread, in Node: needs Node.

python benchmarks/wasm.py [--json]

Prints a ratio against the same solver as native code beside it, with one thread and portable lanes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from importlib.resources import files
from pathlib import Path
from time import process_time

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import PliesEngine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.table.store import NoStore

RUNS = 5
ASK = Path(__file__).parents[1] / "tests" / "web" / "wasm" / "ask.mjs"


def native_seconds() -> float:
    rules = Quixo(4)
    begun = process_time()
    solve_pairs(rules, PliesEngine(rules, 1, "portable"), NoStore())
    return process_time() - begun


def wasm_seconds() -> float:
    question = json.dumps({"name": "stats", "fields": Quixo(4).to_json()})
    module = str(files("inarow.web") / "wasm" / "quixo.wasm.gz")
    done = subprocess.run(
        ["node", str(ASK), module, "."], input=question, capture_output=True, text=True, check=True
    )
    return float(json.loads(done.stdout)["seconds"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    both = [(wasm_seconds(), native_seconds()) for _ in range(RUNS)]
    wasm, native = (min(times) for times in zip(*both, strict=True))
    best = f"the best of {RUNS} runs each"
    if options.json:
        print(json.dumps({"wasm_seconds": wasm, "native_seconds": native}))
    else:
        print(f"WebAssembly {wasm:.2f} s, native {native:.2f} s, ratio {wasm / native:.2f}, {best}")
