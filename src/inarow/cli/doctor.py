"""`inarow doctor`: what this machine offers, and what will be fast on it."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.diagnosis import Diagnosis, TableFound, diagnose
from inarow.words import counted, size_text

_STYLES = {"fast": "green", "slow": "yellow", "impossible": "red"}


def doctor(as_json: JsonOption = False) -> None:
    """Say what this machine offers, and what will be fast.

    Tables are looked for among your own, in the current folder and in the folders there.
    """
    found = diagnose()
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Diagnosis) -> None:
    console = stdout()
    console.print(f"inarow {found.inarow}, Python {found.python}, {found.system}", style="bold")
    facts = _grid()
    facts.add_row("Instructions", found.instructions)
    facts.add_row("Threads", str(found.threads))
    facts.add_row("Memory", "not known" if found.memory_bytes is None else size_text(found.memory_bytes))
    facts.add_row("Disk", f"{size_text(found.free_disk_bytes)} free for tables, in {found.data_folder}")
    facts.add_row("Cache", f"{size_text(found.cache_bytes)} of tables at URLs")
    if found.gpu:
        free = f"{size_text(found.gpu.free)} of {size_text(found.gpu.memory)} free"
    facts.add_row("GPU", f"{found.gpu.name}, {free}" if found.gpu else found.no_gpu)
    there = [name for name, installed in found.extras.items() if installed]
    missing = [name for name, installed in found.extras.items() if not installed]
    facts.add_row("Extras", f"{', '.join(there) or 'none'}; not installed: {', '.join(missing) or 'none'}")
    console.print(facts)
    console.print(f"\n{counted(len(found.tables), 'table')} found.", style="bold")
    for table in found.tables:
        console.print(f" {_describe(table)}", style="red" if table.problem else "", soft_wrap=True)
    console.print("\nWhat to expect", style="bold")
    prospects = _grid()
    for prospect in found.prospects:
        prospects.add_row(Text(prospect.speed, _STYLES[prospect.speed]), prospect.what, prospect.why)
    console.print(prospects)


def _grid() -> Table:
    return Table(box=None, show_header=False, padding=(0, 2, 0, 1), pad_edge=False)


def _describe(table: TableFound) -> str:
    if table.problem:
        return f"{table.folder}: {table.problem}"
    what = "outcomes and plies" if table.has_plies else "outcomes"
    state = "complete" if table.complete else "not complete"
    return f"{table.folder}: {table.rules}; {what}, {state}, {size_text(table.bytes)}"
