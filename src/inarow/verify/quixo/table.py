"""Checks every entry of a Quixo table against the rules of the game.

`native/verify/quixo/checker.hpp` says what is checked of an entry, and why that proves all draws, and
with plies wins and losses too. Without plies those could support each other in a circle, and truly be
draws. Two things rule that out: all of them are derived from the end of the game, or each class has as
many draws as it truly has, by counts shipped with inarow, which leaves no room for false wins. The pairs
of an incomplete table are proven without the rest, as no move removes a mark.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_quixo as native
from inarow.errors import InarowError
from inarow.memory import require_memory
from inarow.processors import thread_count
from inarow.verify.quixo.gpu import GpuPlanes
from inarow.verify.quixo.manifest import ClassCounts
from inarow.verify.quixo.planes import Planes, memory_needed
from inarow.verify.quixo.reading import field, fields
from inarow.verify.quixo.record import Record
from inarow.verify.quixo.report import (
    DOES_NOT_FOLLOW,
    Counterexample,
    Method,
    Progress,
    TableReport,
    Wrong,
    counterexample_of,
    report_of,
)
from inarow.verify.quixo.rules import Pair, Rules, planes_of
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

_MEANS: dict[Method | None, str] = {  # how circular wins are ruled out
    "plies": ", plies included",
    "derivation": "; every win and loss was derived from the end of the game",
    "draw counts": "; each class has as many draws as in the results shipped with inarow, which the solver "
    "counted",
    None: "; the draws are proven, but without plies wins and losses could follow from each other in a "
    "circle: they were not derived, and no draw counts for these rules are shipped with inarow",
}
DERIVED_CELLS = 20  # boards on which wins without plies are derived unless the caller decides


def verify_table(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    derive: bool | None = None,
    remember: bool = False,
    resume: bool = False,
    memory: int | None = None,
    device: Literal["cpu", "cuda"] = "cpu",
) -> TableReport:
    """Check every entry of the table in a folder, and the counts in its manifest, up to the first fault.

    The verdict is "proven" if every entry present is true; for an incomplete table, the reason says how much
    is present. A check that would take more bytes than `memory`, or than the machine has, is refused. The
    device "cuda" is a GPU, which derives no wins.

    `derive` says whether the wins and losses of a table without plies are derived from the end of the game,
    by default on boards of up to 20 cells. If they are not, the draws of each class are compared with the
    results shipped with inarow; where there are none, the verdict is at most "consistent".

    With `remember`, the pairs that were checked are recorded in the folder, in verified.json. With `resume`,
    pairs that an interrupted check recorded are not looked at again as long as their files are the same.

    :raises MissingTable: if there is no table, or a file of it is missing.
    :raises DamagedFile: if a file is not what it should be, so that there is nothing to check.
    :raises InarowError: if there is too little memory, or no GPU.

    >>> from tempfile import TemporaryDirectory
    >>> from inarow import Quixo, solve
    >>> with TemporaryDirectory() as folder:
    ...     _ = solve(Quixo(3), folder)
    ...     report = verify_table(folder)
    >>> report.verdict, report.entries, report.positions
    ('proven', 3732, 19683)
    """
    if device not in ("cpu", "cuda"):
        raise InarowError(f"the device is 'cpu' or 'cuda', not {device!r}")
    check = _Check(Path(path), thread_count(threads), progress, derive, on_gpu=device == "cuda")
    if device == "cpu":
        require_memory(memory_needed(check.table), memory, advice="; a sample takes little (--sample)")
    return check.run(Record(check.table, keep=remember, resume=resume, derived=check.method == "derivation"))


class _Fault(Exception):
    """Ends a check."""

    def __init__(self, reason: str, counterexample: Counterexample | None = None) -> None:
        super().__init__(reason)
        self.counterexample = counterexample


class _Check:
    def __init__(
        self, folder: Path, threads: int, progress: Progress | None, derive: bool | None, *, on_gpu: bool
    ) -> None:
        self._began = perf_counter()
        self.table, self._threads, self._on_gpu = TableFiles(folder), threads, on_gpu
        self._total = sum(map(self.table.rules.entry_count, self.table.pairs))
        self._entries = self._positions = self._remembered = 0
        self._progress: Progress = progress or (lambda done, total: None)
        if on_gpu and derive:
            raise InarowError("wins and losses without plies are derived on a CPU only")
        if derive is None:
            derive = not on_gpu and self.table.rules.cells <= DERIVED_CELLS
        self._draws: dict[Pair, int] = {}  # of each class
        self.method: Method | None = "plies" if self.table.has_plies else "derivation" if derive else None
        if self.method is None:
            self._draws = shipped_draws(self.table.rules)
            self.method = "draw counts" if self._draws else None

    def run(self, record: Record) -> TableReport:
        wrong: Counterexample | None = None
        verdict: Verdict = "consistent" if self.method is None else "proven"
        try:
            self._check_pairs(record)
            reason = self._reason(record)
        except _Fault as fault:
            verdict, reason, wrong = "wrong", str(fault), fault.counterexample
        record.save(None if verdict == "wrong" else verdict)
        return report_of(
            self.table,
            self._began,
            verdict,
            reason,
            self._entries,
            positions=self._positions,
            method=self.method,
            counterexample=wrong,
            remembered=self._remembered,
        )

    def _check_pairs(self, record: Record) -> None:
        left = [pair for pair in self.table.pairs if not record.has(pair)]
        planes = (GpuPlanes if self._on_gpu else Planes)(self.table, self._threads, left)
        with closing(planes):
            for pair in self.table.pairs:
                if pair in record.remembered:
                    self._remembered += self.table.rules.entry_count(pair)
                    self._compare_draws(pair, self.table.manifest.pairs[pair].classes)
                else:
                    record.begin(pair)
                    self._check_pair(pair, planes)
                    record.add(pair)

    def _check_pair(self, pair: Pair, planes: Planes) -> None:
        loaded = planes.load(pair)
        for plane in planes_of(pair):
            for checked, wrong in loaded.check(plane):
                self._entries += checked
                self._require_none(pair, wrong, DOES_NOT_FOLLOW)
                self._show_progress()
        if self.method == "derivation":
            for _ in loaded.derive():
                self._show_progress()
            circular = loaded.find_underived()
            self._require_none(pair, circular, "a {stored} follows only from itself, in a circle")
        counts = [
            _class_counts(x, o, loaded.counts(plane), has_plies=self.table.has_plies)
            for plane, (x, o) in zip(planes_of(pair), (pair, pair[::-1]), strict=False)
        ]
        fault = self.table.manifest.pairs[pair].fault(counts)
        if fault is not None:
            raise _Fault(fault)
        self._compare_draws(pair, counts)
        self._positions += sum(found.positions for found in counts)
        planes.keep(pair, loaded)

    def _require_none(self, pair: Pair, wrong: Wrong | None, what: str) -> None:
        if wrong is not None:
            found = counterexample_of(self.table, pair, wrong)
            raise _Fault(f"{what.format(stored=found.stored)}: {found}", found)

    def _compare_draws(self, pair: Pair, counts: list[ClassCounts]) -> None:
        for found in counts if self._draws else ():
            known = self._draws.get((found.x, found.o))
            if found.draw != known:
                where = (
                    f"{self.table.manifest.pairs[pair].values.name}, class of {found.x} and {found.o} marks"
                )
                raise _Fault(f"{where}: {found.draw} draws, {known} in the results shipped with inarow")

    def _show_progress(self) -> None:
        self._progress(self._entries + self._remembered, self._total)

    def _reason(self, record: Record) -> str:
        """What a check without a fault shows, and what it does not."""
        which = "every entry"
        if not self.table.manifest.is_complete:
            pairs = f"{len(self.table.pairs)} of {sum(1 for _ in self.table.rules.pairs())} pairs"
            which = f"the table is not complete, but every entry of the {pairs} that are present"
        reason = f"{which} follows from the rules and the entries of the positions after it"
        reason += _MEANS[self.method]
        if remembered := record.remembered.values():
            by = ", ".join(sorted({f"inarow {pair.inarow}" for pair in remembered}))
            reason += (
                f"; {self._remembered:,} of {self._total:,} entries were not looked at: according to "
                f"verified.json, {by} checked them until {max(pair.at for pair in remembered)}, on files "
                "with the same content"
            )
        return reason


def _class_counts(x: int, o: int, of_value: NDArray[np.uint64], *, has_plies: bool) -> ClassCounts:
    """The counts of a class, given how many positions have each value as an entry of two bytes."""
    loss, win = of_value[: native.DRAW], of_value[: native.NOT_AN_ENTRY : -1]
    by_plies = [[int(p), int(win[p]), int(loss[p])] for p in np.flatnonzero(win + loss) if has_plies]
    return ClassCounts(x, o, int(win.sum()), int(loss.sum()), int(of_value[native.DRAW]), by_plies)


def shipped_draws(rules: Rules) -> dict[Pair, int]:
    """The draws of each class (marks of the side to move, of the other) in the results shipped with inarow.

    Empty if there are no results for these rules.
    """
    name = f"{rules.rows}x{rules.columns}-line{rules.line}-{rules.double_line}.json"
    try:
        data = json.loads(files("inarow").joinpath("data", "quixo", name).read_bytes())
    except FileNotFoundError:
        return {}
    if Rules.from_json(data, name) != rules:  # a variant
        return {}
    classes = (fields(found, name, x=int, o=int, draw=int) for found in field(data, "classes", list, name))
    return {(x, o): draw for x, o, draw in classes}
