"""The prover of Ultimate Tic-Tac-Toe on a few fixed proofs, against a plain search of the same questions.

The yardstick is docs/results/reproduce_ultimate_length.cpp, compiled here for this machine: positions with
different marks are different to it. Both search every first move. Times are processor time of one thread.

Exits with 1 if the two disagree.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Ultimate

PLAIN = Path(__file__).parent.parent / "docs/results/reproduce_ultimate_length.cpp"
PROOFS = (27, 31, 33)  # plies; X wins by none of them


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one line for each proof, for programs")
    args = parser.parse_args()
    right = True
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "length"
        subprocess.run(["g++", "-O3", "-march=native", "-std=c++20", "-o", plain, PLAIN], check=True)
        for plies in PROOFS:
            began = time.process_time()
            proof = prove(Ultimate().start(), plies, memory=1 << 30)
            seconds = time.process_time() - began
            plain_wins, plain_nodes, plain_seconds = _plain(plain, plies)
            right = right and plain_wins == proof.wins
            found = {
                "plies": plies,
                "wins": proof.wins,
                "nodes": proof.nodes,
                "seconds": round(seconds, 2),
                "nodes_per_second": round(proof.nodes / seconds),
                "plain_nodes": plain_nodes,
                "plain_seconds": round(plain_seconds, 2),
                "times_faster": round(plain_seconds / seconds, 2),
            }
            if args.json:
                print(json.dumps(found))
            else:
                print(
                    f"by ply {plies}: {proof.nodes:,} nodes in {seconds:.2f} s, "
                    f"{found['nodes_per_second']:,} a second; plain search {plain_nodes:,} nodes in "
                    f"{plain_seconds:.2f} s: {found['times_faster']} times as long"
                )
    return 0 if right else 1


def _plain(program: Path, plies: int) -> tuple[bool, int, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    text = subprocess.run([program, str(plies), "1"], check=True, capture_output=True, text=True).stdout
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return "X wins" in text, sum(map(int, re.findall(r"(\d+) nodes", text))), seconds


if __name__ == "__main__":
    sys.exit(main())
