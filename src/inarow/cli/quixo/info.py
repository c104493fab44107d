"""`inarow quixo info`: what a table holds, and how large it is."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from inarow.cli.console import print_json, stdout, tell
from inarow.cli.options import JsonOption
from inarow.cli.quixo.hints import repair_hints
from inarow.cli.quixo.options import TableArgument
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
