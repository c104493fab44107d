"""0-1 integer programs, solved by HiGHS."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np

_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Row:
    """The sum of the columns `plus` minus the sum of the columns `minus` is at least `least`."""

    plus: Sequence[int]
    minus: Sequence[int] = ()
    least: float = 0


@dataclass(frozen=True, slots=True)
class Optimum:
    """The columns that are 1 in the best solution found, and a lower bound on the cost of any solution.

    The bound assumes that costs are integers.
    """

    chosen: frozenset[int]
    bound: int


def minimise(
    costs: Sequence[float],
    rows: Sequence[Row],
    time_limit: float | None = None,
    start: frozenset[int] | None = None,
) -> Optimum | None:
    """The columns of least cost that satisfy all rows; None if none were found.

    `start` is a known solution to improve on.
    """
    if not costs:
        return None if any(row.least > 0 for row in rows) else Optimum(frozenset(), 0)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    if time_limit is not None:
        highs.setOptionValue("time_limit", max(0.0, time_limit))
    highs.passModel(_program(costs, rows))
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = [float(column in start) for column in range(len(costs))]
        highs.setSolution(solution)
    _run(highs)
    values = highs.getSolution().col_value
    chosen = frozenset(column for column, value in enumerate(values) if value > 0.5)
    proven = highs.getInfo().mip_dual_bound
    bound = math.ceil(proven - _TOLERANCE) if math.isfinite(proven) else 0
    # The solver works to a tolerance, and may run out of time without a solution: check what it returns.
    if not values or not all(_holds(row, chosen) for row in rows):
        return None if start is None else Optimum(start, bound)
    return Optimum(chosen, bound)


def _holds(row: Row, chosen: frozenset[int]) -> bool:
    return sum(c in chosen for c in row.plus) - sum(c in chosen for c in row.minus) >= row.least


def _program(costs: Sequence[float], rows: Sequence[Row]) -> highspy.HighsLp:
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(costs), len(rows)
    program.col_cost_ = np.array(costs)
    program.col_lower_, program.col_upper_ = np.zeros(len(costs)), np.ones(len(costs))
    program.row_lower_ = np.array([row.least for row in rows], float)
    program.row_upper_ = np.full(len(rows), highspy.kHighsInf)
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.cumsum([0, *(len(row.plus) + len(row.minus) for row in rows)])
    program.a_matrix_.index_ = np.array([c for row in rows for c in (*row.plus, *row.minus)], np.int32)
    program.a_matrix_.value_ = np.array(
        [value for row in rows for value in (*[1.0] * len(row.plus), *[-1.0] * len(row.minus))]
    )
    return program


def _run(highs: highspy.Highs) -> None:
    """Run the solver on a separate thread, so that an interrupt stops it at once."""
    highs.HandleUserInterrupt = True
    highs.startSolve()
    try:
        while not highs.wait(0.1)[0]:
            pass
    except BaseException:
        highs.cancelSolve()  # type: ignore[no-untyped-call]
        highs.wait()
        raise
