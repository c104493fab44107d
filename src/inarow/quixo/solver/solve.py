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
from inarow.quixo.table.location import NEARLY_FULL
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
    began, all_work, done = time.perf_counter(), sum(part.all_work for part in plan.parts), 0
    found: list[tuple[Store, Statistics, str, dict[str, float]]] = []
    for part in plan.parts:
        store = part.store()

        def report(at: int, _: int, before: int = done) -> None:
            if progress:
                progress(before + at, all_work)

        with part.engine(store) as (engine, room), store.prepare(part.disk(part.left(store.finished))):
            statistics = solve_pairs(
                part.rules, engine, store, stop_at=part.stop_at, room=room, progress=report, work=part.work
            )
            found.append((store, statistics, engine.name, dict(engine.timing())))
        done += part.all_work
    target, statistics, name, timing = found[0]
    tables = [store for store, *_ in found if isinstance(store, TableFolder)]
    seconds = time.perf_counter() - began
    if timing:
        timing |= tables[0].timing if tables else {}
        timing["host"] = seconds - sum(timing.values()) + timing.get("packing", 0.0)
    solution = Solution(
        rules=plan.rules,
        statistics=statistics,
        seconds=seconds,
        table=tables[0].path if tables else None,
        repaired=tuple(
            f"{NEARLY_FULL}/{file}" if number else file
            for number, table in enumerate(tables)
            for file in table.damaged
        ),
        device=name,
        timing=timing,
    )
    if isinstance(target, BookStore):
        target.write()
        write_atomically(target.folder / data_name(plan.rules), [solution.to_data().encode()])
    return solution
