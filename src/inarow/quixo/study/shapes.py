"""All shapes of boards, lengths of a line and rules for double lines: what the game is under each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from inarow.errors import DamagedFile
from inarow.files import write_atomically
from inarow.quixo.reachable import MOST_CELLS as MOST_REACHABLE_CELLS
from inarow.quixo.reachable import reachable
from inarow.quixo.rules import MAX_CELLS, DoubleLine, Quixo, shapes
from inarow.quixo.solver.engines.cuda import CudaDevice, CudaEngine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import Solution
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.store import NoStore, Progress
from inarow.values import Outcome, Value
from inarow.verify.quixo.spots import SpotChecker

__all__ = [
    "ShapeResult",
    "games",
    "kept_shapes",
    "read_shapes",
    "study_large_shape",
    "study_shape",
    "write_shapes",
]

_KEPT = files("inarow") / "data" / "quixo" / "shapes.json"


@dataclass(frozen=True, slots=True)
class ShapeResult:
    """The value of a game, and how many of its positions, counted with X to move, are won, drawn and lost.

    `reachable` is None where that is not counted. A result is `proven` if a checker that shares no code with
    the solver went through the whole table; `sampled` is how many entries it re-derived if it did not.
    """

    rules: Quixo
    start: Outcome
    win: int
    draw: int
    loss: int
    longest_win: int
    longest_loss: int
    reachable: int | None = None
    proven: bool = False
    sampled: int = 0

    @classmethod
    def of(cls, solution: Solution, reached: int | None) -> ShapeResult:
        assert solution.start is not None
        rows, states = solution.statistics.by_plies, solution.statistics.states
        return cls(
            solution.rules,
            solution.start,
            states["win"],
            states["draw"],
            states["loss"],
            longest_win=max((plies for plies, won, _ in rows if won), default=0),
            longest_loss=max((plies for plies, _, lost in rows if lost), default=0),
            reachable=reached,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            **self.rules.to_json(),
            "value": self.start.value,
            "plies": self.start.plies,
            "win": self.win,
            "draw": self.draw,
            "loss": self.loss,
            "longest_win": self.longest_win,
            "longest_loss": self.longest_loss,
            "reachable": self.reachable,
            "proven": self.proven,
            "sampled": self.sampled,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ShapeResult:
        """:raises KeyError: if something is missing; `ValueError` or `TypeError` if it makes no sense."""
        value: Value = data["value"]
        if value not in ("win", "draw", "loss"):
            raise ValueError(f"a game is a win, a draw or a loss, not {value!r}")
        return cls(
            Quixo.from_json(data),
            Outcome(value, None if data["plies"] is None else int(data["plies"])),
            win=int(data["win"]),
            draw=int(data["draw"]),
            loss=int(data["loss"]),
            longest_win=int(data["longest_win"]),
            longest_loss=int(data["longest_loss"]),
            reachable=None if data["reachable"] is None else int(data["reachable"]),
            proven=bool(data["proven"]),
            sampled=int(data.get("sampled", 0)),
        )


def games(most_cells: int = MAX_CELLS) -> Iterator[Quixo]:
    """Every game on boards of up to so many cells that are no higher than wide, small boards first.

    >>> [rules.name for rules in games(5)]
    ['2x2-line2-loses', '2x2-line2-wins']
    """
    boards = [(rows, columns) for rows, columns in shapes(most_cells) if rows <= columns]
    for rows, columns in sorted(boards, key=lambda board: (board[0] * board[1], board)):
        for line in range(2, columns + 1):
            for double_line in get_args(DoubleLine):
                yield Quixo(rows, columns, line, double_line)


def study_shape(
    rules: Quixo,
    table: Path | None = None,
    device: Literal["cpu", "cuda"] = "cpu",
    progress: Progress | None = None,
) -> ShapeResult:
    """Solve a game, and write its table if asked to.

    >>> found = study_shape(Quixo(2, 3))
    >>> found.start.value, found.win, found.draw, found.loss, found.reachable
    ('draw', 291, 345, 93, 597)
    """
    solution = solve(rules, table, device=device, progress=progress)
    counts_reachable = rules.cells <= MOST_REACHABLE_CELLS
    return ShapeResult.of(solution, reachable(rules).reachable if counts_reachable else None)


def study_large_shape(rules: Quixo, progress: Progress | None = None) -> ShapeResult:
    """Solve a game on a GPU, and have entries of every class re-derived on the way; no table is written."""
    device = CudaDevice()

    def take(entries: Any, numbers: NDArray[np.uint64]) -> NDArray[np.uint16]:
        return device.host(entries[device.xp.asarray(numbers)])

    spots = SpotChecker(
        rules.rows,
        rules.columns,
        rules.line,
        rules.double_line == "wins",
        take=take,
    )
    engine = CudaEngine(rules, device, watch=lambda _, pair: spots(pair.a, pair.b, pair.entries))
    statistics = solve_pairs(rules, engine, NoStore(), progress=progress)
    solution = Solution(rules, statistics, 0.0, None, (), device.name, {})
    return replace(ShapeResult.of(solution, None), sampled=spots.checked)


# --- Files ---


def kept_shapes() -> tuple[ShapeResult, ...]:
    """The results that come with the package."""
    return _parse(_KEPT.read_bytes(), "the results that come with inarow")


def read_shapes(path: Path) -> tuple[ShapeResult, ...]:
    """The results in a file; `DamagedFile` if there are none."""
    return _parse(path.read_bytes(), str(path))


def _parse(data: bytes, name: str) -> tuple[ShapeResult, ...]:
    try:
        return tuple(map(ShapeResult.from_json, json.loads(data)["games"]))
    except KeyError as error:
        raise DamagedFile(f"{name}: no results of games: there is no {error}") from None
    except (ValueError, TypeError) as error:
        raise DamagedFile(f"{name}: no results of games: {error}") from None


def write_shapes(path: Path, results: Iterable[ShapeResult]) -> None:
    rows = ",\n".join(json.dumps(result.to_json()) for result in results)
    write_atomically(path, [f'{{"games": [\n{rows}\n]}}\n'.encode()])
