"""The speed of the search in Qubic on this machine: nodes of the threat search a second, and fixed proofs.

The proofs are of positions that need few answers or many and, with `--whole`, of the game itself. They take
the same number of nodes on every machine that rounds alike; a difference is reported.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass

from inarow._native import qubic as _qubic


@dataclass(frozen=True, slots=True)
class Proof:
    """A position, as the cells of X and of O, and the size of its proof on the machine that recorded it."""

    name: str
    x: tuple[int, ...]
    o: tuple[int, ...]
    expansions: int
    threat_nodes: int


PROOFS = [
    Proof("X 0 63, O 6 7", (0, 63), (6, 7), 62, 949_775),
    Proof("X 0, O 15", (0,), (15,), 714, 8_866_511),
    Proof("X 0 3, O 21 22", (0, 3), (21, 22), 986, 21_423_430),
]
WHOLE = Proof("the game", (), (), 33_556, 476_857_359)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the search for a win in Qubic.")
    parser.add_argument("--whole", action="store_true", help="prove the game, too (a minute)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = []
    for proof in [*PROOFS, *([WHOLE] if options.whole else [])]:
        graph = _qubic.Graph(22)
        root = graph.node(*(sum(1 << cell for cell in side) for side in (proof.x, proof.o)))
        began = time.process_time()
        if not graph.solve(root, math.inf, 1 << 40):
            print(f"{proof.name}: no win was found", file=sys.stderr)
            return 1
        seconds = time.process_time() - began
        found = Proof(proof.name, proof.x, proof.o, graph.expansions, graph.threat_nodes)
        speed = graph.threat_nodes / seconds
        rows.append({**asdict(found), "seconds": seconds, "nodes_per_second": speed, "same": found == proof})
    if options.json:
        print(json.dumps({"proofs": rows}))
        return 0
    for row in rows:
        print(
            f"{row['name']:16} {row['expansions']:7,} positions expanded, "
            f"{row['threat_nodes'] / 1e6:7.1f} million nodes, {row['seconds']:6.2f} s: "
            f"{row['nodes_per_second'] / 1e6:.1f} million nodes a second"
            f"{'' if row['same'] else ' (differs from the recorded proof)'}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
