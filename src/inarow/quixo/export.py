"""Positions with their values in one file, for others to learn from: Parquet, or NumPy's npz.

docs/datasets.md describes the columns.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from inarow.errors import InarowError
from inarow.files import TEMPORARY_PREFIX, atomic_file, require_writable
from inarow.quixo.arrays import Positions, moves_many, tiles_many
from inarow.quixo.table.store import Progress
from inarow.quixo.table.table import Table
from inarow.values import Value

_AT_ONCE = 1 << 16  # positions: with their moves, some tens of megabytes
_COPIED = 1 << 20  # bytes at once


# Of some rows: an item for each position or each move; "move_ends" has where those of a position end.
_Columns = dict[str, NDArray[Any]]
_OF_MOVES = ("moves", "move_values", "move_plies")


def export(
    table: Table,
    path: Path,
    *,
    sample: int | None = None,
    seed: int = 0,
    reachable: bool = False,
    value: Value | None = None,
    moves: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the positions of a table to a file, and return how many there are.

    The end of its name says what it is: ``.parquet``, which needs the extra `parquet`, or ``.npz``. Without
    `sample` all positions are written; `seed`, `reachable` and `value` are those of `Table.sample`. `moves`
    adds the value of every move. The file is there whole or not at all, and the memory taken does not depend
    on its size. The same arguments give the same file.

    >>> import tempfile, numpy as np
    >>> from inarow.quixo.rules import Quixo
    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(table_in_memory(Quixo(2, 3)), Path(folder) / "all.npz")
    ...     with np.load(Path(folder) / "all.npz") as data:
    ...         data["tiles"].shape, data["value"][:3]
    729
    ((729, 6), array([0, 0, 0], dtype=int8))
    """
    writers: dict[str, _Writer] = {".parquet": _write_parquet, ".npz": _write_npz}
    write = writers.get(path.suffix)
    if write is None:
        raise InarowError(f"{path.name}: the name must end in {' or '.join(writers)}")
    if write is _write_parquet:
        _pyarrow()  # before the work rather than after it
    require_writable(path)
    if sample is None:
        parts = table.all_positions(reachable=reachable, value=value, at_once=_AT_ONCE)
        total = sum(getattr(its, value or "states") for its in table.statistics.classes)
    else:
        parts = _split(table.samples(sample, seed, reachable=reachable, value=value))
        total = sample
    about = {
        "game": "quixo",
        **table.rules.to_json(),
        "sample": sample,
        "seed": None if sample is None else seed,
        "reachable": reachable,
        "value": value,
        "moves": [table.rules.move_text(move) for move in table.rules.moves],
    }
    rows = 0

    def batches() -> Iterator[_Columns]:
        nonlocal rows
        for positions in parts:
            rows += positions.words.size
            yield _batch(table, positions, moves)
            if progress is not None:
                progress(min(rows, total), total)

    with atomic_file(path) as file:
        none = _batch(table, Positions.joined([]), moves)
        write(file, path.resolve().parent, batches(), json.dumps(about), none)
    return rows


def _split(parts: Iterable[Positions]) -> Iterator[Positions]:
    for part in parts:
        for first in range(0, part.words.size, _AT_ONCE):
            yield part.where(slice(first, first + _AT_ONCE))


def _batch(table: Table, positions: Positions, moves: bool) -> _Columns:
    columns: _Columns = {
        "word": positions.words,
        "tiles": tiles_many(table.rules, positions.words),
        "value": positions.values,
        "plies": positions.plies.astype(np.int16),
    }
    if not moves:
        return columns
    found = moves_many(table.rules, positions.words)
    values, plies = table.probe_many(found.words)
    # What a position is worth to the side to move there, its move was worth the opposite of.
    after = np.where(plies < 0, plies, plies + 1)
    of_moves: _Columns = dict(zip(_OF_MOVES, (found.moves, -values, after.astype(np.int16)), strict=True))
    return {**columns, **of_moves, "move_ends": found.offsets[1:]}


# --- Forms of files ---

# Each takes the file, its folder, the rows, what they are about as JSON, and no rows at all, which shows the
# columns.
_Writer = Callable[[IO[bytes], Path, Iterable[_Columns], str, _Columns], None]


def _pyarrow() -> Any:
    """PyArrow, which most users do not need."""
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError:
        raise InarowError(
            "Parquet files need PyArrow: pip install 'inarow[parquet]', or write a file that ends in .npz"
        ) from None


def _write_parquet(
    file: IO[bytes], folder: Path, batches: Iterable[_Columns], about: str, none: _Columns
) -> None:
    pa = _pyarrow()

    def as_table(batch: _Columns) -> Any:
        offsets = pa.array(np.concatenate([[0], batch.get("move_ends", [])]).astype(np.int32))
        columns = {}
        for name, column in batch.items():
            if name == "move_ends":
                continue
            columns[name] = pa.array(column.ravel())
            if name in _OF_MOVES:
                columns[name] = pa.ListArray.from_arrays(offsets, columns[name])
            elif column.ndim == 2:
                columns[name] = pa.FixedSizeListArray.from_arrays(columns[name], column.shape[1])
        return pa.table(columns)

    schema = as_table(none).schema.with_metadata({"inarow": about})
    with pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_table(as_table(batch).replace_schema_metadata(schema.metadata))


def _write_npz(
    file: IO[bytes], folder: Path, batches: Iterable[_Columns], about: str, none: _Columns
) -> None:
    """A zip file has one column after the other: each is collected in a temporary file first."""
    moves = 0
    with ExitStack() as opened:
        kept = {
            name: opened.enter_context(tempfile.TemporaryFile(prefix=TEMPORARY_PREFIX, dir=folder))
            for name in none
        }
        for batch in batches:
            for name, column in batch.items():
                if name == "move_ends":
                    column = column + moves
                    moves = int(column[-1]) if column.size else moves
                kept[name].write(np.ascontiguousarray(column).data)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, column in none.items():
                kept[name].flush()
                row = column.itemsize * int(np.prod(column.shape[1:]))
                header = {
                    "descr": column.dtype.str,
                    "fortran_order": False,
                    "shape": (kept[name].tell() // row, *column.shape[1:]),
                }
                kept[name].seek(0)
                with _member(archive, name) as member:
                    np.lib.format.write_array_header_1_0(member, header)
                    while some := kept[name].read(_COPIED):
                        member.write(some)
            with _member(archive, "about") as member:
                np.lib.format.write_array(member, np.array(about), allow_pickle=False)


def _member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    info = zipfile.ZipInfo(f"{name}.npy")  # without the time, so that the same rows give the same file
    info.compress_type = zipfile.ZIP_DEFLATED
    return archive.open(info, "w", force_zip64=True)
