"""Survey of all positions: where passing would help, whether to take blank tiles, how hard it is to draw.

    python studies/survey.py --size 4

For each class (marks of the side to move, and of the other), over all its positions:

- passing: positions where it would be better than every move, by what they are and what they would be;
- blank tiles: of positions that are won or drawn and have blank tiles and own marks to take, the moves of
  either kind, how many keep the value, and in how many positions only one kind does;
- draws: moves that keep one, draws with a single such move, replies to such moves that lose, and draws to
  which the other side can return whatever keeps the draw (Figure 9d of "Quixo Is Solved");
- only moves: for how many plies each side in turn has a single move that keeps the draw. Some never end.

Values come from a table, with plies or without; survey.cpp does the counting, on all processors. 5x5 takes
50 GB of memory. An incomplete table, or the book of 5x5, is looked at as far as it goes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
from common import (
    EXAMPLES,
    Words,
    arguments,
    compiled,
    main,
    opened,
    positions,
    progress,
    swapped,
    texts,
    values,
)

import inarow

NAMES = {1: "win", 0: "draw", -1: "loss"}


def survey(prober: inarow.Prober, most_marks: int | None = None) -> dict[str, Any]:
    rules = prober.rules
    layers = list(_known(prober, most_marks))
    top = layers[0]
    found = _counted(prober, layers)
    # Positions with as many marks as any that is known, or one less, are seen from below alone.
    whole = top == rules.cells
    most = top if whole else top - 2
    classes = [its for its in found["classes"] if layers[-1] <= its["x"] + its["o"] <= most]
    better = [word for word in found["better_words"] if word.bit_count() <= most]
    better.sort(key=lambda word: (word.bit_count(), word))
    here = np.array(better[:EXAMPLES], np.uint64)
    known = zip(texts(rules, here), values(prober, here), -values(prober, swapped(here)), strict=True)
    answer = {
        "game": "quixo",
        **rules.to_json(),
        "better": sum(
            its[kind] for its in classes for kind in ("loss_to_draw", "loss_to_win", "draw_to_win")
        ),
        "better_up_to_symmetry": len(better),
        "better_positions": [
            {"position": text, "value": NAMES[value], "passing": NAMES[passing]}
            for text, value, passing in known
        ],
        "drawn": sum(its["drawn"] for its in classes),
    }
    if whole:
        answer |= {
            "returning": sum(its["returning"] for its in classes),
            "returning_up_to_symmetry": found["returning_up_to_symmetry"],
            "returning_positions": texts(rules, found["returning_words"]),
            "sequences": _sequences(prober, found),
        }
    return {**answer, "classes": classes}


def _known(prober: inarow.Prober, most_marks: int | None) -> Iterator[int]:
    """The numbers of marks with which values are known, the most first, without gaps."""
    rules = prober.rules
    most = rules.cells if most_marks is None else min(rules.cells, most_marks + 2)
    begun = False
    for marks in range(most, -1, -1):
        classes = [next(positions(rules, x, marks - x))[0][:1] for x in range(marks + 1)]
        if np.all(np.abs(prober.values(np.concatenate(classes))) <= 1):
            begun = True
            yield marks
        elif begun:
            return


def _counted(prober: inarow.Prober, layers: list[int]) -> dict[str, Any]:
    """What survey.cpp counts."""
    rules = prober.rules
    planes = [(a, n - a) for n in layers for a in range((n + 1) // 2, n + 1)]
    planes = [plane for a, b in planes for plane in ([(a, b)] if a == b else [(a, b), (b, a)])]
    game = rules.rows, rules.columns, rules.line, int(rules.double_line == "wins"), layers[0], layers[-1]
    command = [str(compiled("survey")), *map(str, game)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for nth, (x, o) in enumerate(planes):
            for words, _ in positions(rules, x, o):
                program.stdin.write(values(prober, words).tobytes())
            progress(nth + 1, len(planes))
        program.stdin.close()
        said = program.stdout.read()
    if program.returncode:
        raise SystemExit(program.returncode)
    found: dict[str, Any] = json.loads(said)
    return found


def _sequences(prober: inarow.Prober, found: dict[str, Any]) -> dict[str, Any]:
    """Sequences of only moves; `repeating` begin one that never ends, and have the fewest marks."""
    rules = prober.rules
    endless: list[int] = found["endless_words"]
    fewest = min((word.bit_count() for word in endless), default=0)
    return {
        "by_plies": found["by_plies"],
        "longest": texts(rules, found["longest_words"]),
        "endless": found["endless"],
        "endless_up_to_symmetry": len(endless),
        "repeating": texts(rules, [word for word in endless if word.bit_count() == fewest]),
        **_loops(prober, np.array(endless, np.uint64)),
    }


def _loops(prober: inarow.Prober, words: Words) -> dict[str, Any]:
    """How many of these sequences' positions they come back to, and a position for each length of a loop."""
    if not words.size:
        return {"on_loops": 0, "loops": []}
    moves = inarow.moves_many(prober.rules, words)
    keeps = values(prober, moves.words) == 0
    after = np.searchsorted(words, inarow.canonical_many(prober.rules, moves.words[keeps]))
    lengths: dict[int, int] = {}
    on_loops = here = np.arange(words.size)
    while (next_ := np.unique(after[on_loops])).size < on_loops.size:
        on_loops = next_
    for plies in range(1, on_loops.size + 1):
        here = after[here]
        for at in on_loops[here[on_loops] == on_loops].tolist():
            lengths.setdefault(at, plies)
        if len(lengths) == on_loops.size:
            break
    first = {plies: at for at, plies in sorted(lengths.items(), reverse=True)}
    loops = [
        {"plies": plies, "position": texts(prober.rules, words[[at]])[0]}
        for plies, at in sorted(first.items())
    ]
    return {"on_loops": on_loops.size, "loops": loops}


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--marks", type=int, metavar="N", help="only positions with up to N marks")
    options = parser.parse_args()

    def study() -> dict[str, Any]:
        with opened(options) as prober:
            return survey(prober, options.marks)

    main(study, options.json)
