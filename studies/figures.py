"""Which positions fit the captions of Figures 7b and 7c of "Quixo Is Solved"? (survey.py has Figure 9d.)

    python studies/figures.py --size 5 --marks 8

Finds, with the fewest marks there are: the positions that are won or lost and arise if both sides take blank
tiles only (7b), the lost ones with as many marks of either side (7c), and those that are both (7b of the
Japanese text). Counts are up to symmetry; the side to move is X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import HALF, Words, arguments, main, opened, positions, progress, rows_of, texts, values

import inarow


def figures(prober: inarow.Prober, most_marks: int) -> dict[str, Any]:
    decided, from_blanks = _from_blanks(prober, most_marks)
    return {
        "game": "quixo",
        **prober.rules.to_json(),
        "decided": decided,
        "balanced_loss": _balanced_loss(prober, most_marks),
        "balanced_loss_from_blanks": from_blanks,
    }


def _figure(rules: inarow.Quixo, value: str, words: Words) -> dict[str, Any]:
    marks = int(words[0]).bit_count()
    return {"value": value, "marks": marks, "count": words.size, "positions": texts(rules, words)}


def _from_blanks(prober: inarow.Prober, most: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """What is decided with fewest marks, and what is balanced and lost, where only blank tiles were taken."""
    rules, decided = prober.rules, None
    taken = np.array([move.taken for move in rules.moves], np.uint64)
    here = np.zeros(1, np.uint64)
    for marks in range(most + 1):
        progress(marks, most)
        known, after = values(prober, here), [np.zeros(0, np.uint64)]
        over = np.zeros(here.size, bool)
        for first in range(0, here.size, 1 << 18):
            moves = inarow.moves_many(rules, here[first : first + (1 << 18)])
            over[first : first + (1 << 18)] = np.diff(moves.offsets) == 0
            mover = here[first + rows_of(moves)]
            blank = (mover | mover >> HALF) >> taken[moves.moves] & np.uint64(1) == 0
            after.append(np.unique(inarow.canonical_many(rules, moves.words[blank])))
        known[over] = 0
        if decided is None and known.any():
            value = "win" if (known >= 0).all() else "loss" if (known <= 0).all() else "either"
            decided = _figure(rules, value, here[known != 0])
        if marks % 2 == 0 and (known < 0).any():
            return decided, _figure(rules, "loss", here[known < 0])
        here = np.unique(np.concatenate(after))
    return decided, None


def _balanced_loss(prober: inarow.Prober, most: int) -> dict[str, Any] | None:
    rules = prober.rules
    for marks in range(most // 2 + 1):
        lost = [words[values(prober, words) < 0] for words, _ in positions(rules, marks, marks)]
        found = np.unique(inarow.canonical_many(rules, np.concatenate(lost)))
        running = np.diff(inarow.moves_many(rules, found).offsets) > 0
        if running.any():
            return _figure(rules, "loss", found[running])
    return None


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--marks", type=int, default=25, metavar="N", help="look at up to N marks (all)")
    options = parser.parse_args()

    def study() -> dict[str, Any]:
        with opened(options) as prober:
            return figures(prober, min(options.marks, prober.rules.cells))

    main(study, options.json)
