"""What the checks of puzzles and strategies share: files of claims, and positions as words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile
from inarow.verify.quixo.reading import field, read_json
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import win_values
from inarow.verify.quixo.table_files import TableFiles

MOST_PLIES = 6  # that are tried: more take minutes
_MOST_BYTES = 256 << 20


class FalseClaim(Exception):
    """Ends a check: what a file claims is false."""


def read_claims(path: str | os.PathLike[str]) -> tuple[str, Any, Rules]:
    """The name of a file of claims for messages, what it holds, and the rules in it."""
    data = read_json(Path(path), _MOST_BYTES)
    return str(path), data, Rules.from_json(field(data, "rules", dict, str(path)), str(path))


def table_for(name: str, rules: Rules, folder: str | os.PathLike[str]) -> TableFiles:
    """The table to judge a file of claims by."""
    table = TableFiles(Path(folder))
    if table.rules != rules or not table.has_plies:
        raise DamagedFile(f"{folder} is no table with plies of the rules of {name}")
    return table


def parse(text: str, rules: Rules) -> int:
    """A position in notation, with X to move, as a word."""
    rows, _, turn = text.partition(" ")
    board = rows.split("/")
    if turn != "x" or [len(row) for row in board] != [rules.columns] * rules.rows or set(rows) - set("xo./"):
        raise FalseClaim(f"{text!r:.80} is no position with X to move")
    cells = "".join(board)[::-1]
    return sum(1 << place + (32 if cell == "x" else 0) for place, cell in enumerate(cells) if cell != ".")


def moves_of(word: int, rules: Rules) -> dict[str, int]:
    """Every move, and the position after it for the other side."""

    def name(cell: int) -> str:
        row, column = divmod(cell, rules.columns)
        return f"{chr(ord('a') + rules.columns - 1 - column)}{row + 1}"

    legal = [name(taken) + name(pushed) for taken, pushed in rules.game.moves if not word >> taken & 1]
    after, _ = rules.game.successors(np.array([word], np.uint64))
    return dict(zip(legal, after.tolist(), strict=True))


def values_of(
    words: NDArray[np.uint64], rules: Rules, table: TableFiles | None, plies: int = MOST_PLIES
) -> tuple[NDArray[np.uint32], str]:
    """The values of positions for those to move in them, and how they were found.

    Where no table has them, all moves are tried for `plies`, counting the move to the positions.
    """
    planes, _ = rules.game.places(words)
    if table is None or not all((int(plane) >> 6, int(plane) >> 1 & 31) in table.pairs for plane in planes):
        return rules.game.forced(words, plies - 1), "moves"
    values = table.values(words)
    wins = (values > native.NOT_AN_ENTRY) & (values < native.NO_VALUE)
    values[wins] = win_values(table, words[wins])
    return values, "table"
