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
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_needed
from inarow.quixo.solver.plan import Plan
from inarow.quixo.solver.user_table import user_tables
from inarow.quixo.table.cache import user_cache_path
from inarow.quixo.table.info import table_info
from inarow.quixo.table.manifest import MANIFEST_NAME
from inarow.words import duration_range_text, size_text

__all__ = ["Diagnosis", "Gpu", "Prospect", "TableFound", "diagnose"]

Speed: TypeAlias = Literal["fast", "slow", "impossible"]

_FAST = 120  # seconds; what takes no longer is fast

# What `pip install 'inarow[EXTRA]'` adds, by the module that shows that it is there.
_EXTRAS = {"dask": "distributed", "gif": "PIL", "parquet": "pyarrow", "gym": "gymnasium"}


@dataclass(frozen=True, slots=True)
class TableFound:
    """A table of the user's, or in the current folder; `problem` says why it cannot be read."""

    folder: Path
    rules: str = ""
    plies: bool = False
    complete: bool = False
    size: int = 0
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Prospect:
    """Something that inarow does, how it will fare here, and why."""

    what: str
    speed: Speed
    why: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `diagnose` found. Sizes are in bytes.

    >>> from dataclasses import fields
    >>> [field.name for field in fields(Diagnosis)][3:6]
    ['instructions', 'threads', 'memory']
    """

    inarow: str
    python: str
    system: str
    instructions: str  # that the solver uses: portable, avx2, avx512 or neon
    threads: int
    memory: int | None
    data_folder: Path  # of the user's own tables
    free_disk: int  # there
    cache: int  # bytes kept of tables at URLs
    gpu: Gpu | None
    no_gpu: str | None  # the reason, if there is none
    extras: dict[str, bool]  # optional packages, and whether they are installed
    tables: tuple[TableFound, ...]
    prospects: tuple[Prospect, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "inarow": self.inarow,
            "python": self.python,
            "system": self.system,
            "instructions": self.instructions,
            "threads": self.threads,
            "memory_bytes": self.memory,
            "data_folder": str(self.data_folder),
            "free_disk_bytes": self.free_disk,
            "cache_bytes": self.cache,
            "gpu": None if self.gpu is None else asdict(self.gpu),
            "no_gpu": self.no_gpu,
            "extras": self.extras,
            "tables": [
                {
                    "folder": str(table.folder),
                    "rules": table.rules,
                    "has_plies": table.plies,
                    "complete": table.complete,
                    "bytes": table.size,
                    "problem": table.problem,
                }
                for table in self.tables
            ],
            "prospects": [asdict(prospect) for prospect in self.prospects],
        }


def diagnose(folder: Path | str = ".") -> Diagnosis:
    """Look at this machine, the user's tables, and those in a folder. It takes a few seconds.

    >>> found = diagnose()
    >>> found.threads >= 1, found.instructions in ("portable", "avx2", "avx512", "neon")
    (True, True)
    >>> found.prospects[0].what, found.prospects[0].speed
    ('Quixo on up to 16 cells', 'fast')
    """
    own = user_tables()
    there = _existing(own)
    gpu, no_gpu = _gpu()
    memory, free = physical_memory(), shutil.disk_usage(there).free
    tables = tuple(_table(path) for path in _folders((own, Path(folder))))
    cache = user_cache_path()
    return Diagnosis(
        inarow=version("inarow"),
        python=platform.python_version(),
        system=platform.platform(),
        instructions=CpuEngine(Quixo(3), threads=1).lanes,
        threads=thread_count(None),
        memory=memory,
        data_folder=own,
        free_disk=free,
        cache=cache.stat().st_size if cache.is_file() else 0,
        gpu=gpu,
        no_gpu=no_gpu,
        extras={"cuda": find_spec("cupy") is not None}
        | {extra: find_spec(module) is not None for extra, module in _EXTRAS.items()},
        tables=tables,
        prospects=tuple(_prospects(memory, there, gpu, no_gpu, tables)),
    )


def _gpu() -> tuple[Gpu | None, str | None]:
    try:
        return gpu_here(), None
    except InarowError as error:
        return None, str(error)


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that exists."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


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
    for plies in (False, True):
        needs = Plan(five, there / "5x5", plies=plies).needs()
        speed: Speed = "fast" if needs.seconds <= _FAST else "slow"
        why = (
            f"{duration_range_text(*needs.seconds_between)}, {size_text(needs.memory)} of memory and "
            f"{size_text(needs.disk)} of disk, if nothing else keeps this machine busy"
        )
        if memory is not None and needs.memory > memory:
            speed, why = "impossible", f"{why}; this machine has {size_text(memory)} of memory"
        elif needs.disk > needs.free:
            speed, why = "impossible", f"{why}; {size_text(needs.free)} are free"
        what = "with plies" if plies else "outcomes alone"
        yield Prospect(f"solving 5×5 on the CPU, {what}", speed, why)
    needed = gpu_memory_needed(five, streamed=True)
    if gpu is None:
        yield Prospect("solving 5×5 on a GPU", "impossible", str(no_gpu).splitlines()[0])
    elif gpu.free < needed:
        yield Prospect(
            "solving 5×5 on a GPU",
            "impossible",
            f"it takes {size_text(needed)} of GPU memory; {size_text(gpu.free)} are free",
        )
    else:
        needs = Plan(five, there / "5x5", device="cuda").needs(gpu)
        why = (
            f"{duration_range_text(*needs.seconds_between)} on {gpu.name}, up to {size_text(needs.memory)} "
            f"of memory here and {size_text(needs.disk)} of disk"
        )
        yield Prospect("solving 5×5 on a GPU", "fast" if needs.seconds <= _FAST else "slow", why)
    yield Prospect(
        "Ultimate against optimal play",
        "slow",
        "as X it begins at once; as O it first reads a proof for half a minute, and takes 1 GB of memory",
    )
