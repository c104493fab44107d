"""Which positions can games reach from the empty board, and what is wrong with the others?

    python studies/reachable.py --size 4

Counts, for each class (marks of the side to move, and of the other), the positions that are reachable, those
to which no move of an unfinished game leads, and those to which moves lead, but only from positions that are
not reachable; with an example of either kind. reachable.cpp does it, on all processors. 5x5 takes 10 GB of
memory.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from common import arguments, compiled, main, rules_of

import inarow

KINDS = ("no_predecessor", "unreachable_predecessor")


def reachable(rules: inarow.Quixo, most_marks: int | None = None) -> dict[str, Any]:
    most = rules.cells if most_marks is None else min(most_marks, rules.cells)
    game = rules.rows, rules.columns, rules.line, int(rules.double_line == "wins"), most
    said = subprocess.run([compiled("reachable"), *map(str, game)], check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(said)
    classes: list[dict[str, int]] = found["classes"]

    def total(kind: str) -> int:
        return sum(its[kind] for its in classes)

    return {
        "game": "quixo",
        **rules.to_json(),
        "reachable": total("reachable"),
        "states": sum(total(kind) for kind in ("reachable", *KINDS)),
        "unreachable": {
            kind: {"states": total(kind), "example": None if word is None else str(rules.from_word(word))}
            for kind, word in zip(KINDS, found["examples"], strict=True)
        },
        "classes": classes,
    }


if __name__ == "__main__":
    parser = arguments(__doc__, table=False)
    parser.add_argument("--marks", type=int, metavar="N", help="only positions with up to N marks")
    options = parser.parse_args()
    main(lambda: reachable(rules_of(options), options.marks), options.json)
