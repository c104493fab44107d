"""Checks strategies of Quixo (docs/strategy-format.md): plays all answers against all replies, to the end."""

from __future__ import annotations

import os
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import DamagedFile, MissingTable
from inarow.verify.quixo import claims
from inarow.verify.quixo.claims import FalseClaim
from inarow.verify.quixo.reading import field, fields
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict


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


def verify_strategy(
    path: str | os.PathLike[str], table: str | os.PathLike[str] | None = None
) -> StrategyReport:
    """Play a strategy from the empty board against every reply.

    Against perfect resistance the replies are those that last longest by the table in a folder, which
    `verify_table` judges; nothing else needs it.

    :raises DamagedFile: if the file cannot be read.
    :raises MissingTable: if the resistance is perfect and there is no table.
    """
    name, data, rules = claims.read_claims(path)
    resistance, sees, moves = fields(data, name, resistance=str, sees=int, answers=dict)
    if resistance not in ("any", "perfect") or not 1 <= sees <= 9:
        raise DamagedFile(f"{name}: 'resistance' or 'sees' makes no sense")
    files = None
    if resistance == "perfect":
        if table is None:
            raise MissingTable(f"{name} is for perfect resistance: name a table to tell which replies are")
        files = claims.table_for(name, rules, table)
    answers = {text: field(moves, text, str, name) for text in moves}
    walk = _Walk(rules, sees, files)
    wrong: str | None = None
    try:
        walk.read(answers)
        walk.play()
    except FalseClaim as error:
        wrong = str(error)
    counts = len(answers), len(walk.after), walk.replies, len(walk.seen)
    return StrategyReport("wrong" if wrong else "proven", rules, resistance, sees, *counts, wrong)


class _Walk:
    def __init__(self, rules: Rules, sees: int, table: TableFiles | None) -> None:
        self.rules, self.sees, self.table = rules, sees, table
        self.answers: dict[int, tuple[int, str]] = {}  # by the smallest image
        self.after: dict[int, set[int]] = {}  # where each position that was answered may lead
        self.seen: set[int] = set()
        self.replies = 0

    def read(self, answers: dict[str, str]) -> None:
        for text, move in answers.items():
            word = claims.parse(text, self.rules)
            (image,) = self._smallest([word])
            if self.answers.setdefault(image, (word, move))[0] != word:
                raise FalseClaim(f"{text} is there before, turned or mirrored")

    def play(self) -> None:
        """Play all games, and see that each of them ends with a win."""
        left = [0]  # the empty board
        while left:
            word = left.pop()
            if word in self.after or word in self.seen:
                continue
            if word not in self.answers:
                self.seen.add(word)
                continue
            self.after[word] = self._replies(*self.answers[word])
            left += self.after[word]
        words = np.array(sorted(self.seen), np.uint64)
        values = self.rules.game.forced(words, self.sees)
        for word in words[(values <= native.DRAW) | (values == native.NO_VALUE)].tolist():
            raise FalseClaim(f"{self._text(word)} has no answer, and is not won within {self.sees} plies")
        try:
            TopologicalSorter(self.after).prepare()
        except CycleError as error:
            raise FalseClaim(f"a game from {self._text(error.args[1][0])} need not end") from None

    def _replies(self, word: int, move: str) -> set[int]:
        """The positions after an answer and all replies to it, each as its smallest image."""
        text, ends = self._text(word), self.rules.game.ends
        if ends(np.array([word], np.uint64))[0] != native.NO_VALUE:
            raise FalseClaim(f"{text} is over")
        moves = claims.moves_of(word, self.rules)
        if move not in moves:
            raise FalseClaim(f"{move} is not legal in {text}")
        there = np.array([moves[move]], np.uint64)
        (end,) = ends(there).tolist()
        if end != native.NO_VALUE:
            if end > native.DRAW:
                raise FalseClaim(f"{move} in {text} loses the game")
            return set()
        replies, _ = self.rules.game.successors(there)
        if self.table is not None:
            replies = self._longest(replies, self.table)
        self.replies += replies.size
        values = ends(replies)
        for reply in replies[values < native.DRAW].tolist():
            raise FalseClaim(f"after {move} in {text} a reply wins: {self._text(reply)}")
        return set(self._smallest(replies[values == native.NO_VALUE]))

    def _longest(self, replies: NDArray[np.uint64], table: TableFiles) -> NDArray[np.uint64]:
        """Those after which the game lasts longest."""
        values, _ = claims.values_of(replies, self.rules, table)
        # A win in n plies is 65535 − n: the lowest is the longest, unless some reply does not lose.
        if np.any(values <= native.DRAW):
            raise FalseClaim(f"a reply does not lose: {self._text(int(replies[np.argmin(values)]))}")
        longest: NDArray[np.uint64] = replies[values == values.min()]
        return longest

    def _smallest(self, words: Any) -> list[int]:
        return list(map(int, self.rules.game.smallest(np.asarray(words, np.uint64))))

    def _text(self, word: int) -> str:
        return self.rules.position_text(word)
