"""`inarow quixo check`: are the files of a table as they were written?"""

from __future__ import annotations

import typer

from inarow.cli.console import print_json, progress, stdout, tell
from inarow.cli.options import JsonOption
from inarow.cli.quixo.lookup import open_table, repair_hints
from inarow.cli.quixo.options import TableArgument
from inarow.errors import MissingTable
from inarow.quixo.table.pairs import pairs_of
from inarow.quixo.table.table import make_command
from inarow.verify.quixo.record import NAME as RECORD


def check(folder: TableArgument, as_json: JsonOption = False) -> None:
    """Compare the files of a table with their checksums.

    This finds damaged files; 'inarow quixo verify' finds wrong entries.

    Exit code 4: a file is damaged. 3: the table, or a part of it, is missing.
    """
    table = open_table(folder)
    rules = table.rules
    names = table.manifest.files
    done_pairs = len(table.manifest.pairs)
    with table, repair_hints(folder, rules), progress("checking") as report:
        for done, _ in enumerate(table.check(), start=1):
            report(done, done_pairs)
    files = [path for path in folder.iterdir() if path.is_file()]
    count, size = len(names) + 1, sum(path.stat().st_size for path in files)
    complete, pairs = table.manifest.complete, sum(1 for _ in pairs_of(rules))
    if as_json:
        print_json(
            {
                "game": "quixo",
                **rules.to_json(),
                "complete": complete,
                "files": count,
                "bytes": size,
            }
        )
    else:
        console = stdout()
        console.print(str(rules), style="bold")
        console.print(f"{count} files, {size:,} bytes: all as they were written.")
        if complete:
            console.print(f"The table is complete: {done_pairs} pairs of classes.", style="green")
        else:
            console.print(
                f"The table is not complete: {done_pairs} of {pairs} pairs of classes.", style="yellow"
            )
    others = sorted({path.name for path in files} - {*names, "manifest.json", RECORD})
    if others:
        tell(f"Not part of the table: {', '.join(others[:5])}{' …' if len(others) > 5 else ''}")
    if not complete:
        tell(f"Complete it with: {make_command(table.manifest, folder)}")
        raise typer.Exit(MissingTable.exit_code)
