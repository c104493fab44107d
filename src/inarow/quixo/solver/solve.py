"""Solves Quixo by retrograde analysis: chooses an engine and a store, and runs the schedule."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from inarow.errors import InarowError
from inarow.files import write_atomically
from inarow.memory import require_memory
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cluster import ClusterEngine
from inarow.quixo.solver.engines.cuda import CudaEngine
from inarow.quixo.solver.engines.engine import Engine
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME, Scratch
from inarow.quixo.solver.needs import disk_needed, memory_needed, table_engine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import Solution, data_name
from inarow.quixo.table.book import BookStore
from inarow.quixo.table.folder import TableFolder, form_in
from inarow.quixo.table.manifest import Form
from inarow.quixo.table.pairs import PairId, pairs_of
from inarow.quixo.table.store import NoStore, Progress, Store


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
    dask: str | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Find the value and the plies of every position.

    With `out`, write a tablebase to that folder: on boards of up to 20 cells in the plain form, on larger
    ones in the compact form. An interrupted run is resumed there, in the form that the table has, and damaged
    files are solved again. If `store` is false, write only the counts of all classes and a book of the
    positions with few marks.

    With `outcomes_only`, find values and no plies: much faster, and the table, in the compact form, is much
    smaller. With `stop_at`, solve no positions with fewer marks than that; a later run can continue.

    `memory` is the most bytes of memory to use. `dask` is the address of a scheduler whose workers solve the
    pairs; all of them must see the folder `out` under the same name.

    >>> solve(Quixo(3), stop_at=8).statistics.states
    {'win': 1652, 'loss': 1164, 'draw': 0}
    """
    began = time.perf_counter()
    if not 0 <= stop_at <= rules.cells:
        raise InarowError(
            f"a board of {rules.size_text} has 0 to {rules.cells} marks; cannot stop at {stop_at}"
        )
    if not store and stop_at:
        raise InarowError("a book is of positions with few marks: solve all of them, or write a table")
    if not store and (outcomes_only or dask is not None):
        raise InarowError("a book has plies, and is not solved on a cluster: write a table")
    if device != "cpu" and (outcomes_only or dask is not None):
        raise InarowError("outcomes alone, and pairs on a cluster, are solved on CPUs")
    if dask is not None and out is None:
        raise InarowError("the workers of a cluster write a table: say in which folder")
    if device not in ("cpu", "cuda"):
        raise InarowError(f"the device is 'cpu' or 'cuda', not {device!r}")
    thread_count(threads)  # refused at once if there are too many
    plies = not outcomes_only
    target = _store(rules, out, threads, plies=plies, book=not store, absolute=dask is not None)
    left = [pair for pair in pairs_of(rules, stop_at) if pair not in target.finished]
    with _engine(rules, left, target, plies, device, threads, memory, dask) as engine:
        disk = disk_needed(rules, left, _form(target), plies=plies, scratch=device == "cpu")
        with target.prepare(disk):
            statistics = solve_pairs(rules, engine, target, stop_at=stop_at, progress=progress)
        timing = dict(engine.timing())
    seconds = time.perf_counter() - began
    table = target if isinstance(target, TableFolder) else None
    if timing:
        timing |= table.timing if table else {}
        timing["host"] = seconds - sum(timing.values()) + timing.get("packing", 0.0)
    solution = Solution(
        rules=rules,
        statistics=statistics,
        seconds=seconds,
        table=table.path if table else None,
        repaired=tuple(table.damaged) if table else (),
        device=engine.name,
        timing=timing,
    )
    if isinstance(target, BookStore):
        target.write()
        write_atomically(target.folder / data_name(rules), [solution.to_data().encode()])
    return solution


def _store(
    rules: Quixo, out: str | Path | None, threads: int | None, *, plies: bool, book: bool, absolute: bool
) -> Store:
    if out is None:
        return NoStore()
    if book:
        return BookStore(rules, Path(out))
    path = Path(out).resolve() if absolute else Path(out)  # other processes may run in other folders
    return TableFolder(path, rules, form_in(path, rules, plies=plies), plies=plies, threads=threads)


def _form(target: Store) -> Form:
    """The form in which a store takes pairs."""
    return target.manifest.form if isinstance(target, TableFolder) else "plain"


@contextmanager
def _engine(
    rules: Quixo,
    left: Sequence[PairId],
    target: Store,
    plies: bool,
    device: Literal["cpu", "cuda"],
    threads: int | None,
    memory: int | None,
    dask: str | None,
) -> Iterator[Engine]:
    """What solves the pairs that are left; refused if it would take too much memory."""
    if device == "cuda":
        yield CudaEngine(rules, compact=_form(target) == "compact")
        return
    in_files = isinstance(target, TableFolder)
    scratch = None
    if isinstance(target, TableFolder):
        scratch = Scratch(target.path / SCRATCH_NAME, target.finished, thread_count(threads))
    engine = table_engine(rules, _form(target), plies=plies, threads=threads, scratch=scratch)
    needed = memory_needed(engine, left, in_files=in_files)
    advice = "" if in_files else "; written to a table (--out), it takes less"
    advice += ". A GPU can do it too (--device cuda)"
    require_memory(needed, memory, here=dask is None, advice=advice)
    if dask is None or not isinstance(target, TableFolder):
        yield engine
    else:
        with ClusterEngine(dask, rules, target.files, scratch, plies=plies, threads=threads) as cluster:
            yield cluster
    if scratch:
        scratch.tidy()
