"""What a check of a Quixo table found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeAlias

import numpy as np

from inarow._native import verify_quixo as native
from inarow.verify.quixo.rules import Pair, Rules
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

Progress: TypeAlias = Callable[[int, int], None]  # entries checked so far, and all there are
Wrong: TypeAlias = tuple[int, int, int, int]  # plane, entry of the plane, stored, expected
DOES_NOT_FOLLOW = "an entry does not follow from the entries of the positions after it"
Method: TypeAlias = Literal["plies", "derivation", "draw counts"]


@dataclass(frozen=True)
class Counterexample:
    """The first entry of a pair that does not follow from the rules and from the entries of its children.

    Either the entry is wrong, or that of one of its children.
    """

    position: str  # rows from the top; x is the side to move
    stored: str  # as in "win in 3", for the side to move
    expected: str
    a: int
    b: int
    plane: int
    block: int
    rank: int

    def __str__(self) -> str:
        where = f"pair {{{self.a}, {self.b}}}, plane {self.plane}, block {self.block}, rank {self.rank}"
        return f"{self.position}: stored {self.stored}, expected {self.expected} ({where})"


@dataclass(frozen=True)
class TableReport:
    """What a check of a table concludes, and what it looked at.

    >>> rules = Rules(3, 3, 3, "loses")
    >>> TableReport("proven", "", rules, 3732, 0.5, has_plies=True, is_complete=True).per_second
    7464.0
    """

    verdict: Verdict
    reason: str  # why not "proven", or what the proof covers and rests on
    rules: Rules
    entries: int  # checked now, up to the first fault
    seconds: float
    has_plies: bool
    is_complete: bool  # whether all pairs of the board are there
    positions: int = 0  # of the pairs checked now, counting symmetric ones one by one; 0 for a sample
    method: Method | None = None  # how circular wins are ruled out; None if they are not
    counterexample: Counterexample | None = None
    remembered: int = 0  # entries that were not looked at, as an earlier check recorded them

    @property
    def problem(self) -> str | None:
        """A fault other than a wrong entry."""
        return self.reason if self.verdict == "wrong" and self.counterexample is None else None

    @property
    def per_second(self) -> float:
        return self.entries / self.seconds if self.seconds > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        wrong = self.counterexample
        return {
            **self.rules.to_json(),
            "verdict": self.verdict,
            "reason": self.reason,
            "complete": self.is_complete,
            "has_plies": self.has_plies,
            "method": self.method,
            "entries": self.entries,
            "remembered": self.remembered,
            "positions": self.positions,
            "seconds": round(self.seconds, 3),
            "entries_per_second": round(self.per_second),
            "counterexample": wrong
            and {name: getattr(wrong, name) for name in ("position", "stored", "expected")},
            "problem": self.problem,
        }


def report_of(
    table: TableFiles, began: float, verdict: Verdict, reason: str, entries: int, **more: Any
) -> TableReport:
    seconds, is_complete = perf_counter() - began, table.manifest.is_complete
    return TableReport(verdict, reason, table.rules, entries, seconds, table.has_plies, is_complete, **more)


def counterexample_of(table: TableFiles, pair: Pair, wrong: Wrong) -> Counterexample:
    (plane, index, stored, expected), game = wrong, table.rules.game
    words = game.positions(*pair, bool(plane), np.array([index], np.uint64))
    # The files do not have the plies of a win: it has none if no reply to it loses.
    if stored != native.NOT_AN_ENTRY:
        text = _value_text(stored, table)
    elif int(table.values(words)[0]) == native.NOT_AN_ENTRY:
        text = "a code without a meaning"
    else:
        text = "a win without a losing reply"
    where = divmod(index, game.of_plane(*pair) // game.orbits(pair[0]).size)
    position = table.rules.position_text(int(words[0]))
    return Counterexample(position, text, _value_text(expected, table), *pair, plane, *where)


def _value_text(value: int, table: TableFiles) -> str:
    if value == native.DRAW:
        return "draw"
    if value == native.NO_VALUE:
        return "no value"
    if not table.has_plies:
        return "loss" if value < native.DRAW else "win"
    return f"loss in {value}" if value < native.DRAW else f"win in {65535 - value}"
