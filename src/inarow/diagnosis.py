"""What this machine offers to inarow, and what will be fast on it."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inarow.cuda import Gpu, gpu_here
from inarow.errors import InarowError
from inarow.memory import physical_memory
from inarow.processors import thread_count
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.plan import Needs, Plan
from inarow.quixo.solver.user_table import user_tables
from inarow.quixo.table.cache import user_cache_path
from inarow.quixo.table.info import table_info
from inarow.quixo.table.manifest import MANIFEST_NAME
from inarow.words import size_text

Speed: TypeAlias = Literal["fast", "slow", "impossible"]

_FAST = 120  # seconds; what takes no longer is fast

# What `pip install 'inarow[EXTRA]'` adds, by the module that shows that it is there.
_EXTRAS = {
    "cuda": "cupy",
    "dask": "distributed",
    "gif": "PIL",
    "parquet": "pyarrow",
    "gym": "gymnasium",
}


@dataclass(frozen=True, slots=True)
class TableFound:
    """A table of the user's, or in the current folder; `problem` says why it cannot be read."""

    folder: Path
    rules: str = ""
    has_plies: bool = False
    complete: bool = False
    bytes: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Prospect:
    """Something that inarow does, how it will fare here, and why."""

    what: str
    speed: Speed
    why: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `diagnose` found.

    >>> Diagnosis.__match_args__[3:6]
    ('instructions', 'threads', 'memory_bytes')
    """

    inarow: str
    python: str
    system: str
    instructions: str  # that the solver uses: portable, avx2, avx512 or neon
    threads: int
    memory_bytes: int | None
    data_folder: Path  # of the user's own tables
    free_disk_bytes: int  # there
    cache_bytes: int  # kept of tables at URLs
    gpu: Gpu | None
    no_gpu: str | None  # the reason, if there is none
    extras: dict[str, bool]  # optional packages, and whether they are installed
    tables: tuple[TableFound, ...]
    prospects: tuple[Prospect, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self, dict_factory=_with_paths_as_text)


def _with_paths_as_text(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Path) else value for name, value in fields}


def diagnose(folder: Path | str = ".") -> Diagnosis:
    """Look at this machine, the user's tables, and those in a folder. It takes a few seconds.

    >>> found = diagnose()
    >>> found.threads >= 1, found.instructions in ("portable", "avx2", "avx512", "neon")
    (True, True)
    >>> found.prospects[0].what, found.prospects[0].speed
    ('Quixo on up to 16 cells', 'fast')
    """
    own = user_tables()
    there = next(path for path in (own, *own.parents) if path.is_dir())
    memory, cache = physical_memory(), user_cache_path()
    tables = tuple(_table(path) for path in _folders((own, Path(folder))))
    gpu, no_gpu = _gpu()
    return Diagnosis(
        inarow=version("inarow"),
        python=platform.python_version(),
        system=platform.platform(),
        instructions=CpuEngine(Quixo(3), threads=1).lanes,
        threads=thread_count(None),
        memory_bytes=memory,
        data_folder=own,
        free_disk_bytes=shutil.disk_usage(there).free,
        cache_bytes=cache.stat().st_size if cache.is_file() else 0,
        gpu=gpu,
        no_gpu=no_gpu,
        extras={extra: find_spec(module) is not None for extra, module in _EXTRAS.items()},
        tables=tables,
        prospects=tuple(_prospects(memory, there, gpu, no_gpu, tables)),
    )


def _gpu() -> tuple[Gpu | None, str | None]:
    try:
        return gpu_here(), None
    except InarowError as error:
        return None, str(error)


def _folders(places: Iterable[Path]) -> list[Path]:
    """Every table in these places, or in a folder of theirs."""
    found = [
        manifest.parent
        for place in places
        for manifest in (*place.glob(MANIFEST_NAME), *sorted(place.glob(f"*/{MANIFEST_NAME}")))
    ]
    return list(dict.fromkeys(found))


def _table(folder: Path) -> TableFound:
    try:
        info = table_info(folder)
    except (InarowError, OSError) as error:
        return TableFound(folder, problem=str(error))
    return TableFound(folder, str(info.rules), info.plies, info.complete, info.size)


def _prospects(
    memory: int | None, there: Path, gpu: Gpu | None, no_gpu: str | None, tables: tuple[TableFound, ...]
) -> Iterable[Prospect]:
    five = Quixo(5)
    yield Prospect("Quixo on up to 16 cells", "fast", "a board is solved in a second or two, and kept")
    if any(table.complete and table.rules == str(five) for table in tables):
        yield Prospect("probing 5×5", "fast", "there is a table (--table)")
    else:
        yield Prospect(
            "probing 5×5", "slow", "the book answers at once; beyond it a search takes up to two seconds"
        )
    out = there / "5x5"
    for what, plan in (
        ("on the CPU, outcomes alone", Plan(five, out, plies=False)),
        ("on the CPU, with plies", Plan(five, out)),
        ("on a GPU", Plan(five, out, device="cuda")),
    ):
        if plan.device == "cuda" and gpu is None:
            yield Prospect(f"solving 5×5 {what}", "impossible", str(no_gpu).splitlines()[0])
        else:
            yield _solving(f"solving 5×5 {what}", plan.needs(gpu), memory, gpu)
    yield Prospect(
        "Ultimate against optimal play",
        "slow",
        "as X it begins at once; as O it first reads a proof for half a minute, and takes 1 GB of memory",
    )


def _solving(what: str, needs: Needs, memory: int | None, gpu: Gpu | None) -> Prospect:
    for of, needed, found in (
        ("GPU memory", needs.gpu_memory, gpu.free if gpu else None),
        ("memory", needs.memory, memory),
        ("disk space", needs.disk, needs.free),
    ):
        if found is not None and needed > found:
            return Prospect(what, "impossible", f"{needs}; only {size_text(found)} of {of} here")
    return Prospect(what, "fast" if needs.seconds <= _FAST else "slow", str(needs))
