"""The result of solving a game, and the JSON it is shipped as."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.quixo.rules import Quixo
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.values import Outcome


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of the start, and the counts of all classes.

    >>> from inarow.quixo.solver.solve import solve
    >>> solution = solve(Quixo(3))
    >>> print(solution.start, sum(solution.statistics.states.values()))
    win in 7 19683
    """

    rules: Quixo
    statistics: Statistics
    seconds: float
    table: Path | None = None
    repaired: tuple[str, ...] = ()  # files of the table that were damaged or missing, and were solved again
    device: str = ""  # what solved it, if not this machine's CPU
    # On a GPU, seconds of each part of the work; "packing" is that of the threads that write beside it.
    timing: Mapping[str, float] = field(default_factory=dict)

    @property
    def start(self) -> Outcome | None:
        """The value of the empty board, which is a class of its own; None if it was not solved."""
        for counts in self.statistics.classes:
            if counts.x == counts.o == 0:
                return Outcome("draw" if counts.draw else "win" if counts.win else "loss", counts.max_plies)
        return None

    def to_json(self) -> dict[str, Any]:
        data = {
            "game": "quixo",
            **self.rules.to_json(),
            "value": self.start.value if self.start else None,
            "plies": self.start.plies if self.start else None,
            **self.statistics.to_json(),
            "seconds": round(self.seconds, 3),
        }
        if self.device:
            data["device"] = self.device
            data["timing"] = {part: round(seconds, 3) for part, seconds in self.timing.items()}
        return data

    def to_data(self) -> str:
        """The JSON that `from_data` reads: without what follows from the rest."""
        data = self.to_json()
        del data["states"], data["by_plies"]
        data["classes"] = [
            {"x": c.x, "o": c.o, "draw": c.draw, "by_plies": c.by_plies} for c in self.statistics.classes
        ]
        return json.dumps(data, separators=(",", ":")) + "\n"

    @classmethod
    def from_data(cls, text: str) -> Solution:
        data = json.loads(text)
        classes = [
            ClassCounts(c["x"], c["o"], c["draw"], tuple((p, won, lost) for p, won, lost in c["by_plies"]))
            for c in data["classes"]
        ]
        return cls(
            rules=Quixo.from_json(data),
            statistics=Statistics.of(classes),
            seconds=data["seconds"],
            device=data.get("device", ""),
            timing=data.get("timing", {}),
        )


def data_name(rules: Quixo) -> str:
    """The name of the file with `Solution.to_data`."""
    return f"{rules.name}.json"
