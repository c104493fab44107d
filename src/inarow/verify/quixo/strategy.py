"""Checks strategies of Quixo: plays every answer against every reply, to the end.

The file is read here anew, from docs/strategy-format.md, and boards and moves are this package's own.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo.boards import images_of, moves_of, word_of
from inarow.verify.quixo.json_fields import field
from inarow.verify.quixo.puzzles import values_of
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

__all__ = ["StrategyReport", "verify_strategy"]

Board: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class StrategyReport:
    """`positions` are those of the file, `used` those that games reach, `replies` all that were tried.

    `seen` are positions without an answer, in which the first player wins within `sees` plies.
    """

    verdict: Verdict
    rules: Rules
    resistance: str
    sees: int
    positions: int
    used: int
    replies: int
    seen: int
    wrong: str | None = None


class _Wrong(Exception):
    pass


def verify_strategy(
    path: str | os.PathLike[str], table: str | os.PathLike[str] | None = None
) -> StrategyReport:
    """Play a strategy from the empty board against every reply.

    Against perfect resistance the replies are those that last longest by the table in a folder, which
    `verify_table` judges; nothing else needs it.

    :raises DamagedFile: if the file cannot be read.
    :raises MissingTable: if the resistance is perfect and there is no table.
    """
    name = str(path)
    try:
        data = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise DamagedFile(f"{name} is no JSON: {error}") from None
    rules = Rules.from_json(field(data, "rules", dict, name), name)
    resistance, sees = field(data, "resistance", str, name), field(data, "sees", int, name)
    if resistance not in ("any", "perfect") or not 1 <= sees <= 9:
        raise DamagedFile(f"{name}: 'resistance' or 'sees' makes no sense")
    files = None
    if resistance == "perfect":
        if table is None:
            raise MissingTable(f"{name} is for perfect resistance: name a table to tell which replies are")
        files = TableFiles(Path(table))
        if files.rules != rules or not files.has_plies:
            raise DamagedFile(f"{table} is no table with plies of the rules of {name}")
    answers = field(data, "answers", dict, name)
    walk = _Walk(rules, sees, files)
    wrong: str | None = None
    try:
        walk.read(answers)
        walk.play()
    except _Wrong as error:
        wrong = str(error)
    counts = len(answers), len(walk.after), walk.replies, len(walk.seen)
    return StrategyReport("wrong" if wrong else "proven", rules, resistance, sees, *counts, wrong)


class _Walk:
    def __init__(self, rules: Rules, sees: int, table: TableFiles | None) -> None:
        self.rules, self.sees, self.table = rules, sees, table
        self.answers: dict[Board, tuple[Board, str]] = {}  # by the smallest image
        self.after: dict[Board, set[Board]] = {}  # where each position that was answered may lead
        self.seen: set[Board] = set()
        self.replies = 0

    def read(self, answers: dict[str, Any]) -> None:
        rows, columns = self.rules.rows, self.rules.columns
        for text, move in answers.items():
            cells, _, turn = text.partition(" ")
            board = tuple(cells.split("/"))
            if turn != "x" or [len(row) for row in board] != [columns] * rows or set(cells) - set("xo./"):
                raise _Wrong(f"{text!r} is no position with X to move")
            if self.answers.setdefault(_smallest(board), (board, move)) != (board, move):
                raise _Wrong(f"{text} is there before, turned or mirrored")

    def play(self) -> None:
        """Play all games, and see that each of them ends with a win."""
        start = _smallest(tuple(["." * self.rules.columns] * self.rules.rows))
        left = [start]
        while left:
            board = left.pop()
            if board in self.after or board in self.seen:
                continue
            if board not in self.answers:
                self.seen.add(board)
                continue
            self.after[board] = self._replies(*self.answers[board])
            left += self.after[board]
        self._require_seen()
        self._require_an_end()

    def _replies(self, board: Board, move: str) -> set[Board]:
        """The positions after an answer and all replies to it, each as its smallest image."""
        text = "/".join(board)
        if self._ends(board) is not None:
            raise _Wrong(f"{text} is over")
        moves = moves_of(list(board))
        if move not in moves:
            raise _Wrong(f"{move} is not legal in {text}")
        there = moves[move]
        end = self._ends(tuple(there))
        if end is not None:
            if end:
                raise _Wrong(f"{move} in {text} loses the game")
            return set()
        replies = list(moves_of(there).values())
        if self.table is not None:
            replies = self._longest(replies)
        self.replies += len(replies)
        found = set[Board]()
        for reply in replies:
            end = self._ends(tuple(reply))
            if end is False:
                raise _Wrong(f"after {move} in {text} a reply wins: {'/'.join(reply)}")
            if end is None:
                found.add(_smallest(tuple(reply)))
        return found

    def _longest(self, replies: list[list[str]]) -> list[list[str]]:
        """Those after which the game lasts longest."""
        words = np.array([word_of(reply) for reply in replies], np.uint64)
        values, _ = values_of(words, self.rules, self.table)
        # A win in n plies is 65535 − n: the lowest is the longest, unless some reply does not lose.
        if np.any(values <= native.DRAW):
            raise _Wrong(f"a reply does not lose: {'/'.join(replies[int(np.argmin(values))])}")
        return [reply for reply, value in zip(replies, values.tolist(), strict=True) if value == values.min()]

    def _ends(self, board: Board) -> bool | None:
        """Whether the side to move has won, None if the game is not over."""
        value = int(self.rules.game.ends(np.array([word_of(list(board))], np.uint64))[0])
        return None if value == native.NO_VALUE else value > native.DRAW

    def _require_seen(self) -> None:
        boards = sorted(self.seen)
        if not boards:
            return
        words = np.array([word_of(list(board)) for board in boards], np.uint64)
        values = self.rules.game.forced(words, self.sees)
        won = (values > native.DRAW) & (values != native.NO_VALUE)
        if not won.all():
            missing = "/".join(boards[int(np.argmin(won))])
            raise _Wrong(f"{missing} x has no answer, and is not won within {self.sees} plies")

    def _require_an_end(self) -> None:
        """No game goes round in circles: positions can be taken away from the end of games on."""
        before: dict[Board, list[Board]] = {board: [] for board in self.after}
        open_ones = dict.fromkeys(self.after, 0)
        for board, after in self.after.items():
            for it in after & self.after.keys():
                before[it].append(board)
                open_ones[board] += 1
        done = [board for board, count in open_ones.items() if count == 0]
        for board in done:
            for earlier in before[board]:
                open_ones[earlier] -= 1
                if open_ones[earlier] == 0:
                    done.append(earlier)
        if len(done) < len(self.after):
            circle = next(board for board, count in open_ones.items() if count)
            raise _Wrong(f"a game from {'/'.join(circle)} x need not end")


def _smallest(board: Board) -> Board:
    return min(images_of(list(board)))
