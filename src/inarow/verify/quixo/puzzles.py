"""Checks puzzles of Quixo: that every move has the outcome that the file says, and that only one is right.

Outcomes are compared with a table, or with what is found by trying all moves for a few plies.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow._native import verify_quixo as native
from inarow.verify.quixo import claims
from inarow.verify.quixo.claims import FalseClaim
from inarow.verify.quixo.reading import field, fields
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

_FEW_BLANKS, _MORE_PLIES = 5, 12  # but not on boards that are nearly full


@dataclass(frozen=True)
class PuzzlesReport:
    """`wrong` names a puzzle and what is wrong with it; `unproven` are those that nothing here decides."""

    verdict: Verdict
    rules: Rules
    puzzles: int
    by_table: int
    by_moves: int
    unproven: tuple[int, ...] = ()
    wrong: str | None = None


def verify_puzzles(
    path: str | os.PathLike[str], table: str | os.PathLike[str] | None = None
) -> PuzzlesReport:
    """Check a file of puzzles, with the table in a folder or without.

    A puzzle is proven if the outcomes of all its moves are; those from a table are as good as the table,
    which `verify_table` judges.

    :raises DamagedFile: if the file cannot be read.
    """
    name, data, rules = claims.read_claims(path)
    puzzles = field(data, "puzzles", list, name)
    files = None if table is None else claims.table_for(name, rules, table)
    how: dict[int, str | None] = {}
    seen: dict[int, int] = {}
    verdict: Verdict = "proven"
    wrong = None
    for nth, puzzle in enumerate(puzzles, start=1):
        number, position = fields(puzzle, name, id=int, position=str)
        try:
            if number != nth:
                raise FalseClaim(f"it is number {nth}")
            word = claims.parse(position, rules)
            same = seen.setdefault(int(rules.game.smallest(np.array([word], np.uint64))[0]), number)
            if same != number:
                raise FalseClaim(f"it is puzzle {same}, turned or mirrored")
            how[number] = _check(puzzle, word, rules, files, name)
        except FalseClaim as error:
            verdict, wrong = "wrong", f"puzzle {number}: {error}"
            break
    counts = Counter(how.values())
    unproven = () if wrong else tuple(number for number, found in how.items() if found is None)
    verdict = "consistent" if unproven else verdict
    return PuzzlesReport(verdict, rules, len(puzzles), counts["table"], counts["moves"], unproven, wrong)


def _check(puzzle: Any, word: int, rules: Rules, table: TableFiles | None, name: str) -> str | None:
    """How a puzzle is proven, None if it is not; `FalseClaim` if something in it is false."""
    outcomes, kind, answer = fields(puzzle, name, outcomes=dict, kind=str, move=str)
    after = claims.moves_of(word, rules)
    if outcomes.keys() != after.keys():
        raise FalseClaim("its moves are not the legal ones")
    if not all(type(plies) is int for plies in outcomes.values()):
        raise FalseClaim("an outcome is no number")
    if int(rules.game.ends(np.array([word], np.uint64))[0]) != native.NO_VALUE:
        raise FalseClaim("the game is over")
    _check_answer(kind, answer, outcomes)
    plies = _plies_to_try(rules.cells - word.bit_count(), outcomes)
    found, how = claims.values_of(
        np.array([after[move] for move in outcomes], np.uint64), rules, table, plies
    )
    is_proven = True
    for (move, claimed), value in zip(outcomes.items(), found.tolist(), strict=True):
        if value == native.NO_VALUE:
            is_proven = False
            if claimed and abs(claimed) <= plies:
                raise FalseClaim(f"{move} does not end the game in {abs(claimed)} plies")
        elif _signed(value) != claimed:
            raise FalseClaim(f"{move} is {_signed(value)}, not {claimed}")
    return how if is_proven else None


def _plies_to_try(blanks: int, outcomes: dict[str, int]) -> int:
    """So many that every outcome is found, where that takes seconds; draws are not found by trying moves."""
    longest = max(map(abs, outcomes.values()))
    few = blanks <= _FEW_BLANKS and longest <= _MORE_PLIES and 0 not in outcomes.values()
    return max(longest, claims.MOST_PLIES) if few else claims.MOST_PLIES


def _signed(value: int) -> int:
    """What a move to a position of this value is to the side that makes it: plies, negative if it loses."""
    if value == native.DRAW:
        return 0
    return value + 1 if value < native.DRAW else value - 65536


def _check_answer(kind: str, move: str, outcomes: dict[str, int]) -> None:
    """Whether the move is the only right one for the kind of puzzle."""
    if move not in outcomes:
        raise FalseClaim(f"{move} is no legal move")
    right, others = outcomes[move], [plies for other, plies in outcomes.items() if other != move]
    only = {
        "win": right > 0 and all(plies <= 0 for plies in others),
        "draw": right == 0 and all(plies < 0 for plies in others),
        "defend": right < 0 and all(right < plies < 0 for plies in others),
    }
    if not only.get(kind, False):
        raise FalseClaim(f"{move} is not the only answer to a puzzle of the kind {kind!r}")
