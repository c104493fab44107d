"""What a check of a Quixo table found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from inarow._native import verify_quixo as native
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

Progress: TypeAlias = Callable[[int, int], None]  # entries checked so far, and all there are
Wrong: TypeAlias = tuple[int, int, int, int, int, int, int]  # as `native.Pair.check` returns it
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

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import Quixo, solve
    >>> from inarow.verify import verify_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(3), folder)
    ...     report = verify_table(folder)
    >>> report.verdict, report.entries, report.positions
    ('proven', 3732, 19683)
    """

    verdict: Verdict
    reason: str  # why not "proven", or what the proof covers and rests on
    rules: Rules
    entries: int  # checked now, up to the first fault
    positions: (
        int  # those of the pairs that were checked now, counting symmetric ones one by one; 0 for a sample
    )
    seconds: float
    has_plies: bool
    is_complete: bool  # whether all pairs of the board are there
    method: Method | None = None  # how circular wins are ruled out; None if they are not
    counterexample: Counterexample | None = None
    problem: str | None = None  # a fault other than a wrong entry
    remembered: int = 0  # entries that were not looked at, as an earlier check recorded them

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
            "counterexample": None
            if wrong is None
            else {"position": wrong.position, "stored": wrong.stored, "expected": wrong.expected},
            "problem": self.problem,
        }


def counterexample_of(table: TableFiles, a: int, b: int, wrong: Wrong) -> Counterexample:
    plane, block, rank, larger, smaller, stored, expected = wrong
    mover, other = (larger, smaller) if plane == 0 else (smaller, larger)
    if stored == native.NOT_AN_ENTRY:
        word = np.array([mover << 32 | other], np.uint64)
        # In the compact form a win has no plies of its own: it has none if no reply to it loses.
        is_win = table.leaves_win_plies_out and int(table.values(word)[0]) != native.NOT_AN_ENTRY
        stored_text = "a win without a losing reply" if is_win else "a code without a meaning"
    else:
        stored_text = _value_text(stored, table)
    return Counterexample(
        table.rules.position_text(mover, other),
        stored_text,
        _value_text(expected, table),
        a,
        b,
        plane,
        block,
        rank,
    )


def _value_text(value: int, table: TableFiles) -> str:
    if value == native.DRAW:
        return "draw"
    if value == native.NO_VALUE:
        return "no value"
    if not table.has_plies:
        return "loss" if value < native.DRAW else "win"
    return f"loss in {value}" if value < native.DRAW else f"win in {65535 - value}"
