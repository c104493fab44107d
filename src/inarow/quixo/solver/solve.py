"""Solves Quixo by retrograde analysis: runs the schedule as planned, and tells what was found."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.plan import Plan
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import Solution, data_name
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.book import BookStore
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.nearly_full import NEARLY_FULL
from inarow.quixo.table.pairs import pairs_of
from inarow.quixo.table.store import Progress, Store


def solve(
    rules: Quixo,
    out: str | Path | None = None,
    *,
    store: bool = True,
    outcomes_only: bool = False,
    stop_at: int = 0,
    device: Literal["cpu", "cuda"] = "cpu",
    threads: int | None = None,
    memory: int | None = None,
    gpu_memory: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Find the value and the plies of every position.

    With `out`, write a tablebase to that folder. An interrupted run is resumed there, and damaged files are
    solved again. If `store` is false, write only the counts of all classes and a book of the positions with
    few marks.

    With `outcomes_only`, find values and no plies: much faster, and the table is much smaller. It still has
    the plies of nearly full boards, which show the way where wins are longest. With `stop_at`, solve no
    positions with fewer marks than that; a later run can continue.

    `memory` is the most bytes of memory to use, and `gpu_memory` of a GPU's, by default all that is free
    there: if that is too little to keep what will be needed again, it is kept in the machine's memory. `dask`
    is the address of a scheduler whose workers solve the pairs; all of them must see the folder `out` under
    the same name.

    >>> solve(Quixo(3), stop_at=8).statistics.states
    {'win': 1652, 'loss': 1164, 'draw': 0}
    """
    plan = Plan(
        rules,
        None if out is None else Path(out),
        plies=not outcomes_only,
        book=not store,
        stop_at=stop_at,
        device=device,
        threads=threads,
        memory=memory,
        gpu_memory=gpu_memory,
        dask=dask,
    )
    return solve_planned(plan, progress)


def solve_planned(plan: Plan, progress: Progress | None = None) -> Solution:
    """Solve what is planned."""
    began = time.perf_counter()
    rules, target = plan.rules, plan.store()
    table = target if isinstance(target, TableFolder) else None
    all_work = sum(part.all_work for part in plan.parts)
    statistics, name, timing = _solve(plan, target, _part(progress, 0, all_work))
    for beside in plan.parts[1:]:
        nearly_full = beside.store()
        assert table is not None
        assert isinstance(nearly_full, TableFolder)
        _solve(beside, nearly_full, _part(progress, plan.all_work, all_work))
        table.damaged += [f"{NEARLY_FULL}/{file}" for file in nearly_full.damaged]
    seconds = time.perf_counter() - began
    if timing:
        timing |= table.timing if table else {}
        timing["host"] = seconds - sum(timing.values()) + timing.get("packing", 0.0)
    solution = Solution(
        rules=rules,
        statistics=statistics,
        seconds=seconds,
        table=table.path if table else None,
        repaired=tuple(table.damaged) if table else (),
        device=name,
        timing=timing,
    )
    if isinstance(target, BookStore):
        target.write()
        write_atomically(target.folder / data_name(rules), [solution.to_data().encode()])
    return solution


def _solve(plan: Plan, target: Store, progress: Progress | None) -> tuple[Statistics, str, dict[str, float]]:
    """Solve what a store lacks: the counts, the name of the device, and its times."""
    left = [pair for pair in pairs_of(plan.rules, plan.stop_at) if pair not in target.finished]
    with plan.engine(target) as (engine, room), target.prepare(plan.disk(left)):
        statistics = solve_pairs(
            plan.rules, engine, target, stop_at=plan.stop_at, room=room, progress=progress, work=plan.work
        )
        return statistics, engine.name, dict(engine.timing())


def _part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """The progress of a part of the work, which begins after so many entries."""
    return progress and (lambda done, _: progress(before + done, total))
