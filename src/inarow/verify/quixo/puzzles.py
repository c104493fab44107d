"""Checks puzzles of Quixo: that every move has the outcome that the file says, and that only one is right.

The file, the board and the moves are read here anew, from docs/puzzles.md. Outcomes are compared with a
table, as this package reads it, or with what is found by trying all moves for a few plies.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile
from inarow.verify.quixo.boards import images_of, moves_of, word_of
from inarow.verify.quixo.json_fields import field
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import win_values
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

__all__ = ["PuzzlesReport", "verify_puzzles"]

MOST_PLIES = 6  # that are tried: more take minutes
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


class _Wrong(Exception):
    pass


def verify_puzzles(
    path: str | os.PathLike[str], table: str | os.PathLike[str] | None = None
) -> PuzzlesReport:
    """Check a file of puzzles, with the table in a folder or without.

    A puzzle is proven if the outcomes of all its moves are; those from a table are as good as the table,
    which `verify_table` judges.

    :raises DamagedFile: if the file cannot be read.
    """
    name = str(path)
    try:
        data = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise DamagedFile(f"{name} is no JSON: {error}") from None
    rules = Rules.from_json(field(data, "rules", dict, name), name)
    puzzles = field(data, "puzzles", list, name)
    files = None if table is None else TableFiles(Path(table))
    if files is not None and (files.rules != rules or not files.has_plies):
        raise DamagedFile(f"{table} is no table with plies of the rules of {name}")
    counts = {"table": 0, "moves": 0}
    unproven: list[int] = []
    seen: dict[tuple[str, ...], int] = {}
    for nth, puzzle in enumerate(puzzles, start=1):
        number = field(puzzle, "id", int, name)
        try:
            if number != nth:
                raise _Wrong(f"it is number {nth}")
            board = _board(field(puzzle, "position", str, name), rules)
            same = seen.setdefault(min(images_of(board)), number)
            if same != number:
                raise _Wrong(f"it is puzzle {same}, turned or mirrored")
            how = _check(puzzle, board, rules, files, name)
        except _Wrong as error:
            wrong = f"puzzle {number}: {error}"
            return PuzzlesReport("wrong", rules, len(puzzles), counts["table"], counts["moves"], wrong=wrong)
        if how is None:
            unproven.append(number)
        else:
            counts[how] += 1
    verdict: Verdict = "consistent" if unproven else "proven"
    return PuzzlesReport(verdict, rules, len(puzzles), counts["table"], counts["moves"], tuple(unproven))


def _check(puzzle: Any, board: list[str], rules: Rules, table: TableFiles | None, name: str) -> str | None:
    """How a puzzle is proven, None if it is not; `_Wrong` if something in it is false."""
    outcomes = field(puzzle, "outcomes", dict, name)
    after = moves_of(board)
    if outcomes.keys() != after.keys():
        raise _Wrong("its moves are not the legal ones")
    if not all(type(plies) is int for plies in outcomes.values()):
        raise _Wrong("an outcome is no number")
    if int(rules.game.ends(np.array([word_of(board)], np.uint64))[0]) != native.NO_VALUE:
        raise _Wrong("the game is over")
    _check_answer(puzzle, outcomes, name)
    words = np.array([word_of(after[move]) for move in outcomes], np.uint64)
    plies = _plies_to_try(board, outcomes)
    found, how = values_of(words, rules, table, plies)
    for move, claimed, value in zip(outcomes, outcomes.values(), found.tolist(), strict=True):
        if value == native.NO_VALUE:
            how = None
            if claimed and abs(claimed) <= plies:
                raise _Wrong(f"{move} does not end the game in {abs(claimed)} plies")
        elif _signed(value) != claimed:
            raise _Wrong(f"{move} is {_signed(value)}, not {claimed}")
    return how


def _plies_to_try(board: list[str], outcomes: dict[str, int]) -> int:
    """So many that every outcome is found, where that takes seconds; draws are not found by trying moves."""
    blanks = "".join(board).count(".")
    longest = max(map(abs, outcomes.values()))
    few = blanks <= _FEW_BLANKS and longest <= _MORE_PLIES and 0 not in outcomes.values()
    return max(longest, MOST_PLIES) if few else MOST_PLIES


def values_of(
    words: Any, rules: Rules, table: TableFiles | None, plies: int = MOST_PLIES
) -> tuple[Any, str | None]:
    """The values of positions for those to move in them, and how they were found.

    Where no table has them, all moves are tried for `plies`, counting the move to the positions.
    """
    planes, _ = rules.game.places(words)
    if table is not None and all((int(plane) >> 6, int(plane) >> 1 & 31) in table.pairs for plane in planes):
        values = table.values(words)
        if table.leaves_win_plies_out:
            wins = (values > native.NOT_AN_ENTRY) & (values < native.NO_VALUE)
            values[wins] = win_values(table, words[wins], 1)
        return values, "table"
    return rules.game.forced(words, plies - 1), "moves"


def _signed(value: int) -> int:
    """What a move to a position of this value is to the side that makes it: plies, negative if it loses."""
    if value == native.DRAW:
        return 0
    return value + 1 if value < native.DRAW else value - 65536


def _check_answer(puzzle: Any, outcomes: dict[str, int], name: str) -> None:
    """Whether the move is the only right one for the kind of puzzle."""
    kind, move = field(puzzle, "kind", str, name), field(puzzle, "move", str, name)
    if move not in outcomes:
        raise _Wrong(f"{move} is no legal move")
    right, others = outcomes[move], [plies for other, plies in outcomes.items() if other != move]
    only = {
        "win": right > 0 and all(plies <= 0 for plies in others),
        "draw": right == 0 and all(plies < 0 for plies in others),
        "defend": right < 0 and all(right < plies < 0 for plies in others),
    }
    if not only.get(kind, False):
        raise _Wrong(f"{move} is not the only answer to a puzzle of the kind {kind!r}")


# --- The board ---


def _board(text: str, rules: Rules) -> list[str]:
    """Rows from the top."""
    rows, _, turn = text.partition(" ")
    board = rows.split("/")
    if turn != "x" or [len(row) for row in board] != [rules.columns] * rules.rows or set(rows) - set("xo./"):
        raise _Wrong(f"{text!r} is no position with X to move")
    return board
