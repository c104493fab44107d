"""Check a defence: answers with which O, who moves second, keeps X from ever completing a line.

X tries every cell that is worth it, from the empty board; O answers by the defence. A position is closed
without an answer if O completes a line, if X's lines weigh too little, or by pairs of cells. docs/defences.md
specifies the text, and proves that what the checker leaves out cannot help X.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from inarow._native import verify_positional as _checker
from inarow.symmetry import geometric_symmetries
from inarow.verify.positional.dictionary import GameData
from inarow.verify.positional.text import UnreadableDictionary
from inarow.verify.verdict import Verdict

Breach = Literal["unanswered", "two threats", "completed", "pairs"]
_Line: TypeAlias = tuple[int, int, int | None, list[tuple[int, int]]]

_WORDS: dict[Breach, str] = {  # as the walk numbers them
    "unanswered": "O has no answer",
    "two threats": "X threatens two cells, and O can block only one",
    "completed": "X completes a line",
    "pairs": "the pairs do not block every line",
}


@dataclass(frozen=True, slots=True)
class DefenceReport:
    """Whether O holds against everything that X can try, and how.

    Positions are counted up to symmetry, with O to move.

    >>> from inarow import Game
    >>> verify_defence(Game.named("mnk:3x3x3"), "....O...x").reason
    'O has no answer after 0 4 8'
    """

    verdict: Verdict
    reason: str
    answered: int  # by a line, and X plays on
    paired: int  # by a line whose pairs hold
    forced: int  # by the only cell that blocks a line of X
    moves: tuple[int, ...]  # of a game that O does not hold; none if it holds all
    breach: Breach | None
    unused_lines: tuple[int, ...]  # numbers of rows of the text, from 1
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"seconds": round(self.seconds, 3)}


def verify_defence(
    game: GameData, text: str, *, progress: Callable[[int], None] | None = None
) -> DefenceReport:
    """Play every move of X that is worth a try against a defence.

    Positions are equal up to the symmetries of the board. A defence under maker-breaker holds under
    maker-maker too. `progress` is called every so often with the number of positions so far.

    :raises UnreadableDictionary: if the text is not a defence.

    >>> from inarow import Game
    >>> verify_defence(Game.named("mnk:4x2x4"), "aab...b.").reason
    'the pairs do not block every line, line 1'
    """
    started = time.perf_counter()
    lines = read_defence(text, game.cells)
    numbers = list(lines)
    symmetries = np.array(geometric_symmetries(game.shape, game.lines), np.uint8)

    def walked(maker_breaker: bool) -> _checker.DefenceWalk:
        return _checker.walk_defence(
            game.cells, game.lines, maker_breaker, symmetries, list(lines.values()), progress
        )

    walk, reason = walked(game.maker_breaker), "X never completes a line"
    if walk.counterexample is not None and not game.maker_breaker:
        # A defence that needs no lines of O's holds whatever they are worth.
        breaker = walked(True)
        if breaker.counterexample is None:
            walk, reason = breaker, f"{reason}, even if O's own lines do not count"
    moves: tuple[int, ...] = ()
    breach: Breach | None = None
    if walk.counterexample is not None:
        played, number, line = walk.counterexample
        moves, breach = tuple(played), list(_WORDS)[number]
        after = f" after {' '.join(map(str, moves))}" if moves else ""
        reason = f"{_WORDS[breach]}{after}" + ("" if line is None else f", line {numbers[line]}")
    unused = tuple(number for number, used in zip(numbers, walk.used, strict=True) if not used)
    counts = walk.answered, walk.paired, walk.forced
    seconds = time.perf_counter() - started
    return DefenceReport("wrong" if breach else "proven", reason, *counts, moves, breach, unused, seconds)


def read_defence(text: str, cells: int) -> dict[int, _Line]:
    """X's cells, O's cells, O's answer and the pairs of each line, by the number of its row from 1.

    :raises UnreadableDictionary: if a row is none.

    >>> read_defence("# A comment\\nOx.a.a", 6)
    {2: (2, 0, 0, [(3, 5)])}
    """
    lines: dict[int, _Line] = {}
    for number, row in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        row = row.rstrip()
        if row and not row.startswith("#"):
            lines[number] = _line(row, number, cells)
    return lines


def _line(row: str, number: int, cells: int) -> _Line:
    if len(row) != cells:
        raise UnreadableDictionary(number, f"{len(row)} cells, but the board has {cells}")
    places: dict[str, list[int]] = {}
    for cell, symbol in enumerate(row):
        places.setdefault(symbol, []).append(cell)
    places.pop(".", None)
    x, o, answers = (places.pop(symbol, []) for symbol in "xoO")
    if len(answers) > 1:
        raise UnreadableDictionary(number, "a second capital O; a line has one answer")
    if answers and len(x) != len(o) + 1:
        raise UnreadableDictionary(number, f"{len(x)} x against {len(o)} o, but O is to move")
    if (x or o) and not answers:
        raise UnreadableDictionary(number, "no capital O: the answer is missing")
    for symbol, pair in places.items():
        if len(pair) != 2 or not symbol.isprintable() or symbol.isspace():
            raise UnreadableDictionary(number, f"{symbol!r} is in {len(pair)} cells; a pair has two")
    pairs = [(pair[0], pair[1]) for pair in places.values()]
    if not answers and not pairs:
        raise UnreadableDictionary(number, "neither an answer nor pairs")
    masks = (sum(1 << cell for cell in marked) for marked in (x, o))
    return next(masks), next(masks), answers[0] if answers else None, pairs
