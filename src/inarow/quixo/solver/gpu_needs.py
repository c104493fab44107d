"""What solving on a GPU takes, estimated before it starts.

Apart from `needs`, since it imports what only a GPU needs.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from inarow.cuda import Gpu
from inarow.memory import PROGRAM
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.gpu_memory import CUDA_ON_HOST, gpu_memory_needed, host_memory_needed
from inarow.quixo.solver.needs import Needs, disk_needed
from inarow.quixo.table.folder import BYTES_AHEAD, form_in, manifest_in
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of

# Measured on 5×5 with one H200: entries a second, and how much longer it takes where planes wait on the host.
# For other GPUs it is a guess: that the time goes with the number of processors and their clock.
_ENTRIES_A_SECOND = 4.1e9
_H200 = 132 * 1980  # its processors and their MHz
_STREAMED = 1.6
# Lines that are shorter than the board by so many cells end games sooner.
_BY_SHORTER_LINE = (1.0, 0.55, 0.2)
_BEGINNING = 2.0  # seconds until the first pair is solved
_BEFORE_PACKING = 5  # bytes that wait to be packed and written, for each that they take on disk
_COMPILING = 12.0  # seconds that the kernels take before that when they are new


def gpu_needs_of(rules: Quixo, out: Path, gpu: Gpu, *, stop_at: int = 0, budget: int | None = None) -> Needs:
    """What it takes to finish the table in a folder on a GPU, within so many bytes of its memory.

    The memory is the host's. `WrongTable` if the table is of other rules.
    """
    form = form_in(out, rules, plies=True)
    finished = {record.pair for record in manifest_in(out, Manifest(rules, form=form)).pairs}
    pairs = [pair for pair in pairs_of(rules, stop_at) if pair not in finished]
    free = shutil.disk_usage(out if out.exists() else out.parent).free
    if not pairs:
        return Needs(0.0, 0, 0, free)
    streamed = gpu_memory_needed(rules) > min(gpu.free, gpu.free if budget is None else budget)
    speed = _ENTRIES_A_SECOND * gpu.processors * gpu.megahertz / _H200
    shorter = min(max(rules.rows, rules.columns) - rules.line, len(_BY_SHORTER_LINE) - 1)
    disk = disk_needed(rules, pairs, form, plies=True, scratch=False)
    solving = sum(entry_count(rules, *pair) for pair in pairs) / speed * _BY_SHORTER_LINE[max(0, shorter)]
    written = host_memory_needed(rules, pairs, form) if streamed else min(BYTES_AHEAD, _BEFORE_PACKING * disk)
    return Needs(
        seconds=_BEGINNING + solving * (_STREAMED if streamed else 1),
        memory=PROGRAM + CUDA_ON_HOST + written,
        disk=disk,
        free=free,
        once=_COMPILING,
    )
