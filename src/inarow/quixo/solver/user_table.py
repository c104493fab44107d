"""The user's own tables: made when someone first asks about a position of a small board, and kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import platformdirs

from inarow.errors import OldTable
from inarow.locking import FolderInUse
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.cpu import CpuEngine
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest
from inarow.quixo.table.store import MemoryStore, Progress
from inarow.quixo.table.table import Table


def user_tables() -> Path:
    """The folder of the user's tables, whether it exists or not."""
    return Path(platformdirs.user_data_dir("inarow", appauthor=False)) / "quixo"


def user_table(rules: Quixo) -> Path:
    """The folder of the user's table of these rules, whether it exists or not."""
    return user_tables() / rules.name


def ensure_table(rules: Quixo, progress: Progress | None = None) -> Path:
    """The folder of the user's table of these rules, solved first if it is not complete."""
    path = user_table(rules)
    if not _is_complete(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        solve(rules, path, progress=progress)
    return path


def _is_complete(path: Path) -> bool:
    if not (path / MANIFEST_NAME).exists():
        return False
    try:
        return Manifest.load(path).complete
    except OldTable:  # it is ours, and quickly made again
        shutil.rmtree(path)
        return False


def open_user_table(rules: Quixo, progress: Progress | None = None) -> Table:
    """The user's own table, solved first if need be; in memory if it cannot be written now."""
    try:
        return Table(ensure_table(rules, progress=progress))
    except (OSError, FolderInUse):
        return table_in_memory(rules, progress)


def table_in_memory(rules: Quixo, progress: Progress | None = None) -> Table:
    """A table of these rules that nothing is written for."""
    store = MemoryStore(rules)
    solve_pairs(rules, CpuEngine(rules), store, progress=progress)
    return Table(store)
