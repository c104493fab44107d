"""`inarow quixo info` and `copy`: what a table holds; and all of it, from a web server or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from inarow.cli.console import print_json, progress, require_folder, stdout, tell
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.quixo.options import LocationArgument, TableArgument, repair_hints
from inarow.errors import Unreachable
from inarow.quixo.table.copy import PARTIAL, copy_table
from inarow.quixo.table.info import TableInfo, table_info
from inarow.verify.quixo.record import Verified, verified


def info(folder: TableArgument, as_json: JsonOption = False) -> None:
    """Describe a table: rules, sizes, and what was verified.

    Only the manifest is read; 'inarow quixo check' compares the files with their checksums.
    """
    with repair_hints(folder):
        found = table_info(folder)
    checked = verified(folder)
    if as_json:
        print_json({**found.to_json(), "verified": None if checked is None else checked.to_json()})
    else:
        _show(found, checked)
    if found.missing_files:
        names = ", ".join(found.missing_files[:5])
        tell(f"Listed but missing: {names}{' …' if len(found.missing_files) > 5 else ''}")


def _show(found: TableInfo, checked: Verified | None) -> None:
    console = stdout()
    console.print(str(found.rules), style="bold")
    what = "outcomes and plies" if found.plies else "outcomes, without plies"
    console.print(f"It holds {what}.")
    pairs = sum(layer.pairs for layer in found.layers)
    if found.complete:
        console.print(f"Complete: {pairs} pairs of classes, {found.positions:,} positions.", style="green")
    else:
        console.print(
            f"Not complete: {pairs} pairs of classes, {found.missing_pairs} are missing.", style="yellow"
        )
    console.print(f"Verified: {_checked(checked, pairs)}.\n")
    if found.entries:
        console.print(f"{found.entries:,} entries, {found.size:,} bytes{_kinds(found)}:")
        bits = 8 * found.size / found.entries
        console.print(f"{bits:.3f} bits per entry.\n")
        console.print(_layers(found))


def _kinds(found: TableInfo) -> str:
    if len(found.sizes) < 2:
        return ""
    return f" ({', '.join(f'{size:,} of {kind}' for kind, size in found.sizes.items())})"


def _checked(checked: Verified | None, pairs: int) -> str:
    if checked is None:
        return "not yet ('inarow quixo verify' does it)"
    by = f"by inarow {checked.inarow} at {checked.at}, according to verified.json"
    if checked.verdict is None:
        return f"{checked.pairs} of {pairs} pairs, {by}"
    return f"{checked.verdict}, {by}"


def _layers(found: TableInfo) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for name in ("Marks", "Pairs", "Missing", "Entries", "Bytes", "Bits per entry"):
        table.add_column(name, justify="right")
    for layer in found.layers:
        bits = f"{layer.bits_per_entry:.3f}" if layer.entries else ""
        counts = (f"{number:,}" for number in (layer.entries, layer.bytes))
        table.add_row(str(layer.marks), str(layer.pairs), str(layer.missing or ""), *counts, bits)
    return table


def copy(
    source: LocationArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", parser=parse_path, help="Folder to copy to; an interrupted run resumes there."
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Download or copy a whole table, and check what arrived.

    Files that are there and sound are kept, and half of a file is completed.
    """
    require_folder(out.parent)
    try:
        with repair_hints(source), progress("copying") as report:
            copy_table(source, out, progress=report)
    except (OSError, Unreachable, KeyboardInterrupt) as error:
        if (out / PARTIAL).is_dir():
            error.add_note(f"What has arrived is kept in {out}; the same command resumes there.")
        raise
    info = table_info(out)
    if as_json:
        print_json(info.to_json())
        return
    console = stdout()
    console.print(str(info.rules), style="bold")
    console.print(f"{info.size:,} bytes, all as they were written, are in {out}", soft_wrap=True)
