"""`inarow quixo copy`: a whole table, from a web server or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, progress, require_folder, stdout
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.quixo.hints import repair_hints
from inarow.cli.quixo.options import LocationArgument
from inarow.errors import Unreachable
from inarow.quixo.table.copy import PARTIAL, copy_table
from inarow.quixo.table.info import table_info


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
